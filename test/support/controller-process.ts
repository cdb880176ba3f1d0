/** `sluice reconcile` as a process of its own, which a test may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from './sluice.ts';

export interface ControllerProcess {
  readonly pid: number;
  /** The log of the process, a JSON object a line. */
  readonly lines: readonly string[];
  /** Waits until it has logged a line with this message. */
  says(message: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
const running = new Set<ChildProcess>();

/** The process elects a leader in kube-system unless options say otherwise, asks no caches, and serves no metrics. */
export function startProcess(kubeconfig: string, ...flags: readonly string[]): ControllerProcess {
  const elected = flags.includes('--no-leader-election') ? [] : ['--leader-election-namespace', 'kube-system'];
  return startCommand(['reconcile', '--kubeconfig', kubeconfig, '--metrics-addr', '0', '--probe-interval', '0', ...elected, ...flags]);
}

/** Any command of Sluice that runs until it is stopped. */
export function startCommand(argv: readonly string[], env: Readonly<Record<string, string>> = {}, program = MAIN): ControllerProcess {
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      if (process.env['SLUICE_TEST_LOG']) console.log(`${child.pid} ${line}`);
    });
  return {
    pid: child.pid ?? 0,
    lines,
    says: (message) =>
      eventually(() => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${lines.join('\n')}`);
        if (!lines.some((line) => line.includes(JSON.stringify(message))))
          throw new Error(`it has not said ${message}: ${lines.join('\n')}`);
      }),
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      child.kill(signal);
      await ended;
      running.delete(child);
    },
  };
}

/** For every end of a file. */
export async function endProcesses(): Promise<void> {
  for (const child of running) {
    const ended = child.exitCode === null && child.signalCode === null ? new Promise((resolve) => child.once('exit', resolve)) : undefined;
    child.kill('SIGKILL');
    await ended;
  }
  running.clear();
}
