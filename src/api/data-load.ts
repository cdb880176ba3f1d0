import { type Static, Type } from 'typebox';
import * as fields from './fields.ts';
import { operationColumns, operationKind, type OperationStatus, podFields, targetDataset, whenFields } from './operation.ts';
import type { CustomResource, Resource } from './resource.ts';
import { described, int32, opt } from './schema.ts';

export const dataLoadSpec = Type.Object(
  {
    dataset: opt(targetDataset),
    loadMetadata: opt(Type.Boolean({ description: "Read the store's metadata again before loading." })),
    target: opt(
      Type.Array(
        Type.Object({
          path: Type.String({ description: 'Absolute path in the Dataset.' }),
          replicas: opt(int32({ description: 'Cached copies.' })),
        }),
        { description: 'Paths that are loaded; the whole Dataset when absent.' },
      ),
    ),
    options: opt(described(fields.options, "Options of the engine's load command, by name.")),
    ...podFields,
    ...whenFields,
  },
  { description: 'Which data to load, how and when.' },
);
export type DataLoadSpec = Static<typeof dataLoadSpec>;

/** The kind DataLoad: fills the cache of a Dataset before it is read. */
export const DataLoad = {
  ...operationKind,
  kind: 'DataLoad',
  plural: 'dataloads',
  shortNames: ['load'],
  categories: ['fluid'],
  description: 'Loads data of a Dataset into its cache.',
  columns: [{ name: 'Dataset', type: 'string', jsonPath: '.spec.dataset.name' }, ...operationColumns],
  spec: dataLoadSpec,
} as const satisfies CustomResource;
export type DataLoad = Resource<DataLoadSpec, OperationStatus>;
