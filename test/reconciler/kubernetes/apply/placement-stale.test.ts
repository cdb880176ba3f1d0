import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { openDataset, reader, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness } from '../../harness.ts';

describe('an edit of where fuse pods may be, while the watch of nodes hangs,', () => {
  const bound = () => boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  const labelled = (at: Harness, labels: Record<string, string>, hangs = true) => {
    if (hangs) at.server.hold('Node');
    const node = at.get('Node', 'node-1')!;
    at.put({ ...node, metadata: { ...node.metadata, labels: { 'kubernetes.io/hostname': 'node-1', ...labels } } });
  };
  const FUSE = { 'fluid.io/f-ml-demo': 'true' };
  const readOn = (at: Harness, nodeName: string): KubeObject => {
    const pod = reader('app', 'demo');
    return at.put({ ...pod, spec: { ...(pod['spec'] as object), nodeName } });
  };
  const edited = async (at: Harness) => {
    at.edit('ThinRuntime', { fuse: { nodeSelector: { disk: 'ssd' } } });
    await at.settle();
    await at.advance(3_000);
  };

  test('takes no client from a node that got its label a moment ago (A12)', async () => {
    const at = await bound();
    labelled(at, FUSE);
    readOn(at, 'node-1');
    await at.settle();
    const uid = at.get('Pod', 'demo-fuse-node-1')?.metadata.uid;
    expect(uid).toBeDefined();
    await edited(at);
    expect(at.get('Pod', 'demo-fuse-node-1')?.metadata.uid).toBe(uid);
    expect(at.conditions('ThinRuntime')['PlacementWaiting']).toContain('node-1 (app)');
  });

  test('takes none from a node that has lost what the new placement asks for (A12)', async () => {
    const at = await bound();
    labelled(at, { ...FUSE, disk: 'ssd' }, false);
    readOn(at, 'node-1');
    await at.settle();
    labelled(at, FUSE);
    const uid = at.get('Pod', 'demo-fuse-node-1')?.metadata.uid;
    await edited(at);
    expect(at.get('Pod', 'demo-fuse-node-1')?.metadata.uid).toBe(uid);
  });

  test('keeps a node for a pod that was scheduled to it and does not have the volume yet (A12)', async () => {
    const at = await bound();
    readOn(at, 'node-1');
    await edited(at);
    labelled(at, FUSE, false);
    await at.settle();
    expect(at.get('Pod', 'demo-fuse-node-1')).toBeDefined();
  });

  test('takes the client from a node in use once the runtime asks for the placement at once (A12)', async () => {
    const at = await bound();
    labelled(at, FUSE);
    readOn(at, 'node-1');
    await edited(at);
    expect(at.get('Pod', 'demo-fuse-node-1')).toBeDefined();
    const runtime = at.get('ThinRuntime')!;
    at.put({ ...runtime, metadata: { ...runtime.metadata, annotations: { 'data.fluid.io/fuse-placement': 'now' } } });
    await at.advance(3_000);
    expect(at.get('Pod', 'demo-fuse-node-1')).toBeUndefined();
    expect(at.conditions('ThinRuntime')['PlacementWaiting'] ?? '').not.toContain('True');
  });

  test('waits for no pod on a node that is gone (A12)', async () => {
    const at = await bound();
    readOn(at, 'node-1');
    at.server.hold('Node');
    at.server.remove('Node', undefined, 'node-1');
    await edited(at);
    expect(at.conditions('ThinRuntime')['PlacementWaiting'] ?? '').not.toContain('True');
  });
});
