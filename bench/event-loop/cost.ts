/** The cost of one turn of the event loop. */
export interface Cost {
  readonly row: string;
  readonly ms: number;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** CPU ms of one call. What it throws is an answer too. */
export function cpuOf(work: () => unknown): { readonly ms: number; readonly outcome: string } {
  const before = process.threadCpuUsage();
  const { outcome } = caught(work);
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1000, outcome };
}
function caught(work: () => unknown): { readonly outcome: string } {
  try {
    work();
    return { outcome: 'done' };
  } catch (error) {
    return { outcome: error instanceof Error ? error.message.slice(0, 120) : String(error) };
  }
}

/**
 * The least of several: the first ones compile the code, and neighbours on the machine make others slow. What is short is done many times in
 * each, since a machine may count CPU time in steps of milliseconds.
 */
export function least(work: () => unknown, quick: boolean): ReturnType<typeof cpuOf> {
  const times = Math.min(20, Math.max(1, Math.round(MEASURED_MS / cpuOf(work).ms)));
  const all = Array.from({ length: quick ? 2 : 6 }, () => {
    let outcome = '';
    const { ms } = cpuOf(() => {
      for (let i = 0; i < times; i++) ({ outcome } = caught(work));
    });
    return { ms: ms / times, outcome };
  });
  return all.reduce((best, each) => (each.ms < best.ms ? each : best));
}
const MEASURED_MS = 30;

interface Call {
  readonly what: string;
  readonly work: () => unknown;
}

/** The dearest of many calls. Each is measured once, and the dearest of these again. */
export function dearest(calls: Iterable<Call>, quick: boolean): { readonly what: string; readonly ms: number; readonly outcome: string } {
  let top: readonly (Call & { readonly ms: number })[] = [];
  // Only kept calls need their texts.
  for (const call of calls) top = [...top, { ...call, ms: cpuOf(call.work).ms }].toSorted((a, b) => b.ms - a.ms).slice(0, KEPT);
  const [worst = { what: 'nothing', ms: 0, outcome: '' }] = top
    .map(({ what, work }) => ({ what, ...least(work, quick) }))
    .toSorted((a, b) => b.ms - a.ms);
  return worst;
}
const KEPT = 8;
