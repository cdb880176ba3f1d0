import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, type Bench, rounded } from './figure.ts';

const PROCESS = fileURLToPath(new URL('synth-process.ts', import.meta.url));

/** Synthesis alone, in a process of its own. */
export const synth = (count: number): Bench => ({
  name: `synth-${count}`,
  async *run() {
    const synthesized = (runtimes: number) =>
      JSON.parse(execFileSync(process.execPath, [PROCESS, String(runtimes)], { encoding: 'utf8' })) as Synthesized;
    const { cpuSeconds, peakMb, objects } = synthesized(count);
    yield atMost(`synth-${count}/cpu`, cpuSeconds, 'CPU s', 8, { objects });
    yield atMost(`synth-${count}/rss`, peakMb, 'MB', 350, { programAloneMb: rounded(synthesized(0).peakMb) });
  },
});

export interface Synthesized {
  /** Without the loading of the program. */
  readonly cpuSeconds: number;
  /** Of the whole process, at its highest. */
  readonly peakMb: number;
  readonly objects: number;
}
