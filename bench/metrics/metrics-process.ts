/** Serves `/metrics` of so many Datasets as the controller does. Prints its port, and for each line of standard input what it cost since. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { serveHealth } from '../../src/cli/health.ts';
import { createMetrics } from '../../src/reconciler/metrics.ts';
import { cpuSeconds } from '../proc.ts';
import { bytesOf, fleetOf } from './fleet.ts';

export interface Gauged {
  readonly peakMb: number;
  /** CPU time of all threads since the start. */
  readonly cpuSeconds: number;
  /** Longest time for which the event loop had no turn. */
  readonly longestMs: number;
  /** The same as CPU time of the main thread, without the time that the machine gives to others. */
  readonly longestCpuMs: number;
}

const count = Number(process.argv[2]);
const fleet = fleetOf(count);
const metrics = createMetrics({ host: 'bench', fleet: () => fleet, datasetLimit: count });
for (const { metadata } of fleet.datasets())
  for (const [i, salt] of [0, 10, 20].entries())
    metrics.read(`${metadata.namespace}/${metadata.name}`, '', [
      { client: 'cluster', cacheBytes: i * bytesOf(metadata.name, salt), storeBytes: i * bytesOf(metadata.name, salt + 1) },
    ]);
const well = { alive: () => undefined, ready: () => undefined };
const { port, stop } = await serveHealth('127.0.0.1', 0, well, metrics.registry, metrics.fleet);
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let longest = 0;
const cpuMs = () => process.threadCpuUsage().user / 1000 + process.threadCpuUsage().system / 1000;
let before = cpuMs();
/** Every turn of the event loop ends here. */
function turn(): void {
  const now = cpuMs();
  longest = Math.max(longest, now - before);
  before = now;
  setTimeout(turn, 1);
}
turn();
console.log(JSON.stringify({ port }));

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end') break;
  const gauged: Gauged = {
    cpuSeconds: cpuSeconds(process.pid),
    peakMb: process.resourceUsage().maxRSS / 1e3,
    // The resolution is part of each delay.
    longestMs: Math.max(0, delay.max / 1e6 - 1),
    longestCpuMs: longest,
  };
  console.log(JSON.stringify(gauged));
  delay.reset();
  longest = 0;
}
await stop();
process.exit(0);
