/** Where a process runs: distinguishes it from every other candidate for the lease. */
export interface ProcessLocation {
  readonly hostname: string;
  readonly pid: number;
  /** From the downward API. Needed with hostNetwork, where replicas on one node share hostname and pid 1. */
  readonly podName?: string | undefined;
}

/** `<podName or hostname>_<pid>`: a container that restarts in its pod is the same again. */
export const identityHere = ({ hostname, pid, podName }: ProcessLocation): string => `${podName ?? hostname}_${pid}`;

/**
 * Whether the process that calls itself `holder` may still be running: false only when that is impossible, since it
 * ran in our place and either had our own pid or has gone. What we cannot see counts as alive.
 *
 * @param processExists asks the kernel, as `process.kill(pid, 0)` does; EPERM means that it exists
 */
export function isAliveHere(holder: string, here: ProcessLocation & { readonly processExists: (pid: number) => boolean }): boolean {
  const at = holder.lastIndexOf('_');
  if (at === -1 || holder.slice(0, at) !== (here.podName ?? here.hostname)) return true;
  const digits = holder.slice(at + 1);
  if (!/^[1-9]\d*$/.test(digits)) return true;
  const pid = Number(digits);
  return pid !== here.pid && here.processExists(pid);
}
