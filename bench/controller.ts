/** The controller as installations run it: the program of the image, a process of its own, known by what it logs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundle, ENTRY } from '../scripts/bundle.ts';
import { CONTROLLER_MEMORY } from '../src/install/memory.ts';
import { cpuSeconds, memory } from './proc.ts';

const BUNDLE = join(import.meta.dirname, '../build/sluice');
/** The program of the image, once bundled. */
export const PROGRAM = join(BUNDLE, ENTRY);
/** For --cpu-prof and the like, which keep the processor a little busy themselves. */
export const NODE_FLAGS = (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(Boolean);
const IDLE_SECONDS = NODE_FLAGS.length > 0 ? 0.4 : 0.04;

export interface ControllerOptions {
  readonly kubeconfig: string;
  readonly metricsPort: number;
  /** The name of another pod, whose lease this one cannot know to be free. Default: here, on this host. */
  readonly elsewhere?: string;
  /** Flags of `sluice reconcile`, besides these. */
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Controller {
  readonly pid: number;
  /** performance.now() just before the process was made. */
  readonly startedAt: number;
  cpuSeconds(): number;
  memory(): { readonly rss: number; readonly peak: number };
  /** Resolves when its caches are filled, whether it leads or not: by its own clock, ms since the epoch. */
  synced(): Promise<{ readonly at: number }>;
  /** Resolves when it leads. */
  leading(): Promise<void>;
  /** Resolves when it has done what there was to do: it hardly uses the processor for two seconds. */
  idle(): Promise<void>;
  /** The sum of a counter over its labels, from /metrics. */
  counter(name: string): Promise<number>;
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

interface Line {
  readonly msg?: string;
  readonly keys?: number;
  readonly time?: string | number;
  readonly level?: string;
}

/** Made once in a run of the benches; no controller may start before. */
let made: Promise<void> | undefined;
export const bundled = (): Promise<void> => (made ??= bundle(BUNDLE));

/** As `sluice install` has it, in a container with the limit that it prints; there is none here. */
function installedMemory(): Readonly<Record<string, string>> {
  const inMebibytes = (_: string, share: string) => `--max-old-space-size=${Math.floor((LIMIT_MIB * Number(share)) / 100)}`;
  return {
    ...CONTROLLER_MEMORY,
    NODE_OPTIONS: CONTROLLER_MEMORY.NODE_OPTIONS.replace(/--max-old-space-size-percentage=(\d+)/, inMebibytes),
  };
}
const LIMIT_MIB = 1024;

export function startController({
  kubeconfig,
  metricsPort,
  elsewhere,
  flags = [],
  nodeFlags = [],
  env = {},
}: ControllerOptions): Controller {
  const startedAt = performance.now();
  const address = `127.0.0.1:${metricsPort}`;
  const reconcile = ['reconcile', '--kubeconfig', kubeconfig, '--metrics-addr', address, '--leader-election-namespace', 'default'];
  const child: ChildProcess = spawn(process.execPath, [...NODE_FLAGS, ...nodeFlags, PROGRAM, ...reconcile, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...installedMemory(), ...env, ...(elsewhere && { MY_POD_NAME: elsewhere }) },
  });
  const pid = child.pid ?? 0;
  // No child may outlive this process.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const heard = { synced: Promise.withResolvers<{ readonly at: number }>(), leading: Promise.withResolvers<void>() };
  for (const { promise } of Object.values(heard)) promise.catch(() => {});
  let problems = '';
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) hear(text);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => remember(chunk));
  const ended = once(child, 'exit').then(() => {
    process.off('exit', kill);
    for (const { reject } of Object.values(heard)) reject(new Error(`the controller ended by itself:\n${problems}`));
  });

  function hear(text: string): void {
    const line = JSON.parse(text) as Line;
    if (line.msg === 'synced') heard.synced.resolve({ at: new Date(line.time ?? '').getTime() });
    if (line.msg === 'leading' && line.keys !== undefined) heard.leading.resolve();
    if (line.level === 'warn' || line.level === 'error') remember(`${text}\n`);
  }
  function remember(text: string): void {
    if (process.env['BENCH_VERBOSE']) process.stderr.write(text);
    problems = (problems + text).slice(-4000);
  }

  return {
    pid,
    startedAt,
    cpuSeconds: () => cpuSeconds(pid),
    memory: () => memory(pid),
    synced: () => heard.synced.promise,
    leading: () => heard.leading.promise,
    async idle() {
      const deadline = performance.now() + 120_000;
      for (let before = cpuSeconds(pid); ; before = cpuSeconds(pid)) {
        await sleep(2000);
        if (cpuSeconds(pid) - before <= IDLE_SECONDS) return;
        if (performance.now() > deadline) throw new Error(`the controller is still busy after two minutes:\n${problems}`);
      }
    },
    async counter(name) {
      const text = await (await fetch(`http://${address}/metrics`)).text();
      const samples = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}
