/** The playground as users start it: one process of the API server, one of the controller, one of the webhook. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, openClient } from './client.ts';
import { profile, secret } from './companions.ts';
import { NODE_FLAGS } from './controller.ts';
import { atMost, type Bench, unjudged } from './figure.ts';
import { atOnce, nameOf, range, say, until, watchBound } from './lab.ts';
import { BENCHED } from './kinds.ts';
import { pair, paths } from './objects.ts';
import { cpuSeconds, memory } from './proc.ts';
import { rounded } from './statistics.ts';

/** As `npm run sluice` runs it: the image's program has no playground. */
const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
/** Node's own default on a machine of 8 GiB, on every machine. */
const HEAP = '--max-old-space-size=2048';
const NAMESPACE = 'default';
/** Before anything is counted: a program that has just started is slow. */
const WARM = 100;

/** So many Datasets, each with a ThinRuntime, until all are Bound: what each costs, and whether the last cost what the first did. */
export const playground = (most: number): Bench => ({
  name: `playground-${most}`,
  async *run({ quick }) {
    const count = quick ? most / 10 : most;
    const part = count / 20;
    const name = `playground-${most}`;
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-playground-'));
    const { pids, client, stop } = await started(join(folder, 'kubeconfig'));
    try {
      await client.send('POST', paths.companions(BENCHED.thin.companion!.plural), profile);
      await client.send('POST', paths.core(NAMESPACE, 'secrets'), secret);
      const bound = await watchBound({ user: client }, paths.datasets(NAMESPACE));
      const cpu = () => ({ server: cpuSeconds(pids.server), controller: cpuSeconds(pids.reconcile) });
      const bind = async (from: number, to: number) => {
        await atOnce(16, range(to - from), async (i) => {
          const { dataset, runtime } = pair('thin', NAMESPACE, nameOf(from + i));
          await client.send('POST', paths.datasets(NAMESPACE), dataset);
          await client.send('POST', paths.runtimes('thin', NAMESPACE), runtime);
        });
        await bound.reached(to, 60 + (to - from));
      };
      await bind(0, WARM);
      const costs: number[] = [];
      const [began, before] = [performance.now(), cpu()];
      for (const i of range(count / part)) {
        const at = cpu();
        await bind(WARM + i * part, WARM + (i + 1) * part);
        const now = cpu();
        costs.push((now.server + now.controller - at.server - at.controller) / part);
        say(
          `${(i + 1) * part} of ${count}: ${rounded(costs.at(-1)! * 1000)} CPU ms each, the server has ${rounded(memory(pids.server).rss)} MB`,
        );
      }
      bound.stop();
      const [after, seconds] = [cpu(), (performance.now() - began) / 1000];
      const each = { server: (after.server - before.server) / count, controller: (after.controller - before.controller) / count };
      yield atMost(`${name}/cpu`, each.server + each.controller, 'CPU s each', 0.045, {
        count,
        server: rounded(each.server),
        controller: rounded(each.controller),
        seconds: rounded(seconds),
      });
      yield atMost(`${name}/growth`, costs.at(-1)! / costs[0]!, `times the first ${part} is what the last ${part} cost`, 1.5, {
        first: rounded(costs[0]!),
        last: rounded(costs.at(-1)!),
      });
      const [server, controller] = [memory(pids.server), memory(pids.reconcile)];
      yield atMost(`${name}/rss`, server.rss, 'MB', 2000, { peak: rounded(server.peak) });
      yield unjudged(`${name}/controller-rss`, controller.rss, 'MB', {
        peak: rounded(controller.peak),
        webhook: rounded(memory(pids.webhook).rss),
      });
    } finally {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface Started {
  readonly pids: Readonly<Record<'server' | 'reconcile' | 'webhook', number>>;
  readonly client: Client;
  stop(): Promise<void>;
}

async function started(kubeconfig: string): Promise<Started> {
  const child = spawn(process.execPath, [...NODE_FLAGS, HEAP, MAIN, 'playground', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const server = child.pid ?? 0;
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the playground serves', 120, async () => {
    if (child.exitCode !== null) throw new Error(`the playground ended:\n${said}`);
    return said.includes('export KUBECONFIG=') && existsSync(kubeconfig);
  });
  const children = readdirSync(`/proc/${server}/task`).flatMap((thread) =>
    readFileSync(`/proc/${server}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
  const running = (command: string) =>
    children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(command)) ?? 0;
  const client = openClient(kubeconfig);
  return {
    pids: { server, reconcile: running('reconcile'), webhook: running('webhook') },
    client,
    async stop() {
      await client.close();
      child.kill('SIGINT');
      if (child.exitCode === null) await once(child, 'exit');
      process.off('exit', kill);
    },
  };
}
