import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Manifest } from '../../../../src/api/index.ts';
import type { KubeClient, ListOptions } from '../../../../src/kube/contract.ts';
import { ApiError } from '../../../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../../src/kube/types.ts';
import { withNodesInUse } from '../../../../src/reconciler/kubernetes/apply/fuse-nodes.ts';
import type { LiveObject } from '../../../../src/reconciler/world.ts';
import { reader } from '../../../support/objects.ts';

const LABEL = { 'fluid.io/f-ml-demo': 'true' };
const fuse = (nodeSelector: object): Manifest & LiveObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'demo-fuse', namespace: 'ml', uid: 'u', resourceVersion: '1' },
  spec: { template: { metadata: {}, spec: { containers: [], nodeSelector } } },
});
function pod(name: string, claim: string): KubeObject {
  const { spec, ...rest } = reader(name, claim);
  return { ...rest, spec: { ...(spec as object), nodeName: 'node-1' }, status: { phase: 'Running' } };
}

/** A namespace of so many pages of pods, the last pod of all being a reader. */
function server(pages: number, onPage: (page: number) => unknown = () => {}) {
  const list = async (_: ResourceType, { limit, continue: from = '0' }: ListOptions = {}) => {
    const page = Number(from);
    await onPage(page);
    const items = Array.from({ length: limit ?? 100_000 }, (_, i) => pod(`other-${page}-${i}`, 'other'));
    const isLast = page === pages - 1 || limit === undefined;
    if (isLast) items.push(pod('app', 'demo'));
    held.push(...items.map((item) => new WeakRef(item)));
    return { items, resourceVersion: '1', ...(!isLast && { continue: String(page + 1) }) };
  };
  const held: WeakRef<KubeObject>[] = [];
  const get = async (_: ResourceType, { name }: { name: string }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: LABEL },
  });
  const client = { list, get } as unknown as KubeClient;
  const store = { node: (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: LABEL } }) };
  const waiting = () =>
    withNodesInUse(client, store, { namespace: 'ml', name: 'demo' }, fuse({ ...LABEL, disk: 'ssd' }), fuse(LABEL)).then(
      (result) => result.waiting?.nodes,
    );
  return { held, waiting };
}
const inUse = [{ name: 'node-1', pods: ['app'] }];

test('no more than two pages of the pods of a namespace are in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let most = 0;
  let size = 0;
  let before = 0;
  const { held, waiting } = server(8, async () => {
    // A reference that was just made lives until the end of the turn.
    await setImmediate();
    collect();
    most = Math.max(most, held.filter((each) => each.deref()).length);
    size = Math.max(size, held.length - before);
    before = held.length;
  });
  expect(await waiting()).toEqual(inUse);
  expect(most).toBeLessThanOrEqual(2 * size);
});

test('no more than two pages are in memory when the list expires on the way', async () => {
  let isForgotten = false;
  const { held, waiting } = server(3, (page) => {
    if (page === 0 || isForgotten) return;
    isForgotten = true;
    throw new ApiError({ method: 'GET', path: 'pods' }, 410, 'too old');
  });
  expect(await waiting()).toEqual(inUse);
  expect(held.length).toBeLessThan(10_000);
});
