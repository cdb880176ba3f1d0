import { bytesText, percentText } from '../../src/api/index.ts';
import type { EngineStatus, Observation, Probe, Reads, UfsUsage } from '../../src/constructs/index.ts';
import { COMMANDS, master } from './commands.ts';
import type { JindoPlan } from './plan.ts';

/** Without masters nobody is asked. */
export const cache: Probe<JindoPlan, Report> = {
  // The command may list every worker.
  mostBytes: 1 << 20,
  commands: (plan) => (plan.masters.length > 0 ? [master(plan, COMMANDS[plan.engine].report)] : []),
  parse: ([answers], { isMemory, masters }) => (masters.length > 0 ? readReport(answers?.[0] ?? '', isMemory) : { capacity: 0, used: 0 }),
};

/** Jindo lists all of a mount to count it. */
const LISTING_SECONDS = 1500;

/** The size of all mounts, each counted by itself. */
export const ufs: Probe<JindoPlan, UfsUsage> = {
  commands: (plan) => plan.sources.map(({ path }) => master(plan, [...COMMANDS[plan.engine].count, `jindo://${path}`], LISTING_SECONDS)),
  parse: (answers) =>
    answers
      .map(([text = '']) => readCount(text))
      .reduce((sum, { totalBytes, files }) => ({ totalBytes: sum.totalBytes + totalBytes, files: sum.files + files }), {
        totalBytes: 0,
        files: 0,
      }),
};

export const reads: Reads<JindoPlan> = {
  subject: 'Jindo, or a store behind it,',
  directories: ({ mountPath, sources }) => sources.map(({ path }) => `${mountPath}${path}`),
};

export function status({ addresses, masters }: JindoPlan, { cache: report, ufs: size }: Observation<Report>): EngineStatus {
  return {
    ...(masters.length > 0 && { cacheStates: cacheTexts(report, size?.totalBytes) }),
    // As in Fluid, where nothing serves it.
    hcfs: { endpoint: masters.length > 0 ? (addresses.split(',')[0] ?? '') : 'N/A' },
  };
}

const cacheTexts = (report: Report | undefined, totalBytes: number | undefined): Readonly<Record<string, string>> => ({
  cacheCapacity: report ? bytesText(report.capacity) : '',
  cached: report ? bytesText(report.used) : '',
  // A cache also holds what its source no longer has.
  cachedPercentage: report && totalBytes !== undefined ? (percentText(Math.min(report.used, totalBytes), totalBytes) ?? '0.0%') : '',
});

/** The masters' figures of the cache of all workers, in bytes. */
export interface Report {
  readonly capacity: number;
  readonly used: number;
}

/** Reads the lines of `-report` for the medium that is used. Jindo prints powers of 1024 as `250.38GB`. */
export function readReport(text: string, isMemory: boolean): Report {
  const medium = isMemory ? 'MEM' : 'Disk';
  const sizes = [...text.matchAll(LINE)].filter(([, , of]) => of === medium);
  const sizeOf = (name: 'Total' | 'Used') => bytesIn(sizes.find(([, which]) => which === name));
  const [capacity, used] = [sizeOf('Total'), sizeOf('Used')];
  if (capacity === undefined || used === undefined) throw new Error(`the report of Jindo has no ${medium} capacity: ${text.slice(0, 200)}`);
  return { capacity, used };
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

const LINE = /^[ \t]*(Total|Used) (MEM|Disk) Capacity:[ \t]*(\d+(?:\.\d+)?)(?:[ \t]*([KMGTP]?B))?[ \t]*$/gm;

const bytesIn = (line: RegExpExecArray | undefined): number | undefined => line && Number(line[3]) * 1024 ** UNITS.indexOf(line[4] ?? 'B');

/** Directories, files and bytes below a path, as Hadoop's `-count` prints them. */
export function readCount(text: string): { readonly totalBytes: number; readonly files: number } {
  const [, , files, bytes] = /^[ \t]*(\d+)[ \t]+(\d+)[ \t]+(\d+)\b/m.exec(text) ?? [];
  if (files === undefined || bytes === undefined) throw new Error(`-count said: ${text.slice(0, 200) || 'nothing'}`);
  return { totalBytes: Number(bytes), files: Number(files) };
}
