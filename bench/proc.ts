/** Linux's figures of a process: proc_pid_stat(5), proc_pid_status(5). */
import { readdirSync, readFileSync } from 'node:fs';

/** sysconf(_SC_CLK_TCK) is 100 on every Linux that Node runs on. */
const TICKS = 100;

/** User and system time since its start. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name, in brackets, may hold blanks and brackets; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** In 10^6 bytes. `peak` is the highest it ever was. */
export function memory(pid: number): { readonly rss: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const read = (field: string) => (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  return { rss: read('VmRSS'), peak: read('VmHWM') };
}

/** With the processes that it has started and that run on: `rss` of all of them, `own` of itself, in 10^6 bytes. */
export function memoryWithChildren(pid: number): { readonly rss: number; readonly own: number } {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
  const own = memory(pid).rss;
  return { rss: children.reduce((sum, child) => sum + memoryWithChildren(child).rss, own), own };
}
