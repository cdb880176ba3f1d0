import * as fields from '../../src/api/fields.ts';
import { ageColumn, type CustomResource, type Resource } from '../../src/api/resource.ts';
import { nameRule, replicasRule, shortNameRule } from '../../src/api/rules.ts';
import {
  cleanCachePolicy,
  cleanPolicy,
  described,
  int32,
  networkMode,
  opt,
  podMetadata,
  type Static,
  stringMap,
  t,
  tieredStore,
  versionSpec,
} from '../../src/api/schema.ts';
import { podColumns, type RuntimeStatus, scalableRuntime } from '../../src/api/status.ts';

const podFields = {
  version: opt(versionSpec),
  properties: opt(stringMap('Options of this component of EFC; they win over the defaults.')),
  resources: opt(fields.resources),
  nodeSelector: opt(fields.nodeSelector),
  networkMode: opt(networkMode),
  podMetadata: opt(podMetadata),
};

const component = t.Object({
  ...podFields,
  replicas: opt(int32({ minimum: 1, description: 'Masters wanted. Of workers, see spec.replicas.' })),
  ports: opt(t.Record(t.String(), t.Integer(), { description: 'Not used: ports of the node are allocated.' })),
  disabled: opt(t.Boolean({ description: 'Run without this component.' })),
});

export const efcRuntimeSpec = t.Object(
  {
    master: opt(described(component, 'Keeps the session with the file system.')),
    worker: opt(described(component, 'Pods that hold the cache.')),
    fuse: opt(
      t.Object(
        { ...podFields, cleanPolicy: opt(cleanPolicy) },
        { description: 'Pods that mount the file system on the nodes of its users.' },
      ),
    ),
    initFuse: opt(t.Object({ version: opt(versionSpec) }, { description: 'Not used: nodes are prepared by the session manager.' })),
    tieredstore: opt(tieredStore),
    replicas: opt(int32({ description: 'Workers wanted.' })),
    osAdvise: opt(
      t.Object(
        {
          osVersion: opt(t.String({ description: 'Operating system of the nodes.' })),
          enabled: opt(t.Boolean({ description: 'Whether nodes are tuned.' })),
        },
        { description: 'Not used.' },
      ),
    ),
    cleanCachePolicy: opt(cleanCachePolicy),
    podMetadata: opt(podMetadata),
  },
  { description: 'How the file system is mounted and cached.' },
);
export type EFCRuntimeSpec = Static<typeof efcRuntimeSpec>;

/** EFC: a client of Alibaba Cloud NAS and CPFS on each node that reads, and workers that hold what was read. */
export const EFCRuntime = {
  ...scalableRuntime,
  kind: 'EFCRuntime',
  plural: 'efcruntimes',
  shortNames: ['efc'],
  description: 'Serves the dataset of the same name by EFC.',
  columns: [...podColumns.master, ...podColumns.worker, ...podColumns.fuse, ageColumn],
  spec: efcRuntimeSpec,
  rules: [nameRule, shortNameRule, replicasRule],
} as const satisfies CustomResource;
export type EFCRuntime = Resource<EFCRuntimeSpec, RuntimeStatus>;
