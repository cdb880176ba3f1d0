import { DataBackup } from './data-backup.ts';
import { DataLoad } from './data-load.ts';
import { DataMigrate } from './data-migrate.ts';
import { DataProcess } from './data-process.ts';
import type { CustomResource } from './resource.ts';

/** The kinds of operations that the controller reconciles. */
export const operationKinds: readonly CustomResource[] = [DataLoad, DataMigrate, DataProcess, DataBackup];
