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
    const rows = (sizes?.[0] ?? '').split('\n').map((line) => line.trim().split(/\s+/));
    const totalBytes = Number(rows.find((columns) => columns.at(-1) === mountPath)?.at(-4));
    const files = Number.parseInt(counts?.[0] ?? '', 10);
    // Without a row of its own the file system is not mounted, and `df` speaks of the node's disk.
    if (!Number.isFinite(totalBytes)) throw new Error(`df does not show ${mountPath}: ${sizes?.[0] ?? 'no answer'}`);
    return { totalBytes, ...(Number.isFinite(files) && { files }) };
  },
});
