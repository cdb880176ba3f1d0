/** Loaded into the controller's process: on SIGUSR2 it says how much of its heap is alive. */
import { writeFileSync } from 'node:fs';

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  writeFileSync(process.env['BENCH_GAUGE'] ?? '', JSON.stringify({ liveMb: process.memoryUsage().heapUsed / 1e6 }));
});
