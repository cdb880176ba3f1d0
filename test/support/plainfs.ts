/** A class of caches whose program is the stand-in of src/playground/engines/cache.ts. */
import type { CacheRuntimeClassSpec } from '../../runtimes/cache/class-spec.ts';
import type { KubeObject } from '../../src/kube/types.ts';

const component = (name: string) => ({
  template: { spec: { containers: [{ name, image: `registry.example/plainfs-${name}:1` }] } },
  service: { headless: {} },
});
const { service: _, ...client } = component('client');

export const plainfs = {
  fileSystemType: 'plainfs',
  topology: {
    master: {
      ...component('master'),
      options: { journal: '/journal' },
      dependencies: { extraResources: { configMaps: [{ name: 'scripts', mountPath: '/scripts' }] } },
      executionEntries: { mountUFS: { command: ['plainfs', 'mount', '/data'] }, reportSummary: { command: ['plainfs', 'summary'] } },
    },
    worker: component('worker'),
    client,
  },
  extraResources: { configMaps: [{ name: 'scripts', data: { 'start.sh': 'exec plainfs' } }] },
  dataOperationSpecs: [{ name: 'DataLoad' as const, command: ['plainfs', 'load'] }],
} satisfies CacheRuntimeClassSpec;

/** A class's fields stand beside `metadata`. */
export const cacheClass = (name: string, spec: CacheRuntimeClassSpec = plainfs): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'CacheRuntimeClass',
  metadata: { name },
  ...spec,
});
