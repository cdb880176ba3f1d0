import { expect, test } from 'vitest';
import type { NodeContext } from '../../../src/csi/node-context.ts';
import { type RebindResult, recordResults } from '../../../src/csi/recovery/events.ts';
import { FUSE_PATH } from '../given.ts';

const RUNTIME = { namespace: 'ml', name: 'demo' };
const result = (pod: string, more: Partial<RebindResult> = {}): RebindResult => ({
  runtime: RUNTIME,
  pod,
  fusePath: FUSE_PATH,
  dropped: 0,
  ...more,
});

/** The events of one round, as `reason: note`. */
function eventsOf(...results: readonly RebindResult[]): readonly string[] {
  const events: string[] = [];
  const cluster: Pick<NodeContext['cluster'], 'recordEvent'> = {
    recordEvent: ({ namespace, name }, { reason, note }) => events.push(`${namespace}/${name} ${reason}: ${note}`),
  };
  // All of a context that events need.
  recordResults({ cluster, nodeId: 'n1' } as unknown as NodeContext, results);
  return events;
}

test('pods of one Dataset with the same result share an event (R15)', () => {
  const events = eventsOf(result('a'), result('b'), result('b'), result('c', { error: 'mount failed' }), result('d', { error: 'x' }));
  expect(events).toEqual([
    `ml/demo FuseRecoverSucceed: Fuse recover on node n1: ${FUSE_PATH} was mounted again, and bound again for pods a, b`,
    `ml/demo FuseRecoverFailed: Fuse recover on node n1: ${FUSE_PATH} for pods c, d: mount failed`,
  ]);
});

test('a client that is still starting, and a volume without a runtime, write no event (R15)', () => {
  expect(eventsOf(result('a', { error: '' }), result('b', { runtime: undefined }))).toEqual([]);
});
