import {
  type CustomResource,
  fields,
  nameRule,
  opt,
  replicasRule,
  runtimeStatus,
  shortNameRule,
  t,
  tieredStore,
  versionSpec,
} from '../../../../api/index.ts';

const newFsRuntimeSpec = t.Object(
  {
    version: opt(versionSpec),
    replicas: opt(t.Integer({ format: 'int32', default: 1, description: 'Workers wanted.' })),
    tieredstore: opt(tieredStore),
    options: opt(fields.options),
    resources: opt(fields.resources),
  },
  { description: 'How NewFs is mounted and cached.' },
);
export type NewFsRuntimeSpec = t.Static<typeof newFsRuntimeSpec>;

export const NewFsRuntime = {
  kind: 'NewFsRuntime',
  plural: 'newfsruntimes',
  shortNames: ['new-fs'],
  categories: ['fluid'],
  namespaced: true,
  description: 'Serves the dataset of the same name by NewFs.',
  columns: [
    { name: 'Worker Phase', type: 'string', jsonPath: '.status.workerPhase' },
    { name: 'Fuse Phase', type: 'string', jsonPath: '.status.fusePhase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  scale: { selector: true },
  statusSubresource: true,
  spec: newFsRuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule, shortNameRule, replicasRule],
} as const satisfies CustomResource;
