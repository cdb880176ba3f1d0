import { describe, expect, test } from 'vitest';
import { fusePodOf, whyNotMounted } from '../../../src/csi/cluster/fuse-pods.ts';
import type { FusePod } from '../../../src/csi/cluster/node-cluster.ts';

describe('the reason why a volume is not mounted', () => {
  const pod = (status: FusePod['status'], more: Partial<FusePod['metadata']> = {}): FusePod => ({
    metadata: { name: 'demo-fuse-x', ownerReferences: [{ kind: 'DaemonSet', name: 'demo-fuse' }], ...more },
    ...(status && { status }),
  });
  const runtime = { namespace: 'ml', name: 'demo' };
  const container = (more: object) => ({ phase: 'Pending', containerStatuses: [{ name: 'fuse', ...more }] });

  test.each([
    ['no pod', [], 'fuse pod of ml/demo on node n does not exist yet, or waits for its volumes'],
    [
      "another's pod",
      [pod({}, { ownerReferences: [{ kind: 'DaemonSet', name: 'demo2-fuse' }] })],
      'fuse pod of ml/demo on node n does not exist yet, or waits for its volumes',
    ],
    ['one that goes', [pod({}, { deletionTimestamp: 'now' })], 'fuse pod ml/demo-fuse-x is being deleted'],
    [
      'evicted',
      [pod({ phase: 'Failed', reason: 'Evicted', message: 'low on disk' })],
      'fuse pod ml/demo-fuse-x failed (Evicted): low on disk',
    ],
    [
      'pulling fails',
      [pod(container({ state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }))],
      'fuse pod ml/demo-fuse-x is waiting for container fuse (ErrImagePull): not found',
    ],
    ['starting', [pod({ phase: 'Pending' })], 'fuse pod ml/demo-fuse-x is starting'],
    [
      'crashing',
      [
        pod(
          container({
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 2, reason: 'Error', message: ' bad\nkey ' } },
          }),
        ),
      ],
      'fuse pod ml/demo-fuse-x has restarted its container fuse 3 times, now CrashLoopBackOff; it ended with code 2 (Error): bad key',
    ],
    [
      'running',
      [pod({ phase: 'Running', containerStatuses: [{ name: 'fuse', state: { running: {} } }] })],
      'fuse pod ml/demo-fuse-x runs, but has not mounted yet',
    ],
  ] as const)('%s', (_, pods, expected) => {
    expect(whyNotMounted(runtime, 'n', fusePodOf('demo', pods), true)).toBe(expected);
  });

  test('a long message is shortened to its end', () => {
    const message = `${'x'.repeat(2000)} the cause`;
    const text = whyNotMounted(runtime, 'n', pod({ phase: 'Failed', message }), true);
    expect(text.length).toBeLessThan(500);
    expect(text).toMatch(/the cause$/);
  });
});

describe('the message of a fuse pod', () => {
  const said = { exitCode: 1, reason: 'Error', message: 'cannot mount https://ak:sk@host: AWS_SECRET_ACCESS_KEY=abc is wrong' };
  const crashed: FusePod = {
    metadata: { name: 'demo-fuse-x' },
    status: { phase: 'Running', containerStatuses: [{ name: 'fuse', restartCount: 1, state: { terminated: said } }] },
  };
  const why = (inPrivate: boolean) => whyNotMounted({ namespace: 'ml', name: 'demo' }, 'n', crashed, inPrivate);

  test('is not shown in another namespace, nor are names of pod and container', () => {
    expect(why(false)).toBe('fuse pod of ml/demo on node n has restarted a container 1 times; it ended with code 1 (Error)');
  });
  test('is shown in its own namespace without credentials', () => {
    expect(why(true)).toMatch(/\(Error\): cannot mount https:\/\/\[redacted\]@host: AWS_SECRET_ACCESS_KEY=\[redacted\] is wrong$/);
  });
});
