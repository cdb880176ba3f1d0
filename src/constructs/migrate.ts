import { type DataMigrateSpec, type MigrateEnd, shown } from '../api/index.ts';
import { type ReasonedFault, refusal } from './faults.ts';

/** What of a DataMigrate can be judged without an engine. */
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
  const { sshPort, sshReadyTimeoutSeconds } = spec.parallelOptions ?? {};
  for (const [name, value, most] of [
    ['sshPort', sshPort, 65_535],
    ['sshReadyTimeoutSeconds', sshReadyTimeoutSeconds, 86_400],
  ] as const)
    if (value !== undefined && !isWithin(value, most))
      faults.push({ path: `spec.parallelOptions.${name}`, expected: `1 to ${most}`, found: shown(value) });
  return faults;
}
/** Their names are in one variable. */
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
  const { parallelism = 1, parallelOptions = {} } = spec;
  const { sshSecretName: secret, sshPort = '22', sshReadyTimeoutSeconds = '180' } = parallelOptions;
  if (parallelism <= 1) return undefined;
  return {
    workers: parallelism - 1,
    port: Number(sshPort),
    readyTimeoutSeconds: Number(sshReadyTimeoutSeconds),
    ...(secret && { secret }),
  };
}
