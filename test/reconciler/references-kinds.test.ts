import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import cache from '../../runtimes/cache/index.ts';
import efc from '../../runtimes/efc/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { documents, GOLDENS, hasGoldens } from '../upstream/cases.ts';
import { type Harness, harness } from './harness.ts';

const RUNTIMES = [thin, juicefs, jindo, efc, vineyard, cache];
type Volume = KubeObject & { readonly spec: { readonly csi: { readonly volumeAttributes: Readonly<Record<string, string>> } } };
const attributesOf = (at: Harness, name: string) =>
  (at.server.get('PersistentVolume', undefined, name) as Volume | undefined)?.spec.csi.volumeAttributes;

describe.skipIf(!hasGoldens)('a reference to a Dataset that Fluid has served', () => {
  test.each([
    ['EFCRuntime', 'efc/basic', { efc_sessmgr_workdir: '/runtime-mnt/efc-sock' }],
    ['VineyardRuntime', 'vineyard/default', { node_publish_method: 'symlink' }],
    ['JindoRuntime', 'jindo/master-disabled', {}],
    ['JuiceFSRuntime', 'juicefs/ce-emptydir', {}],
  ])('by a %s leads to where that one leads, with all that the node plugin needs, and has its figures', async (kind, name, attributes) => {
    const at = await harness({ runtimes: RUNTIMES });
    for (const object of documents(join(GOLDENS, name, 'input.yaml'))) at.server.put(object as KubeObject);
    const [source] = at.server.all('Dataset') as [KubeObject];
    const { name: called, namespace = '', annotations } = source.metadata;
    at.server.put({ ...source, metadata: { ...source.metadata, annotations: { ...annotations, 'data.fluid.io/shared-with': 'ml' } } });
    at.put(write.datasetObject('demo', { mounts: [{ mountPoint: `dataset://${namespace}/${called}/train` }] }));
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(attributesOf(at, 'ml-demo')).toEqual({
      ...attributesOf(at, `${namespace}-${called}`),
      ...attributes,
      fluid_sub_path: 'train',
    });
    const { status } = at.server.get(kind, namespace, called) as KubeObject & { status: object };
    const { workerPhase, fusePhase, workerNumberReady = 0 } = status as Record<string, unknown>;
    expect(at.runtime()).toMatchObject({ workerPhase, fusePhase, workerNumberReady });
    expect(Object.keys(at.conditions('ThinRuntime'))).toEqual(['Synced']);
  });
});

test('a reference to a Dataset that a CacheRuntime serves leads to where that one leads', async () => {
  const at = await harness({ runtimes: RUNTIMES });
  at.put(write.plainClass('worker', 'client'));
  at.put(write.openDataset('source'));
  at.put(write.cacheRuntime('source', { runtimeClassName: 'plain' }));
  at.put(write.datasetObject('demo', { mounts: [{ mountPoint: 'dataset://ml/source' }] }));
  await at.quiet();
  expect(at.dataset().phase).toBe('Bound');
  expect(attributesOf(at, 'ml-demo')).toEqual(attributesOf(at, 'ml-source'));
  expect(at.runtime()).toMatchObject({ workerPhase: 'Ready', workerNumberReady: 1 });
});
