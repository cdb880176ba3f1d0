import { type Static, Type } from 'typebox';
import { operationColumns, operationKind, type OperationStatus, whenFields } from './operation.ts';
import type { Column, CustomResource, Resource } from './resource.ts';
import { described, opt, user } from './schema.ts';

const { runAfter, ttlSecondsAfterFinished } = whenFields;

export const dataBackupSpec = Type.Object(
  {
    // A name, where other kinds have an object: so it is in Fluid's API.
    dataset: opt(Type.String({ description: 'Name of the Dataset, in the same namespace.' })),
    backupPath: opt(Type.String({ description: 'Directory of the backup: pvc://<claim>/<path> or local:///<path>.' })),
    runAs: opt(described(user, 'User that writes the files; that of the runtime when absent.')),
    runAfter,
    ttlSecondsAfterFinished,
  },
  { description: 'Which metadata to back up, and where to.' },
);
export type DataBackupSpec = Static<typeof dataBackupSpec>;

const info = (name: string, key: string): Column => ({ name, type: 'string', jsonPath: `.status.infos.${key}` });
const [phase, age, duration, progress] = operationColumns as [Column, Column, Column, Column];

/** The kind DataBackup: writes the metadata of a Dataset into files, from which a new engine can start. */
export const DataBackup = {
  ...operationKind,
  kind: 'DataBackup',
  plural: 'databackups',
  shortNames: ['backup'],
  categories: ['fluid'],
  description: 'Backs up the metadata of a Dataset.',
  columns: [
    { name: 'Dataset', type: 'string', jsonPath: '.spec.dataset' },
    phase,
    info('Path', 'BackupLocationPath'),
    info('NodeName', 'BackupLocationNodeName'),
    duration,
    age,
    progress,
  ],
  spec: dataBackupSpec,
} as const satisfies CustomResource;
export type DataBackup = Resource<DataBackupSpec, OperationStatus>;
