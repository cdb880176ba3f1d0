import { describe, shown } from '../../api/errors.ts';
import type { DataMigrateSpec, DataProcessSpec } from '../../api/index.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import { backupFaults } from '../../constructs/backup.ts';
import type { BackupSpec } from '../../constructs/index.ts';
import type { ReasonedFault } from '../../constructs/faults.ts';
import { migrateFaults } from '../../constructs/migrate.ts';
import { processFaults } from '../../constructs/process.ts';
import type { OperationWorld, Refusal } from './world.ts';

/** All that is wrong with an operation, so that it can never run, under the reason of the first fault; `InvalidSpec` if it has none. */
export function refusalOf({ operation, key, target, invalid }: OperationWorld): Refusal | undefined {
  if (invalid) return { reason: 'InvalidSpec', message: invalid.message };
  const faults = operationFaults({ operation, key, target });
  const [first] = faults;
  if (!first) return undefined;
  const message = `${key.kind} ${key.namespace}/${key.name}: ${faults.map(describe).join('; ')}`;
  return { reason: first.reason ?? 'InvalidSpec', message };
}

const LONGEST_CRON_JOB = 52;

/** The faults of an operation whose spec parses, each with Fluid's reason, if it has one. */
export function operationFaults({
  operation: { spec },
  key,
  target,
}: Pick<OperationWorld, 'operation' | 'key' | 'target'>): readonly ReasonedFault[] {
  const faults: ReasonedFault[] = [];
  const found = (path: string, expected: string, value: unknown, reason?: string) =>
    faults.push({ path, expected, found: shown(value), ...(reason !== undefined && { reason }) });
  const isPlain = key.kind === 'DataBackup';
  const isMigrate = key.kind === 'DataMigrate';
  if (!target.name && !isMigrate) found(isPlain ? 'spec.dataset' : 'spec.dataset.name', 'the name of a Dataset', undefined);
  for (const [path, ref] of Object.entries({ dataset: spec.dataset, 'to.dataset': spec.to?.dataset, 'from.dataset': spec.from?.dataset })) {
    const { namespace } = typeof ref === 'object' ? ref : {};
    // Fluid never finds a Dataset in an empty namespace; this one is what its users mean.
    if (namespace && namespace !== key.namespace)
      found(`spec.${path}.namespace`, `${target.namespace}, the namespace of the ${key.kind}`, namespace, 'TargetDatasetNamespaceNotSame');
  }
  if (spec.policy === 'Cron' && !spec.schedule)
    found('spec.schedule', 'a schedule, since the policy is Cron', spec.schedule, 'ScheduleNotSpecified');
  // Kubernetes adds 11 characters for each Job.
  const longest = LONGEST_CRON_JOB + key.name.length - operationNames(key).job.length;
  if (spec.policy === 'Cron' && key.name.length > longest)
    found(
      'metadata.name',
      `at most ${longest} characters with policy Cron, since <name>${operationNames(key).job.slice(key.name.length)} is a CronJob`,
      key.name,
    );
  // The casts: it was parsed as its kind.
  if (isMigrate) faults.push(...migrateFaults(spec as unknown as DataMigrateSpec));
  if (key.kind === 'DataProcess') faults.push(...processFaults(spec as unknown as DataProcessSpec));
  if (key.kind === 'DataBackup') faults.push(...backupFaults(spec as BackupSpec));
  return faults;
}
