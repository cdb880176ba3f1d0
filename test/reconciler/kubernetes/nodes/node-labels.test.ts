import { describe, expect, test, vi } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import type { ApiRequest } from '../../../../src/api-server/index.ts';
import { exampleRuntime, openDataset } from '../../../support/objects.ts';
import { boundHarness, type Harness, harness } from '../../harness.ts';

const FORBIDDEN = { status: 403, reason: 'Forbidden', message: 'this node is not yours' };
/** A Dataset whose workers run on this node. */
const datasetOn = (node: string, name = 'demo') =>
  openDataset(name, {
    placement: 'Shared',
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [node] }] }] } },
  });
const HOSTNAME = 'kubernetes.io/hostname';
const serve = (at: Harness, node: string, name = 'demo') => {
  at.put(datasetOn(node, name));
  at.put(exampleRuntime(name, { replicas: 1 }));
};
const labels = (at: Harness, node: string) => at.get('Node', node)?.metadata.labels ?? {};
const ours = (at: Harness, node: string) => Object.keys(labels(at, node)).filter((key) => key.startsWith('fluid'));
const patched = (at: Harness, node?: string) => at.server.requestsThat({ verb: 'patch', kind: 'Node', ...(node && { name: node }) });
const names = (request: ApiRequest, key: string) => JSON.stringify(request.body).includes(key);

test('a burst of set-ups is few writes to a node, and the last of them misses nothing', async () => {
  const at = await harness();
  at.start();
  for (let i = 0; i < 10; i++) {
    serve(at, 'node-1', `d${i}`);
    await at.advance(250);
  }
  await at.quiet();
  for (let i = 0; i < 10; i++) expect(labels(at, 'node-1')).toHaveProperty(`fluid.io/s-ml-d${i}`, 'true');
  // Two and a half seconds, of which each has one.
  expect(patched(at, 'node-1').length).toBeLessThanOrEqual(4);
});

test('a label that another writer removes is written again at once, also just after a write to the node', async () => {
  const at = await harness();
  at.start();
  serve(at, 'node-1');
  for (let waited = 0; patched(at, 'node-1').length === 0 && waited < 5000; waited += 10) await at.advance(10);
  const node = structuredClone(at.get('Node', 'node-1')) as KubeObject;
  const { 'fluid.io/s-ml-demo': taken, ...others } = node.metadata.labels ?? {};
  expect(taken).toBe('true');
  at.put({ ...node, metadata: { ...node.metadata, labels: others } });
  await at.advance(150);
  expect(labels(at, 'node-1')).toHaveProperty('fluid.io/s-ml-demo', 'true');
});

describe('a node that refuses its labels', () => {
  test('delays no other node, is reported on the runtime, and is retried with back-off', async () => {
    const at = await harness({ prepare: ({ rules }) => void rules.refuse({ verb: 'patch', kind: 'Node', name: 'node-1' }, FORBIDDEN) });
    serve(at, 'node-1');
    serve(at, 'node-2', 'other');
    await at.quiet();
    expect([ours(at, 'node-1'), ours(at, 'node-2')]).toEqual([[], expect.arrayContaining(['fluid.io/s-ml-other'])]);
    expect(at.events).toContainEqual(
      expect.objectContaining({
        regarding: expect.objectContaining({ kind: 'ExampleRuntime', name: 'demo' }),
        reason: 'NodeNotLabelled',
        note: expect.stringMatching(/^labels of nodes .* node-1: .*this node is not yours/),
      }),
    );
    await at.advance(1_200_000);
    at.forget();
    await at.advance(600_000);
    // A try in 90 s: one for the whole, then one for each part.
    expect(patched(at, 'node-1').length).toBeLessThanOrEqual(7 * 3);
    expect(patched(at, 'node-1').length).toBeGreaterThan(0);
    expect(patched(at, 'node-2')).toEqual([]);
  });

  test('has them soon after it takes them again', async () => {
    const at = await harness();
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'Node', name: 'node-1' }, FORBIDDEN);
    serve(at, 'node-1');
    await at.quiet();
    rule.remove();
    await at.advance(600_000);
    expect(labels(at, 'node-1')).toHaveProperty('fluid.io/s-ml-demo', 'true');
  });

  test('keeps only the runtime whose labels it has, which says so', async () => {
    const at = await harness();
    serve(at, 'node-1');
    serve(at, 'node-2', 'other');
    await at.quiet();
    const rule = at.server.rules.refuse({ verb: 'patch', kind: 'Node', name: 'node-1' }, FORBIDDEN);
    for (const name of ['demo', 'other']) at.delete('ExampleRuntime', name);
    await at.quiet();
    expect(['demo', 'other'].filter((name) => at.get('ExampleRuntime', name))).toEqual(['demo']);
    expect(at.conditions('ExampleRuntime')['Synced']).toMatch(/^False NodesLabelled: .*node-1: .*this node is not yours/);
    expect(ours(at, 'node-2')).toEqual([]);
    rule.remove();
    await at.advance(600_000);
    expect(at.get('ExampleRuntime')).toBeUndefined();
    expect(ours(at, 'node-1')).toEqual([]);
  });
});

test.each([
  [422, 'Invalid'],
  [409, 'Conflict'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
])('a label that is refused for one runtime, by %d, is not withheld from another on the same node', async (status, reason) => {
  const at = await harness({ nodes: 1 });
  at.server.rules.refuse(
    { verb: 'patch', kind: 'Node', when: (request) => names(request, 'fluid.io/s-ml-evil') },
    { status, reason, message: 'no such label' },
  );
  for (const name of ['evil', 'good']) serve(at, 'node-1', name);
  await at.quiet();
  await at.advance(5000);
  expect(ours(at, 'node-1')).toContain('fluid.io/s-ml-good');
  expect(ours(at, 'node-1')).not.toContain('fluid.io/s-ml-evil');
  expect(new Set(at.events.filter(({ reason }) => reason === 'NodeNotLabelled').map(({ regarding }) => regarding.name))).toEqual(
    new Set(['evil']),
  );
});

test('a deleted node that the watch still shows is patched once, and delays no runtime', async () => {
  const at = await boundHarness([datasetOn('node-1'), exampleRuntime('demo', { replicas: 1 })]);
  at.server.hold('Node');
  at.server.remove('Node', undefined, 'node-1');
  at.delete('ExampleRuntime');
  await at.quiet();
  expect(patched(at, 'node-1')).toHaveLength(1);
  expect(at.get('ExampleRuntime')).toBeUndefined();
});

describe('nodes are looked at', () => {
  async function watching() {
    const at = await harness({ nodes: 20 });
    serve(at, 'node-2');
    await at.quiet();
    const look = vi.spyOn(at.store, 'node');
    return { at, looked: () => [...new Set(look.mock.calls.map(([name]) => name))] };
  }
  const change = (at: Harness, object: KubeObject, more: object) => at.put({ ...object, ...more });

  test('not when a kubelet reports, nor when a pod becomes ready or not', async () => {
    const { at, looked } = await watching();
    change(at, at.get('Node', 'node-2')!, { status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: 'now' }] } });
    const worker = at.get('Pod', 'demo-worker-0')!;
    change(at, worker, { status: { ...(worker['status'] as object), conditions: [{ type: 'Ready', status: 'False' }] } });
    await at.advance(10_000);
    expect(looked()).toEqual([]);
  });

  test('one by one when their labels change, and mended', async () => {
    const { at, looked } = await watching();
    const { metadata } = at.get('Node', 'node-2')!;
    const { 'fluid.io/s-ml-demo': _, ...left } = metadata.labels ?? {};
    change(at, at.get('Node', 'node-2')!, { metadata: { ...metadata, labels: left } });
    await at.advance(10_000);
    expect(labels(at, 'node-2')).toHaveProperty('fluid.io/s-ml-demo', 'true');
    expect(looked()).toEqual(['node-2']);
  });

  test('where a worker was, when it goes', async () => {
    const { at, looked } = await watching();
    at.edit('ExampleRuntime', { replicas: 0 });
    await at.quiet();
    expect(ours(at, 'node-2')).toEqual([]);
    expect(looked()).toEqual(['node-2']);
  });

  test('all of them after a restart: labels that remained are removed', async () => {
    const { at } = await watching();
    at.kill();
    at.edit('ExampleRuntime', { replicas: 0 });
    at.edit('StatefulSet', { replicas: 0 }, 'demo-worker');
    at.controllers.settle();
    expect(ours(at, 'node-2')).toContain('fluid.io/s-ml-demo');
    await at.restart();
    await at.quiet();
    expect(ours(at, 'node-2')).toEqual([]);
  });
});
