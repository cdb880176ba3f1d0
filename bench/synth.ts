import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { atMost, type Bench } from './figure.ts';
import { BENCHED, type Kind, KINDS, VARIANTS } from './kinds.ts';
import { rounded } from './statistics.ts';

const PROCESS = fileURLToPath(new URL('synth-process.ts', import.meta.url));

const synthesized = (runtimes: number, ...kinds: readonly Kind[]) =>
  JSON.parse(execFileSync(process.execPath, [PROCESS, String(runtimes), ...kinds], { encoding: 'utf8' })) as Synthesized;

/** Synthesis alone, in a process of its own: half Thin, half JuiceFS. */
export const synth = (count: number): Bench => ({
  name: `synth-${count}`,
  async *run() {
    const { cpuSeconds, peakMb, objects } = synthesized(count, 'thin', 'juicefs');
    yield atMost(`synth-${count}/cpu`, cpuSeconds, 'CPU s', 8, { objects });
    yield atMost(`synth-${count}/rss`, peakMb, 'MB', 350, { programAloneMb: rounded(synthesized(0).peakMb) });
  },
});

/** The cost of one runtime, by kind: the mean of many. */
export const synthEach: Bench = {
  name: 'synth-each',
  async *run({ quick }) {
    const count = quick ? 1000 : 10_000;
    for (const kind of [...KINDS, ...VARIANTS]) {
      const { cpuSeconds, objects } = synthesized(count, kind);
      yield atMost(`synth-each/${kind}`, (cpuSeconds * 1000) / count, 'CPU ms', BENCHED[kind].targets.synthMs, {
        objectsEach: objects / count,
      });
    }
  },
};

export interface Synthesized {
  /** Without the loading of the program. */
  readonly cpuSeconds: number;
  /** Peak of the whole process. */
  readonly peakMb: number;
  readonly objects: number;
}
