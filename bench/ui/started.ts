/** `sluice ui` with thousands of Datasets: the API server and the command, each as a process of its own. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { say } from '../lab.ts';
import type { Changed } from './api-process.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface StartedUi {
  readonly server: ChildProcess;
  /** The address that the command printed. */
  readonly address: string;
  /** File of the gauge (gauge.ts). */
  readonly gauge: string;
  /** performance.now() when the command was started. */
  readonly began: number;
  /** Changes the Dataset of this number. */
  change(i: number): Promise<Changed>;
  end(): void;
}

export async function startedUi(datasets: number): Promise<StartedUi> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-ui-'));
  const children: ChildProcess[] = [];
  const kill = () => children.forEach((child) => child.kill('SIGKILL'));
  const end = () => {
    process.off('exit', kill);
    kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', kill);
  try {
    const api = fork(file('api-process.ts'), [String(datasets)], { execArgv: ['--max-old-space-size=4096'] });
    children.push(api);
    const ended = once(api, 'exit').then(() => Promise.reject(new Error('the API server has ended')));
    ended.catch(() => {});
    // The cast: api-process.ts answers each message in turn.
    const answer = async <T>() => (await Promise.race([once(api, 'message'), ended]))[0] as T;
    const { kubeconfig } = await answer<{ kubeconfig: string }>();
    writeFileSync(join(folder, 'kubeconfig'), kubeconfig);
    say(`${datasets} Datasets are served`);
    const gauge = join(folder, 'gauge');
    const began = performance.now();
    const server = spawn(
      process.execPath,
      ['--import', file('gauge.ts'), file('../../src/cli/main.ts'), 'ui', '--kubeconfig', join(folder, 'kubeconfig')],
      { env: { ...process.env, BENCH_GAUGE: gauge }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(server);
    const [address] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    return {
      server,
      address,
      gauge,
      began,
      change(i) {
        api.send(i);
        return answer<Changed>();
      },
      end,
    };
  } catch (error) {
    end();
    throw error;
  }
}
