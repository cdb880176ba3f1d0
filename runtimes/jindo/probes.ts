import { bytesText, percentText } from '../../src/api/index.ts';
import type { EngineStatus, Probe, Reads, Observation, UfsUsage } from '../../src/constructs/index.ts';
import { COMMANDS, master } from './commands.ts';
import type { JindoPlan } from './plan.ts';
import { type Report, readCount, readReport } from './report.ts';

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
