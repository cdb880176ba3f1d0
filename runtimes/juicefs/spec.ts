import * as fields from '../../src/api/fields.ts';
import * as k8s from '../../src/api/k8s.ts';
import { ageColumn, type CustomResource, type Resource } from '../../src/api/resource.ts';
import { nameRule, replicasRule, shortNameWithReplicasRule, workerSetNameRule } from '../../src/api/rules.ts';
import {
  cleanPolicy,
  described,
  imageFields,
  initUsers,
  int32,
  networkMode,
  opt,
  podMetadata,
  runtimeManagement,
  type Static,
  t,
  tieredStore,
  user,
  versionSpec,
} from '../../src/api/schema.ts';
import { podColumns, type RuntimeStatus, scalableRuntime } from '../../src/api/status.ts';

const containerFields = {
  env: opt(fields.env),
  resources: opt(fields.resources),
  options: opt(fields.options),
  nodeSelector: opt(fields.nodeSelector),
  networkMode: opt(networkMode),
  volumeMounts: opt(fields.volumeMounts),
  podMetadata: opt(podMetadata),
};

const component = t.Object({
  ...containerFields,
  ports: opt(fields.ports),
  replicas: opt(int32({ minimum: 1, description: 'Not used: see spec.replicas.' })),
  enabled: opt(t.Boolean({ description: 'Not used.' })),
});

export const juiceFSRuntimeSpec = t.Object(
  {
    juicefsVersion: opt(versionSpec),
    initUsers: opt(initUsers),
    master: opt(described(component, 'Not used: JuiceFS has no master.')),
    worker: opt(described(component, 'Pods that hold the cache.')),
    jobWorker: opt(described(component, 'Not used.')),
    fuse: opt(
      t.Object(
        { ...containerFields, ...imageFields, cleanPolicy: opt(cleanPolicy) },
        { description: 'Pods that mount the file system on the nodes of its users.' },
      ),
    ),
    tieredstore: opt(tieredStore),
    configs: opt(t.Array(t.String(), { description: 'More arguments of `juicefs format` (community) or `juicefs auth` (enterprise).' })),
    replicas: opt(int32({ description: 'Workers wanted.' })),
    runAs: opt(described(user, 'User that the engine runs as.')),
    disablePrometheus: opt(t.Boolean({ description: 'Do not offer metrics to Prometheus.' })),
    volumes: opt(fields.volumes),
    volumeClaimTemplates: opt(
      t.Array(k8s.PersistentVolumeClaimTemplate, {
        'x-kubernetes-list-type': 'atomic',
        description: 'A claim of its own for each worker; cannot change once workers exist.',
      }),
    ),
    podMetadata: opt(podMetadata),
    management: opt(runtimeManagement),
    imagePullSecrets: opt(fields.imagePullSecrets),
  },
  { description: 'How the file system is mounted and cached.' },
);
export type JuiceFSRuntimeSpec = Static<typeof juiceFSRuntimeSpec>;

/** JuiceFS, community or enterprise. */
export const JuiceFSRuntime = {
  ...scalableRuntime,
  kind: 'JuiceFSRuntime',
  plural: 'juicefsruntimes',
  shortNames: ['juicefs'],
  description: 'Serves the dataset of the same name by JuiceFS, community or enterprise edition.',
  columns: [...podColumns.worker, ...podColumns.fuse, ageColumn],
  spec: juiceFSRuntimeSpec,
  rules: [nameRule, workerSetNameRule, shortNameWithReplicasRule, replicasRule],
} as const satisfies CustomResource;
export type JuiceFSRuntime = Resource<JuiceFSRuntimeSpec, RuntimeStatus>;
