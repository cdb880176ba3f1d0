import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../harness/control-plane/ports.ts';
import { bundled, type Controller, startController } from '../controller.ts';
import { atMost, type Bench, type Figure } from '../figure.ts';
import { say, until } from '../lab.ts';
import { cpuSeconds } from '../proc.ts';
import { COMPANIONS, type Kind, KINDS } from '../kinds.ts';
import { FLAGS, type Samples, takeSamples } from './sample.ts';
import { type LiveServer, startLiveServer } from './server.ts';
import type { Size } from './world.ts';
import { rounded } from '../statistics.ts';

const SECONDS = 60;
/** All of them, so that collections of the heap that come now and then count as often as they come. */
const TOUCHED = 20_000;

/**
 * So many datasets, of these kinds by turns, behind a scripted API server (server-process.ts), which copies what a real one made: a thousand
 * nodes whose status changes every ten seconds, each with ten fuse pods that come and go once a minute. What the controller costs beyond
 * reading these streams is compared with a bare client that only parses them, in the same minute. BENCH_SAMPLE names a file that keeps the
 * samples for the next run; the name of the bench is appended.
 */
export const live = (name: string, datasets: number, kinds: readonly Kind[]): Bench => ({
  name,
  async *run({ lab: open, quick }) {
    const size: Size = quick ? { datasets: datasets / 10, nodes: 100, podsPerNode: 10 } : { datasets, nodes: 1000, podsPerNode: 10 };
    const kept = process.env['BENCH_SAMPLE'] && `${process.env['BENCH_SAMPLE']}.${name}`;
    const isKept = kept && existsSync(kept);
    const samples = isKept ? (JSON.parse(readFileSync(kept, 'utf8')) as Samples) : await takeSamples(await open(), kinds);
    if (kept) writeFileSync(kept, JSON.stringify(samples));
    const server = await startLiveServer(samples, size);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-gauge-'));
    const endings: Endings = [() => rmSync(folder, { recursive: true, force: true }), () => server.stop()];
    try {
      yield* measured(name, server, size, folder, quick ? 15 : SECONDS, endings);
    } finally {
      for (const end of endings.toReversed()) await end();
    }
  },
});

/** Processes and folders that are always removed, the last first. */
type Endings = (() => unknown)[];

async function* measured(
  name: string,
  server: LiveServer,
  size: Size,
  folder: string,
  seconds: number,
  endings: Endings,
): AsyncGenerator<Figure> {
  const gauge = join(folder, 'live.json');
  const detail = { datasets: size.datasets, nodes: size.nodes };
  let controller = await begun(server, gauge, endings);
  yield atMost(`${name}/ready`, await readyAfter(controller, server), 's', 30, detail);
  const firstSeconds = await passedAll(controller, size.datasets);
  const { execs } = await server.send({ do: 'report' });
  yield atMost(`${name}/first-passes`, firstSeconds, 'CPU s', 30, { ...detail, execs });
  await noWrites(server, 'the first passes');

  say(`traffic for ${seconds} s`);
  const reader = await startReader(server, endings);
  await server.send({ do: 'traffic', on: true });
  await sleep(5000);
  const before = await server.send({ do: 'report' });
  const passes = await passesOf(controller);
  const [began, mine, bare] = [performance.now(), controller.cpuSeconds(), cpuSeconds(reader.pid!)];
  await sleep(seconds * 1000);
  const elapsed = (performance.now() - began) / 1000;
  const [used, parsing] = [controller.cpuSeconds() - mine, cpuSeconds(reader.pid!) - bare];
  const after = await server.send({ do: 'report' });
  yield atMost(`${name}/quiet`, ((used - parsing) / elapsed) * 100, '% of a core', 3, {
    ...detail,
    whole: rounded((used / elapsed) * 100),
    parsing: rounded((parsing / elapsed) * 100),
    eventsPerSecond: rounded((after.events - before.events) / elapsed),
    passes: (await passesOf(controller)) - passes,
  });
  reader.kill('SIGKILL');
  await noWrites(server, 'the traffic');

  say('all watches expire');
  await server.send({ do: 'forget' });
  const expired = controller.cpuSeconds();
  await server.send({ do: 'expire' });
  await until('the watches are open again', 120, async () => (await server.send({ do: 'report' })).watches >= OPEN);
  await server.send({ do: 'traffic', on: false });
  await controller.idle();
  yield atMost(`${name}/expired`, controller.cpuSeconds() - expired, 'CPU s', 30, detail);
  await noWrites(server, 'the watches expired');

  const touched = Math.min(TOUCHED, size.datasets);
  const unread = await touchedBy('unread');
  yield atMost(`${name}/event`, (unread.seconds * 1000) / touched, 'CPU ms', READING_MS, { ...detail, passes: unread.passes });
  const label = await touchedBy('label');
  if (label.passes < touched) throw new Error(`expected ${touched} runtimes to be looked at again, found ${label.passes}`);
  yield atMost(`${name}/pass`, (label.seconds * 1000) / label.passes, 'CPU ms', rounded(0.2 + READING_MS), detail);

  const heap = await liveHeap(controller, gauge);
  yield atMost(`${name}/heap`, (heap * 1000) / size.datasets, 'KB a dataset', 20, { ...detail, liveMb: rounded(heap) });
  yield atMost(`${name}/rss`, controller.memory().rss, 'MB', 600, { ...detail, peak: rounded(controller.memory().peak) });

  say('killed, and started again');
  await controller.stop('SIGKILL');
  await server.send({ do: 'forget' });
  controller = await begun(server, gauge, endings);
  yield atMost(`${name}/ready-again`, await readyAfter(controller, server), 's', 30, detail);
  await passedAll(controller, size.datasets);
  await noWrites(server, 'the restart');
  await controller.stop();

  async function touchedBy(what: 'label' | 'unread'): Promise<{ readonly seconds: number; readonly passes: number }> {
    const done = await passesOf(controller);
    const cpu = controller.cpuSeconds();
    await server.send({ do: 'touch', count: touched, what });
    await controller.idle();
    const seconds = controller.cpuSeconds() - cpu;
    return { seconds, passes: (await passesOf(controller)) - done };
  }
}

/** An event of a runtime is read and parsed once for each pass; measured with the bare reader's means. */
const READING_MS = 0.1;
/** A scrape reports every dataset, and is not what is measured. */
const SCRAPE_MS = 2000;
/** Nine kinds that are made, pods, nodes, datasets, runtimes, and what runtimes name. */
const OPEN = 12 + KINDS.length + COMPANIONS.length;

async function begun(server: LiveServer, gauge: string, endings: Endings): Promise<Controller> {
  await bundled();
  const [metricsPort = 0] = await freePorts(1);
  const nodeFlags = ['--expose-gc', '--import', join(import.meta.dirname, 'gauge.ts')];
  const controller = startController({
    kubeconfig: server.kubeconfig,
    metricsPort,
    flags: ['--no-leader-election', ...FLAGS],
    nodeFlags,
    env: { BENCH_GAUGE: gauge },
  });
  endings.push(() => controller.stop('SIGKILL'));
  return controller;
}
/** From the first list until every watch has its objects. */
async function readyAfter(controller: Controller, server: LiveServer): Promise<number> {
  await controller.synced();
  const now = Date.now();
  const { firstListAt } = await server.send({ do: 'report' });
  return (now - (firstListAt ?? Number.NaN)) / 1000;
}
const passesOf = (controller: Controller): Promise<number> => controller.counter('controller_runtime_reconcile_total');

/** CPU until every dataset was looked at once and all is quiet. */
async function passedAll(controller: Controller, datasets: number): Promise<number> {
  const before = controller.cpuSeconds();
  await until('every dataset was looked at', 300, async () => (await passesOf(controller)) >= datasets, SCRAPE_MS);
  await controller.idle();
  return controller.cpuSeconds() - before;
}
async function noWrites(server: LiveServer, when: string): Promise<void> {
  const { writes, examples } = await server.send({ do: 'report' });
  if (writes > 0) throw new Error(`expected no write during ${when}, found ${writes}: ${examples.join(', ')}`);
}
async function startReader({ url, ca }: LiveServer, endings: Endings): Promise<ChildProcess> {
  const reader = fork(join(import.meta.dirname, 'reader-process.ts'), [url, ca]);
  process.once('exit', () => reader.kill('SIGKILL'));
  endings.push(() => reader.kill('SIGKILL'));
  await once(reader, 'message');
  return reader;
}
async function liveHeap(controller: Controller, gauge: string): Promise<number> {
  process.kill(controller.pid, 'SIGUSR2');
  await until('the controller has reported its heap', 60, async () => existsSync(gauge));
  await sleep(500);
  return (JSON.parse(readFileSync(gauge, 'utf8')) as { liveMb: number }).liveMb;
}
