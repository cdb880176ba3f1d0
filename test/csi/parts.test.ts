import { describe, expect, test } from 'vitest';
import { isToGo } from '../../src/csi/stage/clean-policy.ts';
import type { Pod } from '../../src/csi/cluster/node-cluster.ts';
import { fusePodOf, whyNotMounted } from '../../src/csi/cluster/fuse-pods.ts';
import { podPathOf } from '../../src/csi/kubelet.ts';
import { createLocks } from '../../src/csi/grpc/locks.ts';
import { nodeLabels } from '../../src/csi/cluster/node-labels.ts';
import { usageOf } from '../../src/csi/publish/stats.ts';
import { ApiError } from '../../src/kube/errors.ts';

describe('clean policy', () => {
  test.each([
    [{ policy: 'OnDemand' }, true],
    [{ policy: 'OnRuntimeDeleted' }, false],
    [{ policy: '' }, false],
    [{ policy: 'OnFuseChanged', wanted: '2', running: '1' }, true],
    [{ policy: 'OnFuseChanged', wanted: '2', running: '2' }, false],
    [{ policy: 'OnFuseChanged', wanted: '2' }, false],
    [{ policy: 'OnFuseChanged', running: '2' }, false],
  ])('%j: the label goes: %s', (cleaning, expected) => {
    expect(isToGo(cleaning)).toBe(expected);
  });
});

describe('labels of the node', () => {
  function given() {
    const written: Readonly<Record<string, string | null>>[] = [];
    const answers: PromiseWithResolvers<void>[] = [];
    const labels = nodeLabels({
      labelNode(wanted) {
        written.push(wanted);
        const answer = Promise.withResolvers<void>();
        answers.push(answer);
        return answer.promise;
      },
    });
    return { labels, written, answers };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('are written together while a request is under way', async () => {
    const { labels, written, answers } = given();
    const all = [labels.take('a', 'u'), labels.take('b', 'u')];
    await turn();
    all.push(labels.take('c', 'u'), labels.take('d', 'u'));
    answers[0]?.resolve();
    await turn();
    answers[1]?.resolve();
    await Promise.all(all);
    expect(written).toEqual([
      { a: 'true', b: 'true' },
      { c: 'true', d: 'true' },
    ]);
  });

  test('stay for who took them while they were being left', async () => {
    const { labels, written, answers } = given();
    const first = labels.take('a', 'one');
    await turn();
    const left = labels.leave('a', 'one');
    const taken = labels.take('a', 'two');
    answers[0]?.resolve();
    await turn();
    answers[1]?.resolve();
    await Promise.all([first, left, taken]);
    expect(written).toEqual([{ a: 'true' }, { a: 'true' }]);
  });

  test('go with the last user, and a failure is told to who asked', async () => {
    const { labels, written, answers } = given();
    void labels.take('a', 'one').catch(() => {});
    void labels.take('a', 'two').catch(() => {});
    await turn();
    answers[0]?.resolve();
    labels.forget('one');
    const left = labels.leave('a', 'two');
    await turn();
    answers[1]?.reject(new Error('forbidden'));
    await expect(left).rejects.toThrow('forbidden');
    expect(written.at(-1)).toEqual({ a: null });
  });
});

test('a label that is refused is the failure of who asked for it alone', async () => {
  const written: string[][] = [];
  const labels = nodeLabels({
    async labelNode(wanted) {
      written.push(Object.keys(wanted));
      if ('bad' in wanted) throw new ApiError({ method: 'PATCH', path: '/node' }, 422, 'bad', { body: { details: { name: 'node' } } });
    },
  });
  const asked = await Promise.allSettled(['a', 'bad', 'c'].map((key) => labels.take(key, key)));
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('labels are not asked for one by one when nobody answers', async () => {
  let calls = 0;
  const labels = nodeLabels({
    async labelNode() {
      calls++;
      throw new Error('no answer');
    },
  });
  const asked = await Promise.allSettled(['a', 'b'].map((key) => labels.take(key, key)));
  expect([calls, ...asked.map(({ status }) => status)]).toEqual([1, 'rejected', 'rejected']);
});

describe('locks', () => {
  test('a second call is told to come back, other work waits', async () => {
    const locks = createLocks();
    const first = Promise.withResolvers<void>();
    const order: string[] = [];
    const call = locks.call('k', () => first.promise.then(() => order.push('call')));
    await expect(locks.call('k', async () => {})).rejects.toThrow('another call is under way');
    const work = locks.run('k', async () => order.push('work'));
    await locks.call('other', async () => order.push('other'));
    first.resolve();
    await Promise.all([call, work]);
    expect(order).toEqual(['other', 'call', 'work']);
  });
});

describe('why it is not mounted', () => {
  const pod = (status: Pod['status'], more: Partial<Pod['metadata']> = {}): Pod => ({
    metadata: { name: 'demo-fuse-x', ownerReferences: [{ kind: 'DaemonSet', name: 'demo-fuse' }], ...more },
    ...(status && { status }),
  });
  const runtime = { namespace: 'ml', name: 'demo' };
  const container = (more: object) => ({ phase: 'Pending', containerStatuses: [{ name: 'fuse', ...more }] });

  test.each([
    ['no pod', [], 'there is no fuse pod of ml/demo on node n yet, or it waits for its volumes'],
    [
      "another's pod",
      [pod({}, { ownerReferences: [{ kind: 'DaemonSet', name: 'demo2-fuse' }] })],
      'there is no fuse pod of ml/demo on node n yet, or it waits for its volumes',
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

  test('the end of a long message is what counts', () => {
    const message = `${'x'.repeat(2000)} the cause`;
    const text = whyNotMounted(runtime, 'n', pod({ phase: 'Failed', message }), true);
    expect(text.length).toBeLessThan(500);
    expect(text).toMatch(/the cause$/);
  });
});

describe('what a fuse pod has said', () => {
  const said = { exitCode: 1, reason: 'Error', message: 'cannot mount https://ak:sk@host: AWS_SECRET_ACCESS_KEY=abc is wrong' };
  const crashed: Pod = {
    metadata: { name: 'demo-fuse-x' },
    status: { phase: 'Running', containerStatuses: [{ name: 'fuse', restartCount: 1, state: { terminated: said } }] },
  };
  const why = (inPrivate: boolean) => whyNotMounted({ namespace: 'ml', name: 'demo' }, 'n', crashed, inPrivate);

  test('is not told in another namespace', () => {
    expect(why(false)).toBe('fuse pod ml/demo-fuse-x has restarted its container fuse 1 times; it ended with code 1 (Error)');
  });
  test('is told in its own without credentials', () => {
    expect(why(true)).toMatch(/\(Error\): cannot mount https:\/\/\[redacted\]@host: AWS_SECRET_ACCESS_KEY=\[redacted\] is wrong$/);
  });
});

test.each([
  ['/k/pods/u/volumes/kubernetes.io~csi/pv/mount', { podUid: 'u', volumeName: 'pv', isSubPath: false }],
  ['/k/pods/u/volume-subpaths/pv/app/0', { podUid: 'u', volumeName: 'pv', isSubPath: true }],
  ['/k/pods/u/volumes/kubernetes.io~nfs/pv/mount', undefined],
  ['/k/pods/u/volumes/kubernetes.io~csi/pv', undefined],
  ['/k2/pods/u/volumes/kubernetes.io~csi/pv/mount', undefined],
])("%s is the kubelet's", (path, expected) => {
  expect(podPathOf(path, '/k')).toEqual(expected);
});

test('statistics are bytes and inodes', () => {
  expect(usageOf('4096 100 40 50 10 4\n')).toEqual([
    { unit: 1, total: 409_600n, available: 163_840n, used: 204_800n },
    { unit: 2, total: 10n, available: 4n, used: 6n },
  ]);
  // s3fs, of a bucket.
  const most = 2n ** 63n - 1n;
  expect(usageOf('16777216 1099511627775 1099511627775 1099511627775 18446744073709551615 18446744073709551615\n')).toEqual([
    { unit: 1, total: most, available: most, used: 0n },
    { unit: 2, total: most, available: most, used: 0n },
  ]);
});
