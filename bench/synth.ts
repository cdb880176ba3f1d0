import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, type Bench } from './figure.ts';

const PROCESS = fileURLToPath(new URL('synth-process.ts', import.meta.url));

/** Synthesis alone, in a process of its own. */
export const synth = (count: number): Bench => ({
  name: `synth-${count}`,
  async *run() {
    const { cpuSeconds, peakMb, objects } = JSON.parse(
      execFileSync(process.execPath, [PROCESS, String(count)], { encoding: 'utf8' }),
    ) as Synthesized;
    yield atMost(`synth-${count}/cpu`, cpuSeconds, 'CPU s', 8, { objects });
    yield atMost(`synth-${count}/rss`, peakMb, 'MB', 350);
  },
});

export interface Synthesized {
  /** Without the loading of the program. */
  readonly cpuSeconds: number;
  /** Of the whole process, at its highest. */
  readonly peakMb: number;
  readonly objects: number;
}
