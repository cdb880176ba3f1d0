import type { BasePlan, Probe, Role, UfsUsage } from './contract.ts';

const LISTING_SECONDS = 1500;

/** Counted in the pod: a listing of millions of files is too long for an exec. One script, since each exec is a connection of its own. */
const SCRIPT = 'df -B 1 "$1"; ls -lR "$1" | grep ^- | wc -l';

/**
 * A probe for size and number of files of the mounted file system, by `df` and `ls` in a pod of the role. It may take 25 minutes. It needs
 * `sh`, `df`, `ls`, `grep` and `wc` in the image.
 * @throws Error from `parse`, when `df` does not list the mount path.
 * @example
 * const probes: EngineDefinition<object, BasePlan>['probes'] = { ufs: diskUsage('fuse') };
 */
export const diskUsage = (role: Role): Probe<BasePlan, UfsUsage> => ({
  // The path is an argument, not part of the script.
  commands: ({ mountPath }) => [{ in: role, on: 'one', argv: ['sh', '-c', SCRIPT, 'sh', mountPath], timeoutSeconds: LISTING_SECONDS }],
  parse([answers], { mountPath }) {
    const answer = answers?.[0] ?? '';
    const totalBytes = usedBytes(answer, mountPath);
    const files = /^\d+$/m.exec(answer.slice(answer.trimEnd().lastIndexOf('\n') + 1))?.[0];
    if (totalBytes === undefined) throw new Error(`df does not show ${mountPath}: ${answer.slice(0, 500) || 'no answer'}`);
    return { totalBytes, ...(files !== undefined && { files: Number(files) }) };
  },
});

/**
 * Bytes that `df -B 1` reports for a mount. Undefined if the table has no row for it: `df` then reports the disk of the node.
 * @example
 * usedBytes('acme 4096 1024 3072 25% /mnt/data', '/mnt/data'); // → 1024
 */
export function usedBytes(table = '', mountPath: string): number | undefined {
  const lines = table.split('\n').filter((line) => line.includes(mountPath));
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const used = Number(rows.find((columns) => columns.at(-1) === mountPath)?.at(-4));
  return Number.isFinite(used) ? used : undefined;
}
