/** A CacheRuntime as Fluid sets it up: its pods are those of AdvancedStatefulSets, and none has the label by which pods are watched. */
import cache from '../../../runtimes/cache/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { ApiServer } from '../../../src/api-server/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { memoryExec } from '../../support/memory-exec.ts';
import { cacheRuntime, datasetObject } from '../../support/objects.ts';
import { cacheClass } from '../../support/plainfs.ts';
import { demo, harness } from '../harness.ts';

const { group, version, kind } = cache.fluidsWorkloads!;
export const ADVANCED = kind;

/** As Fluid's controller of that kind would create it, with its pods. */
export function putAdvanced(server: ApiServer, runtime: KubeObject, component: 'master' | 'worker', replicas: number): void {
  const name = `demo-${component}`;
  const labels = { 'cacheruntime.fluid.io/component-name': name, 'cacheruntime.fluid.io/name': 'demo' };
  const owner = { apiVersion: runtime.apiVersion, kind: 'CacheRuntime', name: 'demo', uid: runtime.metadata.uid ?? '', controller: true };
  const containers = [{ name: component, image: 'registry.example/plainfs:1' }];
  const template = { metadata: { labels }, spec: { containers } };
  const set = server.put({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: demo.namespace, labels, ownerReferences: [owner] },
    spec: { replicas, selector: { matchLabels: labels }, serviceName: `svc-${name}`, template },
  } as KubeObject);
  for (let i = 0; i < replicas; i++)
    server.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${i}`,
        namespace: demo.namespace,
        labels,
        ownerReferences: [
          { apiVersion: set.apiVersion, kind, name, uid: set.metadata.uid ?? '', controller: true, blockOwnerDeletion: true },
        ],
      },
      spec: { containers, nodeName: `node-${i + 1}` },
    } as KubeObject);
}

/** A Cache that Fluid has set up. Its controller is stopped, and ours has not begun. */
export async function fluidsCache(exec = memoryExec()) {
  const at = await harness({ runtimes: [cache, thin], probeMs: 60_000, fluidsWorkloads: true, exec: exec.exec });
  at.put(cacheClass('plain'));
  const conditions = [{ type: 'Ready', status: 'True', reason: 'DatasetReady' }];
  const mounts = [{ mountPoint: 's3://data', name: 'data' }];
  at.put({
    ...datasetObject('demo', { placement: 'Exclusive', mounts }),
    status: {
      phase: 'Bound',
      mounts,
      conditions,
      runtimes: [{ name: 'demo', namespace: demo.namespace, type: 'cache', category: 'Accelerate' }],
    },
  } as KubeObject);
  const runtime = at.put({
    ...cacheRuntime('demo', { runtimeClassName: 'plain', worker: { replicas: 2 } }),
    status: { mountTime: '2026-01-02T03:04:05Z' },
  } as KubeObject);
  putAdvanced(at.server, runtime, 'master', 1);
  putAdvanced(at.server, runtime, 'worker', 2);
  await at.settle();
  return { at, exec };
}
