import { type Static, Type } from 'typebox';
import * as fields from './fields.ts';
import * as k8s from './k8s.ts';
import { ageColumn, type CustomResource, type Resource } from './resource.ts';
import { nameRule, plainNameRule, replicasRule, shortNameWithWorkerRule } from './rules.ts';
import {
  cleanPolicy,
  described,
  imageFields,
  int32,
  networkMode,
  opt,
  podMetadata,
  runtimeManagement,
  tieredStore,
  user,
} from './schema.ts';
import { runtimeStatus } from './status.ts';

const containerFields = {
  ...imageFields,
  imagePullSecrets: opt(fields.imagePullSecrets),
  ports: opt(fields.ports),
  env: opt(fields.env),
  resources: opt(fields.resources),
  nodeSelector: opt(fields.nodeSelector),
  networkMode: opt(networkMode),
  volumeMounts: opt(fields.volumeMounts),
  livenessProbe: opt(described(k8s.Probe, 'Restarts the container when it fails.')),
  readinessProbe: opt(described(k8s.Probe, 'Says whether the container is ready.')),
};

export const thinWorker = Type.Object(
  {
    ...containerFields,
    enabled: opt(Type.Boolean({ description: 'Whether there are workers; none by default.' })),
    replicas: opt(int32({ minimum: 1, description: 'Not used: see spec.replicas.' })),
  },
  { description: 'Pods that hold cached data, for file systems that have such.' },
);
export type ThinWorkerSpec = Static<typeof thinWorker>;

export const thinFuse = Type.Object(
  {
    ...containerFields,
    command: opt(Type.Array(Type.String(), { description: 'Replaces the entry point of the image.' })),
    args: opt(Type.Array(Type.String(), { description: 'Arguments of the entry point.' })),
    options: opt(fields.options),
    cleanPolicy: opt(cleanPolicy),
    lifecycle: opt(described(k8s.Lifecycle, 'What runs after the container starts and before it stops.')),
    podMetadata: opt(podMetadata),
  },
  { description: 'Pods that mount the file system on the nodes of its users.' },
);
export type ThinFuseSpec = Static<typeof thinFuse>;

export const thinRuntimeSpec = Type.Object(
  {
    profileName: opt(Type.String({ description: 'ThinRuntimeProfile to start from; empty for a dataset that refers to another one.' })),
    worker: opt(thinWorker),
    fuse: opt(thinFuse),
    tieredstore: opt(tieredStore),
    replicas: opt(int32({ description: 'Workers wanted.' })),
    runAs: opt(described(user, 'User that the engine runs as.')),
    disablePrometheus: opt(Type.Boolean({ description: 'Do not offer metrics to Prometheus.' })),
    volumes: opt(fields.volumes),
    management: opt(runtimeManagement),
    imagePullSecrets: opt(fields.imagePullSecrets),
  },
  { description: 'What differs from the profile, key by key.' },
);
export type ThinRuntimeSpec = Static<typeof thinRuntimeSpec>;

export const thinRuntimeProfileSpec = Type.Object(
  {
    fileSystemType: Type.String({ description: 'Name of the file system, as it appears in the volume.' }),
    imagePullSecrets: opt(fields.imagePullSecrets),
    worker: opt(thinWorker),
    fuse: opt(thinFuse),
    volumes: opt(fields.volumes),
    nodePublishSecretPolicy: opt(
      Type.Enum(['NotMountNodePublishSecret', 'MountNodePublishSecretIfExists', 'CopyNodePublishSecretAndMountIfNotExists'], {
        default: 'MountNodePublishSecretIfExists',
        description: "What becomes of the node-publish secret of a pvc:// mount's volume.",
      }),
    ),
  },
  { description: 'What the runtimes of a file system have in common.' },
);
export type ThinRuntimeProfileSpec = Static<typeof thinRuntimeProfileSpec>;

/** Any FUSE file system, given by its image. */
export const ThinRuntime = {
  kind: 'ThinRuntime',
  plural: 'thinruntimes',
  namespaced: true,
  description: 'Serves the dataset of the same name by any FUSE file system that has an image.',
  columns: [
    { name: 'Worker Phase', type: 'string', jsonPath: '.status.workerPhase' },
    { name: 'Fuse Phase', type: 'string', jsonPath: '.status.fusePhase' },
    ageColumn,
  ],
  statusSubresource: true,
  spec: thinRuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule, shortNameWithWorkerRule, replicasRule],
} as const satisfies CustomResource;
export type ThinRuntime = Resource<ThinRuntimeSpec, Static<typeof runtimeStatus>>;

/** Defaults for every ThinRuntime that names it. */
export const ThinRuntimeProfile = {
  kind: 'ThinRuntimeProfile',
  plural: 'thinruntimeprofiles',
  namespaced: false,
  description: 'What the ThinRuntimes of one file system have in common.',
  statusSubresource: true,
  spec: thinRuntimeProfileSpec,
  status: Type.Object({}, { description: 'Nothing yet.' }),
  rules: [plainNameRule],
} as const satisfies CustomResource;
export type ThinRuntimeProfile = Resource<ThinRuntimeProfileSpec, Record<never, never>>;
