import {
  type CustomResource,
  fields,
  nameRule,
  opt,
  replicasRule,
  runtimeStatus,
  shortNameRule,
  type Static,
  t,
  versionSpec,
} from '@sluice-data/sluice/api';

const mooseFSRuntimeSpec = t.Object(
  {
    version: opt(versionSpec),
    replicas: opt(
      t.Integer({ format: 'int32', default: 2, description: 'Chunk servers. MooseFS keeps two copies of each chunk, if there are two.' }),
    ),
    dataDir: opt(t.String({ default: '/var/lib/moosefs', description: 'Directory of the nodes for metadata and chunks.' })),
    options: opt(fields.options),
    resources: opt(fields.resources),
  },
  { description: 'A MooseFS of its own for one Dataset.' },
);
export type MooseFSRuntimeSpec = Static<typeof mooseFSRuntimeSpec>;

export const MooseFSRuntime = {
  kind: 'MooseFSRuntime',
  plural: 'moosefsruntimes',
  shortNames: ['moosefs'],
  categories: ['fluid'],
  namespaced: true,
  description: 'Serves the Dataset of the same name by a MooseFS of its own. A DataLoad fills it from web servers.',
  columns: [
    { name: 'Master Phase', type: 'string', jsonPath: '.status.masterPhase' },
    { name: 'Worker Phase', type: 'string', jsonPath: '.status.workerPhase' },
    { name: 'Fuse Phase', type: 'string', jsonPath: '.status.fusePhase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  scale: { selector: true },
  statusSubresource: true,
  spec: mooseFSRuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule, shortNameRule, replicasRule],
} as const satisfies CustomResource;
