import { shown } from '../api/index.ts';
import type { BackupSpec } from './contract.ts';
import { claimOf } from './dataset-mounts.ts';
import { type ReasonedFault, refusal } from './faults.ts';
import { absolutePath } from './options.ts';

/** Where a DataBackup writes its files: a directory of a claim or, without one, of a node. */
interface BackupTarget {
  readonly claim?: string;
  readonly directory: string;
}

/** A Dataset's `spec.dataRestoreLocation` is written in the same way. Undefined for anything else. */
function targetOf(path: string): BackupTarget | undefined {
  const claim = claimOf(path);
  // Not a whole node: it would be mounted into the pod.
  if (!claim && !/^local:\/{3,}[^/\n].*$/.test(path)) return undefined;
  const directory = claim ? `/${claim.path}` : path.slice('local://'.length);
  try {
    return { directory: absolutePath(directory, ''), ...(claim && { claim: claim.claim }) };
  } catch {
    return undefined;
  }
}

/** All that is wrong with a DataBackup, each fault with Fluid's reason, if it has one. */
export function backupFaults({ backupPath = '', runAs }: BackupSpec): readonly ReasonedFault[] {
  const faults: ReasonedFault[] = [];
  if (!targetOf(backupPath))
    faults.push({
      reason: 'PathNotSupported',
      path: 'spec.backupPath',
      expected: 'pvc://<claim>/<path> or local:///<path>, without ".."',
      found: shown(backupPath),
    });
  const { uid, gid } = runAs ?? {};
  for (const [name, id] of Object.entries({ uid, gid }))
    if (id !== undefined && (id < 0 || id > MOST_ID))
      faults.push({ path: `spec.runAs.${name}`, expected: `0 to ${MOST_ID}`, found: String(id) });
  return faults;
}
/** Kubernetes knows no user beyond. */
const MOST_ID = 2 ** 31 - 1;

/**
 * Where a DataBackup writes its files.
 * @throws InvalidSpec with every fault of its spec.
 * @example
 * backupTarget({ backupPath: 'pvc://backups/images' }); // → { claim: 'backups', directory: '/images' }
 */
export function backupTarget(spec: BackupSpec): BackupTarget {
  const faults = backupFaults(spec);
  const target = targetOf(spec.backupPath ?? '');
  if (target && faults.length === 0) return target;
  throw refusal(faults);
}
