import { DataLoad } from './data-load.ts';
import type { CustomResource } from './resource.ts';

/** The kinds of operations that the controller reconciles. */
export const operationKinds: readonly CustomResource[] = [DataLoad];
