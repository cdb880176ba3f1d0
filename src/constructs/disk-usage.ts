import type { BasePlan, Probe, Role, UfsUsage } from './contract.ts';

const LISTING_SECONDS = 1500;

/** Size and number of files of a mounted file system, as a pod that has it mounted sees them. */
export const diskUsage = (role: Role): Probe<BasePlan, UfsUsage> => ({
  commands: ({ mountPath }) => [
    { in: role, on: 'one', argv: ['df', '--block-size=1', mountPath] },
    // Counted in the pod: a listing of millions of files would not come through. The path is an argument, not part of the script.
    { in: role, on: 'one', argv: ['sh', '-c', 'ls -lR "$1" | grep ^- | wc -l', 'sh', mountPath], timeoutSeconds: LISTING_SECONDS },
  ],
  parse: ([sizes, counts], { mountPath }) => {
    const totalBytes = usedBytes(sizes?.[0], mountPath);
    const files = Number.parseInt(counts?.[0] ?? '', 10);
    if (totalBytes === undefined) throw new Error(`df does not show ${mountPath}: ${sizes?.[0] ?? 'no answer'}`);
    return { totalBytes, ...(Number.isFinite(files) && { files }) };
  },
});

/** What `df` says of a mount; undefined without a row of its own, since `df` then speaks of the node's disk. */
export function usedBytes(table = '', mountPath: string): number | undefined {
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  const used = Number(rows.find((columns) => columns.at(-1) === mountPath)?.at(-4));
  return Number.isFinite(used) ? used : undefined;
}
