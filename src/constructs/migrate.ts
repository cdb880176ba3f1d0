import { type DataMigrateSpec, type MigrateEnd, type parallelOptionNames, shown } from '../api/index.ts';
import { type ReasonedFault, refusal } from './faults.ts';

/** Faults of a DataMigrate that can be found without an engine. */
export function migrateFaults(spec: DataMigrateSpec): readonly ReasonedFault[] {
  const faults: ReasonedFault[] = [];
  for (const field of ['from', 'to'] as const) {
    const { dataset, externalStorage }: MigrateEnd = spec[field];
    if (!dataset?.name && !externalStorage?.uri)
      faults.push({ path: `spec.${field}`, expected: 'a dataset or an externalStorage', found: 'neither' });
  }
  if (faults.length === 0 && !spec.to.dataset?.name && !spec.from.dataset?.name)
    faults.push({ path: 'spec', expected: 'a dataset in from or to, whose runtime does the work', found: 'none' });
  const { parallelism = 1 } = spec;
  if (parallelism > MOST_PODS) faults.push({ path: 'spec.parallelism', expected: `at most ${MOST_PODS}`, found: shown(parallelism) });
  for (const [name, { most }] of Object.entries(NUMBERS)) {
    const value = spec.parallelOptions?.[name];
    if (value !== undefined && !isWithin(value, most))
      faults.push({ path: `spec.parallelOptions.${name}`, expected: `1 to ${most}`, found: shown(value) });
  }
  return faults;
}
type ParallelOption = (typeof parallelOptionNames)[number];
/** Options that are numbers, written as texts. */
const NUMBERS = {
  sshPort: { most: 65_535, default: 22 },
  sshReadyTimeoutSeconds: { most: 86_400, default: 180 },
} as const satisfies { readonly [Name in ParallelOption]?: object };
/** The names of all pods are in one variable. */
const MOST_PODS = 256;
const isWithin = (text: string, most: number): boolean => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most;

/** How the pods of a DataMigrate share the work. */
export interface Parallel {
  /** Pods beside that of the Job. */
  readonly workers: number;
  /** The user's Secret with the keys `ssh-privatekey` and `ssh-publickey`. Without it, keys are made for the operation. */
  readonly secret?: string;
  /** TCP port of their SSH servers. */
  readonly port: number;
  /** How long the Job's pod waits for them, in seconds. */
  readonly readyTimeoutSeconds: number;
}

/**
 * How the pods of a DataMigrate share the work; undefined if one pod does it all.
 * @throws InvalidSpec with every fault that needs no engine to be seen.
 * @example
 * const parallel = (migrate: Operation<'DataMigrate'>) => parallelOf(migrate.spec)?.workers; // → 1, if spec.parallelism is 2
 */
export function parallelOf(spec: DataMigrateSpec): Parallel | undefined {
  const faults = migrateFaults(spec);
  if (faults.length > 0) throw refusal(faults);
  const { parallelism = 1 } = spec;
  if (parallelism <= 1) return undefined;
  const numberOf = (name: keyof typeof NUMBERS): number => Number(optionOf(spec, name) ?? NUMBERS[name].default);
  const secret = optionOf(spec, 'sshSecretName');
  return {
    workers: parallelism - 1,
    port: numberOf('sshPort'),
    readyTimeoutSeconds: numberOf('sshReadyTimeoutSeconds'),
    ...(secret && { secret }),
  };
}

/**
 * Whether keys have to be made for a DataMigrate: several pods share the work, and its user has no Secret for them.
 * @example
 * const needs = ({ spec }: Pick<Operation<'DataMigrate'>, 'spec'>): OperationNeeds => ({ sshKeys: needsSshKeys(spec) });
 */
export const needsSshKeys = (spec: Pick<DataMigrateSpec, 'parallelism' | 'parallelOptions'>): boolean =>
  (spec.parallelism ?? 1) > 1 && !optionOf(spec, 'sshSecretName');

const optionOf = ({ parallelOptions }: Pick<DataMigrateSpec, 'parallelOptions'>, name: ParallelOption): string | undefined =>
  parallelOptions?.[name];
