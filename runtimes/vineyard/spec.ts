import * as fields from '../../src/api/fields.ts';
import { ageColumn, type CustomResource, type Resource } from '../../src/api/resource.ts';
import { nameRule, replicasRule, shortNameRule } from '../../src/api/rules.ts';
import {
  cleanPolicy,
  encryptOption,
  imageFields,
  int32,
  networkMode,
  opt,
  podMetadata,
  type Static,
  stringMap,
  t,
  tieredStore,
} from '../../src/api/schema.ts';
import { podColumns, type RuntimeStatus, scalableRuntime } from '../../src/api/status.ts';

const podFields = {
  ...imageFields,
  env: opt(stringMap('Environment of the container.')),
  networkMode: opt(networkMode),
  resources: opt(fields.resources),
  podMetadata: opt(podMetadata),
};
const serverFields = {
  ...podFields,
  nodeSelector: opt(fields.nodeSelector),
  volumeMounts: opt(fields.volumeMounts),
};

const endpoint = t.Object(
  {
    uri: opt(t.String({ description: 'Addresses of etcd, separated by commas: http://etcd.example:2379.' })),
    encryptOptions: opt(t.Array(encryptOption, { description: 'Not used: Vineyard has no credentials for etcd.' })),
    options: opt(stringMap('Not used: Vineyard has no options of etcd.')),
  },
  { description: 'An etcd that exists, in place of masters.' },
);

export const vineyardRuntimeSpec = t.Object(
  {
    master: opt(
      t.Object(
        {
          ...serverFields,
          replicas: opt(int32({ minimum: 1, description: 'Members of etcd; default 1. An odd number survives the loss of a minority.' })),
          options: opt(stringMap('Not used: etcd has settings in its environment.')),
          ports: opt(t.Record(t.String(), t.Integer(), { description: 'Ports client and peer, with ContainerNetwork.' })),
          endpoint: opt(endpoint),
        },
        { description: 'An etcd, which knows where each object is.' },
      ),
    ),
    worker: opt(
      t.Object(
        {
          ...serverFields,
          replicas: opt(int32({ minimum: 1, description: 'Not used: see spec.replicas.' })),
          options: opt(stringMap('Options vineyardd.reserve.memory, etcd.prefix and wait.etcd.timeout.')),
          ports: opt(t.Record(t.String(), t.Integer(), { description: 'Port rpc, with ContainerNetwork.' })),
        },
        { description: 'Servers, which hold the objects in memory.' },
      ),
    ),
    replicas: opt(int32({ description: 'Workers wanted.' })),
    fuse: opt(
      t.Object(
        {
          ...podFields,
          options: opt(stringMap('Options of the client, such as size: memory of a server of its own. 0 means none.')),
          cleanPolicy: opt(cleanPolicy),
        },
        { description: 'Pods that give applications the socket of the server on their node.' },
      ),
    ),
    tieredstore: opt(tieredStore),
    disablePrometheus: opt(t.Boolean({ description: 'Not used: there are no metrics.' })),
    podMetadata: opt(podMetadata),
    volumes: opt(fields.volumes),
  },
  { description: 'Where objects are kept.' },
);
export type VineyardRuntimeSpec = Static<typeof vineyardRuntimeSpec>;

/** Vineyard: objects in shared memory, which applications on a node read without a copy. */
export const VineyardRuntime = {
  ...scalableRuntime,
  kind: 'VineyardRuntime',
  plural: 'vineyardruntimes',
  shortNames: ['v6d'],
  description: 'Serves the dataset of the same name by Vineyard.',
  columns: [
    ...podColumns.master,
    ...podColumns.worker,
    ...podColumns.fuse,
    { name: 'API Gateway', type: 'string', jsonPath: '.status.apiGateway.endpoint', priority: 10 },
    ageColumn,
  ],
  spec: vineyardRuntimeSpec,
  rules: [nameRule, shortNameRule, replicasRule],
} as const satisfies CustomResource;
export type VineyardRuntime = Resource<VineyardRuntimeSpec, RuntimeStatus>;
