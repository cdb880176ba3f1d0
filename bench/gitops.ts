/** The command line as a pipeline calls it: the image's program, manifests in a file of YAML, a reader that takes what comes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { bundled, PROGRAM } from './controller.ts';
import { atMost, type Bench } from './figure.ts';
import { COMPANIONS, type Kind, suffixOf, WIDE_PORTS } from './kinds.ts';
import { pair } from './objects.ts';
import { cpuSeconds, memory } from './proc.ts';
import { median, rounded } from './statistics.ts';

const RUNS = 5;
const synth = ['synth', '--assume-secrets', ...WIDE_PORTS];
const POLL_MS = 20;

export const gitops = (count: number, ...kinds: readonly Kind[]): Bench => ({
  name: `gitops-${count}`,
  async *run({ quick }) {
    await bundled();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-gitops-'));
    try {
      const [one, many] = [fileOf(folder, 1, kinds), fileOf(folder, quick ? count / 10 : count, kinds)];
      const alone: Run[] = [];
      for (let run = 0; run < RUNS; run++) alone.push(await called(...synth, one));
      const detail = ({ cpuSeconds, bytes }: Run) => ({ cpuSeconds: rounded(cpuSeconds), outputMb: rounded(bytes / 1e6) });
      yield atMost('gitops/one', median(alone.map(({ seconds }) => seconds)), 's, median', 0.5);
      const yaml = await called(...synth, many);
      yield atMost(`gitops-${count}/yaml`, yaml.seconds, 's', 25, detail(yaml));
      yield atMost(`gitops-${count}/yaml-rss`, yaml.peakMb, 'MB', 300);
      const json = await called(...synth, '-o', 'json', many);
      yield atMost(`gitops-${count}/json`, json.seconds, 's', 8, detail(json));
      yield atMost(`gitops-${count}/json-rss`, json.peakMb, 'MB', 300);
      const check = await called('diff', '--offline', ...WIDE_PORTS, many);
      yield atMost(`gitops-${count}/check`, check.seconds, 's', 25, detail(check));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** So many pairs, of these kinds by turns, and what they name. */
function fileOf(folder: string, count: number, kinds: readonly Kind[]): string {
  const file = join(folder, `${count}${suffixOf(kinds)}.yaml`);
  const pairs = Array.from({ length: count }, (_, i) => Object.values(pair(kinds[i % kinds.length]!, `team-${i % 100}`, `d${i}`)));
  const objects = [...COMPANIONS.map(({ object }) => object), ...pairs.flat()];
  writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
  return file;
}

interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Peak of the whole process. */
  readonly peakMb: number;
  readonly bytes: number;
}

async function called(...args: readonly string[]): Promise<Run> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [bytes, peakMb] = [0, 0];
  child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = errors || text));
  let cpu = 0;
  // The highest of both is the last: neither ever falls.
  const poll = setInterval(() => {
    peakMb = memory(child.pid!).peak || peakMb;
    cpu = cpuSeconds(child.pid!);
  }, POLL_MS);
  child.once('exit', () => clearInterval(poll));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${code}: ${errors.slice(0, 500)}`);
  return { seconds: (performance.now() - began) / 1000, cpuSeconds: cpu, peakMb, bytes };
}
