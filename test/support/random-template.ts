/** CacheRuntimes and their classes as users write them: any pods, any tiers, and amounts in words that the API server would not use. */
import fc from 'fast-check';
import type { CacheRuntimeClassSpec } from '../../runtimes/cache/class-spec.ts';
import type { CacheRuntimeSpec } from '../../runtimes/cache/spec.ts';
import { podTemplates } from './pod-templates.ts';

export interface RandomCache {
  readonly type: CacheRuntimeClassSpec;
  readonly spec: Omit<CacheRuntimeSpec, 'runtimeClassName'>;
}

const optional = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });

/** Not as the API server prints them. */
const amount = fc.constantFrom('1024Mi', '1.5Gi', '1e9', '1000M', '128974848');
const level = fc.oneof(
  optional({ quota: amount }).map(({ quota = '1Gi' }) => ({ emptyDir: { quota } })),
  amount.map((quota) => ({ emptyDir: { quota, medium: 'Memory' }, high: '0.9', low: '0.5' })),
  fc.array(amount, { minLength: 1, maxLength: 2 }).map((quotas) => ({
    hostPath: { paths: quotas.map((_, i) => `/cache${i}`), quotas, type: 'DirectoryOrCreate' },
  })),
);
const tieredStore = fc
  .tuple(fc.option(amount, { nil: undefined }), fc.array(level, { maxLength: 2 }))
  .map(([quota, levels]) => ({ levels: [...(quota === undefined ? [] : [{ processMemory: { quota } }]), ...levels] }));

const CONFIG = 'config';
/** In place of none at all, which is refused. */
const PLAIN = { name: 'main', image: 'example.io/b:1' };
const componentClass = fc
  .record({
    template: podTemplates,
    headless: fc.boolean(),
    secrets: fc.option(fc.boolean(), { nil: undefined }),
    mountsConfig: fc.boolean(),
  })
  .map(({ template: { spec, ...template }, headless, secrets, mountsConfig }) => ({
    template: { ...template, spec: { ...spec, containers: spec?.containers.length || headless ? spec?.containers : [PLAIN] } },
    ...(headless && { service: { headless: {} } }),
    dependencies: {
      ...(secrets !== undefined && { secretMount: { enabled: secrets } }),
      ...(mountsConfig && { extraResources: { configMaps: [{ name: CONFIG, mountPath: '/templates' }] } }),
    },
  }));

const own = {
  options: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('', '1', '"'), { maxKeys: 2 }),
  podMetadata: fc.constant({ labels: { team: 'ml' }, annotations: { note: 'a b' } }),
  runtimeVersion: fc.constantFrom({ image: 'example.io/x', imageTag: '2' }, { imageTag: '2' }, { imagePullPolicy: 'Always' }),
  resources: fc.constantFrom({}, { limits: { memory: '1.5Gi' }, requests: { memory: '1024Mi' } }, { requests: { cpu: '0.5' } }),
  env: fc.constantFrom([], [{ name: 'A', value: 'own' }], [{ name: 'D', value: '$(FLUID_DATASET_NAME)' }]),
  volumeMounts: fc.constantFrom([], [{ name: 'own', mountPath: '/a' }]),
  args: fc.constantFrom([], ['$(A)']),
  nodeSelector: fc.constant({ zone: 'a' }),
  tolerations: fc.constantFrom([], [{ operator: 'Exists' }]),
};
const runtime = fc.record(
  {
    options: own.options,
    podMetadata: own.podMetadata,
    imagePullSecrets: fc.constantFrom([], [{ name: 'registry' }]),
    master: optional({ ...own, replicas: fc.constantFrom(0, 1, 3) }),
    worker: optional({ ...own, replicas: fc.constantFrom(0, 1, 3), tieredStore }),
    client: optional({ ...own, tieredStore }),
  },
  { requiredKeys: ['master', 'worker', 'client'] },
);

/**
 * Some of them are not valid: a class without containers, or with a client that is not privileged.
 * @example
 * fc.property(randomCaches, ({ type, spec }) => …) // `given({ type, spec })` of test/runtimes/cache/given.ts
 */
export const randomCaches: fc.Arbitrary<RandomCache> = fc
  .tuple(fc.option(componentClass, { nil: undefined }), componentClass, fc.option(componentClass, { nil: undefined }), runtime)
  .map(([master, worker, client, spec]) => ({
    type: {
      topology: { ...(master && { master }), worker, ...(client && { client }) },
      extraResources: { configMaps: [{ name: CONFIG, data: { 'a.conf': '{{ x }}' } }] },
    },
    spec: { ...spec, volumes: [{ name: 'own', emptyDir: { sizeLimit: '1024Mi' } }] },
  }))
  // The cast: what a user leaves out is undefined here, and JSON does not have it.
  .map((random) => JSON.parse(JSON.stringify(random)) as RandomCache);
