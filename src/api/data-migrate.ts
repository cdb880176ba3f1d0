import { type Static, Type } from 'typebox';
import { operationColumns, operationKind, type OperationStatus, podFields, whenFields } from './operation.ts';
import type { CustomResource, Resource } from './resource.ts';
import { encryptOption, imageFields, int32, opt, stringMap } from './schema.ts';

const dataset = Type.Object(
  {
    name: Type.String({ description: 'Name of the Dataset.' }),
    namespace: Type.String({ description: 'Namespace of the Dataset: that of the operation, also when empty.' }),
    path: opt(Type.String({ description: 'Path in the Dataset; the whole Dataset when absent.' })),
  },
  { description: 'A Dataset; it wins over externalStorage.' },
);

const externalStorage = Type.Object(
  {
    uri: Type.String({ description: 'Where the data is: pvc://<claim>/<path>, or a URL that the engine knows.' }),
    encryptOptions: opt(Type.Array(encryptOption, { description: 'Credentials, kept in Secrets: access-key, secret-key, token.' })),
  },
  { description: 'A store that no Dataset names.' },
);

/** Names of what `spec.parallelOptions` may have. */
export const parallelOptionNames = ['sshSecretName', 'sshPort', 'sshReadyTimeoutSeconds'] as const;

const end = (description: string) => Type.Object({ dataset: opt(dataset), externalStorage: opt(externalStorage) }, { description });

export const dataMigrateSpec = Type.Object(
  {
    ...imageFields,
    from: end('Where the data is read.'),
    to: end('Where the data is written.'),
    block: opt(Type.Boolean({ description: 'Has no effect.' })),
    runtimeType: opt(Type.String({ description: "Type of the runtime that does the work; the target's, else the source's, when absent." })),
    options: opt(stringMap("Options of the engine's command, by name: of `juicefs sync` for JuiceFS.")),
    parallelism: opt(int32({ default: 1, minimum: 1, description: 'How many pods copy data.' })),
    parallelOptions: opt(stringMap(`Options for more than one pod: ${parallelOptionNames.join(', ')}.`)),
    ...podFields,
    ...whenFields,
  },
  { description: 'Which data to copy, where to, how and when.' },
);
export type DataMigrateSpec = Static<typeof dataMigrateSpec>;
/** Where a DataMigrate reads or writes: `spec.from` or `spec.to`. */
export type MigrateEnd = DataMigrateSpec['from'];

/** The kind DataMigrate: copies data between Datasets and other stores. */
export const DataMigrate = {
  ...operationKind,
  kind: 'DataMigrate',
  plural: 'datamigrates',
  shortNames: ['migrate'],
  categories: ['fluid'],
  description: 'Copies data between Datasets and other stores.',
  columns: operationColumns,
  spec: dataMigrateSpec,
} as const satisfies CustomResource;
export type DataMigrate = Resource<DataMigrateSpec, OperationStatus>;
