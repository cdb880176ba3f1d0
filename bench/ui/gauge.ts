/** Loaded into the process of `sluice ui`: on SIGUSR2 it writes for how long the event loop was held since the last time. */
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers';

export interface Held {
  /** CPU time of the main thread between two turns, at most. */
  readonly longestCpuMs: number;
}

const cpuMs = () => process.threadCpuUsage().user / 1000 + process.threadCpuUsage().system / 1000;
let longest = 0;
let before = cpuMs();
/** Every turn of the event loop ends here. */
function turn(): void {
  const now = cpuMs();
  longest = Math.max(longest, now - before);
  before = now;
  setTimeout(turn, 1).unref();
}
turn();

process.on('SIGUSR2', () => {
  writeFileSync(process.env['BENCH_GAUGE'] ?? '', JSON.stringify({ longestCpuMs: longest } satisfies Held));
  longest = 0;
});
