import { type DataMigrateSpec, type MigrateEnd, shown } from '../api/index.ts';
import type { ReasonedFault } from './faults.ts';

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
  const { sshPort, sshReadyTimeoutSeconds } = spec.parallelOptions ?? {};
  for (const [name, value, most] of [
    ['sshPort', sshPort, 65_535],
    ['sshReadyTimeoutSeconds', sshReadyTimeoutSeconds, 86_400],
  ] as const)
    if (value !== undefined && !isWithin(value, most))
      faults.push({ path: `spec.parallelOptions.${name}`, expected: `1 to ${most}`, found: shown(value) });
  return faults;
}
const isWithin = (text: string, most: number): boolean => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most;
