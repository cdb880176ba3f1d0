import * as fields from '../../src/api/fields.ts';
import { ageColumn, type CustomResource, type Resource } from '../../src/api/resource.ts';
import { nameRule, replicasRule, shortNameRule } from '../../src/api/rules.ts';
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
  stringMap,
  t,
  tieredStore,
  user,
  versionSpec,
} from '../../src/api/schema.ts';
import { podColumns, type RuntimeStatus, scalableRuntime } from '../../src/api/status.ts';

const properties = stringMap('Properties of Alluxio, alluxio.user.block.size.bytes.default for example.');
const jvmOptions = t.Array(t.String(), { description: 'Arguments of the Java virtual machine.' });

const containerFields = {
  env: opt(stringMap('Environment of the container.')),
  resources: opt(fields.resources),
  properties: opt(properties),
  jvmOptions: opt(jvmOptions),
  nodeSelector: opt(fields.nodeSelector),
  networkMode: opt(networkMode),
  volumeMounts: opt(fields.volumeMounts),
  podMetadata: opt(podMetadata),
  imagePullSecrets: opt(fields.imagePullSecrets),
};

const component = t.Object({
  ...containerFields,
  ports: opt(t.Record(t.String(), t.Integer(), { description: 'Ports by name, such as rpc and web.' })),
  replicas: opt(int32({ minimum: 1, description: 'Pods wanted; of workers, see spec.replicas.' })),
  enabled: opt(t.Boolean({ description: 'Read of the API gateway only.' })),
});

export const alluxioRuntimeSpec = t.Object(
  {
    alluxioVersion: opt(versionSpec),
    master: opt(described(component, 'Keeps the metadata and the table of mounts.')),
    jobMaster: opt(
      described(
        component,
        'Hands out jobs, such as loading data. Runs beside the master: env, jvmOptions, ports, properties and resources are read.',
      ),
    ),
    worker: opt(described(component, 'Pods that hold the cache.')),
    jobWorker: opt(
      described(component, 'Does the jobs. Runs beside the worker: env, jvmOptions, ports, properties and resources are read.'),
    ),
    apiGateway: opt(described(component, 'Offers the API over HTTP, beside the master.')),
    initUsers: opt(initUsers),
    fuse: opt(
      t.Object(
        {
          ...containerFields,
          ...imageFields,
          args: opt(t.Array(t.String(), { description: 'Arguments of the client, in place of the default ones.' })),
          cleanPolicy: opt(cleanPolicy),
        },
        { description: 'Pods that mount the file system on the nodes of its users.' },
      ),
    ),
    properties: opt(described(properties, 'Properties of every component of Alluxio; they win over the defaults.')),
    jvmOptions: opt(described(jvmOptions, 'Arguments of every Java virtual machine.')),
    tieredstore: opt(tieredStore),
    data: opt(
      t.Object(
        {
          replicas: opt(int32({ description: 'Copies that the cache keeps of a file at most.' })),
          pin: opt(t.Boolean({ description: 'Not used.' })),
        },
        { description: 'How data is cached.' },
      ),
    ),
    replicas: opt(int32({ description: 'Workers wanted.' })),
    runAs: opt(described(user, 'User that the engine runs as.')),
    disablePrometheus: opt(t.Boolean({ description: 'Do not offer metrics to Prometheus.' })),
    hadoopConfig: opt(t.String({ description: 'ConfigMap with hdfs-site.xml, core-site.xml or both.' })),
    volumes: opt(fields.volumes),
    podMetadata: opt(podMetadata),
    management: opt(runtimeManagement),
    imagePullSecrets: opt(fields.imagePullSecrets),
  },
  { description: 'How the file system is mounted and cached.' },
);
export type AlluxioRuntimeSpec = Static<typeof alluxioRuntimeSpec>;

/** Alluxio: a master that knows every file, workers that hold them, a client on each node that reads. */
export const AlluxioRuntime = {
  ...scalableRuntime,
  kind: 'AlluxioRuntime',
  plural: 'alluxioruntimes',
  shortNames: ['alluxio'],
  description: 'Serves the dataset of the same name by Alluxio.',
  columns: [
    ...podColumns.master,
    ...podColumns.worker,
    ...podColumns.fuse,
    { name: 'API Gateway', type: 'string', jsonPath: '.status.apiGateway.endpoint', priority: 10 },
    ageColumn,
  ],
  spec: alluxioRuntimeSpec,
  rules: [nameRule, shortNameRule, replicasRule],
} as const satisfies CustomResource;
export type AlluxioRuntime = Resource<AlluxioRuntimeSpec, RuntimeStatus>;
