import * as fields from '../../src/api/fields.ts';
import { ageColumn, type CustomResource, type Resource } from '../../src/api/resource.ts';
import { nameRule, replicasRule, shortName } from '../../src/api/rules.ts';
import {
  cleanCachePolicy,
  cleanPolicy,
  described,
  imageFields,
  int32,
  networkMode,
  opt,
  podMetadata,
  type Static,
  stringMap,
  t,
  tieredStore,
  user,
  versionSpec,
} from '../../src/api/schema.ts';
import { podColumns, type RuntimeStatus, scalableRuntime } from '../../src/api/status.ts';

const containerFields = {
  env: opt(stringMap('Environment of the container.')),
  resources: opt(fields.resources),
  properties: opt(stringMap('Properties of this component of Jindo; they win over the defaults.')),
  nodeSelector: opt(fields.nodeSelector),
  tolerations: opt(fields.tolerations),
  labels: opt(stringMap('Labels of the pods; deprecated, write podMetadata.labels.')),
  podMetadata: opt(podMetadata),
  imagePullSecrets: opt(fields.imagePullSecrets),
};

const component = t.Object({
  ...containerFields,
  replicas: opt(int32({ minimum: 1, description: 'Masters: 1 or 3. Of workers, see spec.replicas.' })),
  ports: opt(t.Record(t.String(), t.Integer(), { description: 'Not used: ports of the node are allocated.' })),
  volumeMounts: opt(fields.volumeMounts),
  disabled: opt(t.Boolean({ description: 'Run without this component. Without master and worker, clients read the store directly.' })),
});

export const jindoRuntimeSpec = t.Object(
  {
    jindoVersion: opt(versionSpec),
    master: opt(described(component, 'Keeps the metadata and the table of mounts.')),
    worker: opt(described(component, 'Pods that hold the cache.')),
    fuse: opt(
      t.Object(
        {
          ...containerFields,
          ...imageFields,
          args: opt(t.Array(t.String(), { description: 'Arguments of the client, in place of the default ones.' })),
          cleanPolicy: opt(cleanPolicy),
          disabled: opt(t.Boolean({ description: 'Not used.' })),
          logConfig: opt(stringMap('Settings of the log of the client, such as logger.level.')),
          metrics: opt(
            t.Object(
              {
                enabled: opt(t.Boolean({ description: 'Offer the metrics of the client at a port.' })),
                scrapeTarget: opt(
                  t.String({ description: 'Which clients Prometheus reads: None, or All, MountPod and Sidecar separated by commas.' }),
                ),
              },
              { description: 'Metrics of the client.' },
            ),
          ),
        },
        { description: 'Pods that mount the file system on the nodes of its users.' },
      ),
    ),
    properties: opt(stringMap('Not used: write properties of master, worker and fuse.')),
    tieredstore: opt(tieredStore),
    replicas: opt(int32({ description: 'Workers wanted.' })),
    networkmode: opt(networkMode),
    user: opt(t.String({ description: 'Name of the user that Jindo runs as.' })),
    runAs: opt(described(user, 'Not used.')),
    secret: opt(t.String({ description: 'Secret whose keys, such as AccessKeyId, are the credentials for the store.' })),
    hadoopConfig: opt(t.String({ description: 'ConfigMap with hdfs-site.xml, core-site.xml or both.' })),
    logConfig: opt(stringMap('Settings of the logs of masters and workers, such as logger.level.')),
    volumes: opt(fields.volumes),
    labels: opt(stringMap('Labels of all pods; deprecated, write podMetadata.labels.')),
    podMetadata: opt(podMetadata),
    cleanCachePolicy: opt(cleanCachePolicy),
    imagePullSecrets: opt(fields.imagePullSecrets),
  },
  { description: 'How the file system is mounted and cached.' },
);
export type JindoRuntimeSpec = Static<typeof jindoRuntimeSpec>;

/** Jindo: masters that keep the mounts, workers that hold what was read, a client on each node that reads. */
export const JindoRuntime = {
  ...scalableRuntime,
  kind: 'JindoRuntime',
  plural: 'jindoruntimes',
  shortNames: ['jindo'],
  description: 'Serves the dataset of the same name by Jindo.',
  columns: [...podColumns.master, ...podColumns.worker, ...podColumns.fuse, ageColumn],
  spec: jindoRuntimeSpec,
  rules: [nameRule, shortName('jindofs-worker'), replicasRule],
} as const satisfies CustomResource;
export type JindoRuntime = Resource<JindoRuntimeSpec, RuntimeStatus>;
