/** The label that the node plugin gives its node, and its record: who loses the label, and what the controller and the plugin make of it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kubeCluster } from '../../src/csi/cluster/kube-node-cluster.ts';
import { nodeLabels } from '../../src/csi/cluster/own-node-labels.ts';
import type { HeldRequests } from '../../src/api-server/index.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

const NODE = 'node-1';
const LABEL = 'fluid.io/f-ml-demo';
const RECORD = 'labelled.data.fluid.io/f-ml-demo';
const DEMO = [openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })];
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** The plugin of a node, as far as its labels go. */
const pluginOf = (at: Harness, nodeId = NODE) =>
  nodeLabels(kubeCluster({ client: at.server.client({ fieldManager: 'sluice-csi' }), nodeId, log: SILENT }));
const node = (at: Harness, name = NODE) => at.server.get('Node', undefined, name);
const label = (at: Harness, name = NODE) => node(at, name)?.metadata.labels?.[LABEL];
const record = (at: Harness, name = NODE) => node(at, name)?.metadata.annotations?.[RECORD];
/** Another writer replaces a node's labels. */
function lose(at: Harness, value?: string, name = NODE): void {
  const found = node(at, name);
  if (!found) return;
  const { resourceVersion: _, labels: { [LABEL]: _lost, ...others } = {}, ...metadata } = found.metadata;
  at.server.put({ ...found, metadata: { ...metadata, labels: { ...others, ...(value !== undefined && { [LABEL]: value }) } } });
}
const patches = (at: Harness) => at.server.requestsThat({ verb: 'patch', kind: 'Node' });

test.each([[undefined], ['false'], ['']])(
  'that is lost (now %s) is back within 0.3 s, whatever the nodes are that get no cache labels',
  async (value) => {
    const at = await boundHarness(DEMO, { excludeNodes: () => true });
    const plugin = pluginOf(at);
    await plugin.take(LABEL, 'ml-demo');
    await at.quiet();
    at.forget();
    lose(at, value);
    await at.advance(300);
    expect(label(at)).toBe('true');
    await at.quiet();
    expect(patches(at)).toHaveLength(1);
  },
);

test('that was lost while no controller ran is back when one does', async () => {
  const at = await boundHarness(DEMO);
  await pluginOf(at).take(LABEL, 'ml-demo');
  at.kill();
  lose(at);
  await at.restart();
  await at.quiet();
  expect(label(at)).toBe('true');
});

test('that the plugin sets and removes is no request of the controller, and neither is one that it has not recorded', async () => {
  const at = await boundHarness(DEMO);
  const plugin = pluginOf(at);
  at.forget();
  await plugin.take(LABEL, 'ml-demo');
  await at.quiet();
  await plugin.leave(LABEL, 'ml-demo');
  await at.quiet();
  expect(patches(at)).toHaveLength(2);
  expect([label(at), record(at)]).toEqual([undefined, undefined]);
  lose(at, 'true');
  await at.quiet();
  lose(at);
  await at.quiet();
  expect(patches(at)).toHaveLength(2);
});

test('that cannot be put back is said by runtime and Dataset, and is back once it can', async () => {
  const at = await boundHarness(DEMO);
  await pluginOf(at).take(LABEL, 'ml-demo');
  await at.quiet();
  const refusal = at.server.rules.refuse(
    { verb: 'patch', kind: 'Node' },
    { status: 403, reason: 'Forbidden', message: 'this node is not yours' },
  );
  lose(at);
  await at.advance(5_000);
  expect(at.events).toContainEqual(
    expect.objectContaining({
      reason: 'NodeNotLabelled',
      regarding: expect.objectContaining({ kind: 'ThinRuntime', name: 'demo' }),
      note: expect.stringMatching(new RegExp(`${NODE}.*this node is not yours`)),
    }),
  );
  const said = `labels of nodes were not written; the controller retries with back-off: ${NODE}: PATCH /api/v1/nodes/${NODE}: 403 Forbidden: this node is not yours`;
  expect(at.conditions('ThinRuntime')['Synced']).toBe(`False NodeNotLabelled: ${said}`);
  expect(at.conditions('Dataset')['Ready']).toContain(said);
  at.forget();
  await at.advance(60_000);
  expect([at.written(), at.events]).toEqual([[], []]);
  refusal.remove();
  await at.advance(130_000);
  expect(label(at)).toBe('true');
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
});

test('goes with its record at teardown, also from a node that has the record alone, and does not come back', async () => {
  const at = await boundHarness(DEMO);
  await pluginOf(at).take(LABEL, 'ml-demo');
  await pluginOf(at, 'node-2').take(LABEL, 'ml-demo');
  const refusal = at.server.rules.refuse({ verb: 'patch', kind: 'Node' }, { status: 503, reason: 'ServiceUnavailable' });
  lose(at, undefined, 'node-2');
  await at.advance(1_000);
  at.delete('ThinRuntime');
  at.delete('Dataset');
  await at.advance(1_000);
  refusal.remove();
  await at.quiet();
  for (const name of [NODE, 'node-2']) expect([label(at, name), record(at, name)]).toEqual([undefined, undefined]);
  expect(at.get('Dataset')).toBeUndefined();
});

/** The next step, and the time until it. */
const step = fc.record({
  do: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('stage a', 'unstage a', 'lose', 'hold writes', 'release') },
    { weight: 1, arbitrary: fc.constantFrom('stage b', 'unstage b', 'set to false', 'hold watch', 'kill', 'restart', 'plugin restarts') },
  ),
  ms: fc.constantFrom(0, 150, 1_000),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const program = (text: string): [Step[]] => [text.split(', ').map((each) => ({ do: each as Step['do'], ms: 150 }))];
/** The controller has decided to put it back, and the plugin removes it before that is written; and is asked again after. */
const RACES = ['stage a, hold writes, lose, unstage a, release', 'stage a, hold writes, lose, unstage a, stage b, release'].map(program);

test('is there exactly while a volume is staged, in whatever order all is done, lost, delayed and restarted', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const at = await boundHarness(DEMO, { nodes: 1 });
      let plugin = pluginOf(at);
      const staged = new Set<string>();
      const calls: Promise<void>[] = [];
      let held: HeldRequests | undefined;
      let alive = true;
      const release = () => {
        held?.release();
        held = undefined;
        at.server.release('Node');
      };
      // As the kubelet: one call a volume at a time, and each volume that is on the node is staged.
      const call = async (work: Promise<void>) => {
        calls.push(work);
        await at.settle();
      };
      for (const { do: what, ms } of steps) {
        const user = what.slice(-1);
        if (what.startsWith('stage')) {
          staged.add(user);
          await call(plugin.take(LABEL, user));
        } else if (what.startsWith('unstage') && staged.delete(user)) {
          // fuse-release.ts: the label goes with the last volume that the kubelet has staged.
          if (staged.size === 0) await call(plugin.leave(LABEL, user));
          else plugin.forget(user);
        } else if (what === 'lose') lose(at);
        else if (what === 'set to false') lose(at, 'false');
        else if (what === 'hold writes') held ??= at.server.rules.hold({ verb: 'patch', kind: 'Node', manager: 'sluice' });
        else if (what === 'hold watch') at.server.hold('Node');
        else if (what === 'release') release();
        else if (what === 'kill' && alive) {
          at.kill();
          alive = false;
        } else if (what === 'restart' && !alive) {
          await at.restart();
          alive = true;
        } else if (what === 'plugin restarts') {
          await Promise.all(calls);
          plugin = pluginOf(at);
        }
        await at.advance(ms);
      }
      release();
      if (!alive) await at.restart();
      await Promise.all(calls);
      await at.quiet();
      expect([label(at) === 'true', record(at)]).toEqual(staged.size > 0 ? [true, 'true'] : [false, undefined]);
      at.kill();
    }),
    { seed: 5224, numRuns: 40, examples: RACES },
  );
});

test('another writer that removes the label again and again is reported, and makes no hot loop', async () => {
  const at = await boundHarness(DEMO);
  await pluginOf(at).take(LABEL, 'ml-demo');
  await at.quiet();
  at.forget();
  at.start();
  lose(at);
  for (let i = 0; i < 1200; i++) {
    await at.advance(50);
    if (label(at) !== undefined) lose(at);
  }
  expect(patches(at).length).toBeLessThan(20);
  expect(at.events.map(({ note }) => note)).toContainEqual(expect.stringContaining(`another writer has undone ${LABEL}`));
});
