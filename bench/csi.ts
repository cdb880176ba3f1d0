import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_PLUGIN_MEMORY } from '../src/install/memory.ts';
import { startMountNode, type TestNode, whyNoMounts } from '../test/csi/real-mounts/mount-node.ts';
import type { TestPlugin } from '../test/csi/real-mounts/plugin.ts';
import { bundled, PROGRAM } from './controller.ts';
import { createVolumes, fusePath, labelsLeft } from './csi-volumes.ts';
import { type Bare, bareCosts, openShell } from './bare.ts';
import { type Calls, callsOf } from './csi-calls.ts';
import { crowded } from './csi-crowd.ts';
import { atLeast, atMost, type Bench, type Figure } from './figure.ts';
import { atOnce, range, say, timed } from './lab.ts';
import { memory, memoryWithChildren } from './proc.ts';
import { quantile, rounded } from './statistics.ts';

const NODE = 'node-0';
const VOLUMES = 500;
/** By then connections to the API server that are idle are closed (src/kube/client/pools.ts). */
const IDLE_MS = 65_000;

/**
 * `sluice csi` in mount namespaces like those of its pod, asked over its socket as the kubelet asks, with file systems in memory where
 * fuse pods would mount: what the plugin itself takes. Labels go to a real API server.
 */
export const csi: Bench = {
  name: 'csi',
  async *run({ lab: open, quick }) {
    const reason = whyNoMounts();
    if (reason) throw new Error(reason);
    const lab = await open();
    await bundled();
    const node = await startMountNode();
    try {
      const [runs, cycles] = quick ? [50, 500] : [500, 5_000];
      await createVolumes(lab, node.mountRoot, Math.max(runs, VOLUMES));
      const cluster = ['--node-id', NODE, '--kubeconfig', lab.plane.kubeconfig];
      const places = ['--kubelet-dir', node.kubelet, '--mount-root', node.mountRoot];
      const memory = Object.entries(NODE_PLUGIN_MEMORY).map((variable) => variable.join('='));
      const plugin = await node.startProgram(['env', ...memory, process.execPath, PROGRAM, 'csi', ...cluster, ...places]);
      const calls = callsOf(node, plugin);
      const bare = await bareCosts(plugin.pid, `${node.kubelet}/bare`, runs);
      yield* latencies(calls, bare, runs);
      yield* crowded(node, calls, plugin, quick ? 50 : 300);
      // The fuse pods go with the labels: the rest of them would count as departing.
      calls.unserve(0, 8);
      yield* staging(calls, runs);
      yield* longRun(node, calls, plugin, cycles);
      const left = await labelsLeft(lab, NODE);
      if (left > 0) throw new Error(`${left} labels are left on the node, though every volume was unstaged`);
      await plugin.end();
    } finally {
      await node.close();
    }
  },
};

async function* latencies(calls: Calls, bare: Bare, runs: number): AsyncIterable<Figure> {
  calls.serve(0, 8);
  const pods = range(runs);
  for (const i of range(20)) {
    await calls.publish(0, i);
    await calls.unpublish(0, i);
  }
  say('publish, one at a time');
  const [written, repeated, taken, readOnly]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const i of pods) {
    written.push(await timed(() => calls.publish(0, i)));
    repeated.push(await timed(() => calls.publish(0, i)));
    taken.push(await timed(() => calls.unpublish(0, i)));
    readOnly.push(await timed(() => calls.publish(1, i, 3)));
    await calls.unpublish(1, i);
  }
  const one = quantile(written, 0.5);
  // One program and one call; three calls, of two programs; one program and a removal.
  yield timesBare('publish', written, bare.bind, 2.5, { bareBind: rounded(bare.bind), bareChild: rounded(bare.child) });
  yield timesBare('publish-read-only', readOnly, 2 * bare.bind, 2.5, { bareBind: rounded(bare.bind) });
  yield timesBare('unpublish', taken, bare.unbind, 2.5, { bareUnbind: rounded(bare.unbind) });
  yield timesBare('publish-again', repeated, bare.child, 2, { bareChild: rounded(bare.child) });
  say('publish, 8 at once');
  const crowd: number[] = [];
  for (const i of pods) {
    crowd.push(...(await Promise.all(range(8).map((volume) => timed(() => calls.publish(volume, i))))));
    await Promise.all(range(8).map((volume) => calls.unpublish(volume, i)));
  }
  yield atMost('csi/publish-8-at-once', quantile(crowd, 0.5) / one, 'times one alone, p50', 2.5, {
    ms: rounded(quantile(crowd, 0.5)),
    p99: rounded(quantile(crowd, 0.99)),
  });
}

async function* staging(calls: Calls, runs: number): AsyncIterable<Figure> {
  const pods = range(runs);
  say('stage');
  const staged: number[] = [];
  for (const i of pods) staged.push(await timed(() => calls.stage(i)));
  const unstaged: number[] = [];
  for (const i of pods) unstaged.push(await timed(() => calls.unstage(i)));
  const [p99, unstage] = [rounded(quantile(staged, 0.99)), rounded(quantile(unstaged, 0.5))];
  yield atMost('csi/stage', quantile(staged, 0.5), 'ms p50', 15, { p99, unstage });
  const began = performance.now();
  await atOnce(8, pods, calls.stage);
  yield atLeast('csi/stage-rate', (runs * 1000) / (performance.now() - began), 'volumes/s', 50, { atOnce: 8 });
  await atOnce(8, pods, calls.unstage);
}

/** Stage, publish, unpublish, unstage of one volume after the other, with hundreds of mounts in the table. */
async function* longRun(node: TestNode, calls: Calls, { pid }: TestPlugin, cycles: number): AsyncIterable<Figure> {
  calls.serve(0, VOLUMES);
  const host = openShell(node.pid);
  const cycle = async (i: number) => {
    const volume = i % VOLUMES;
    await calls.stage(volume);
    await calls.publish(volume, i, i % 2 === 0 ? 5 : 3);
    await calls.unpublish(volume, i);
    await calls.unstage(volume);
    // The volume's fuse pod goes and comes again, as another file system.
    const place = fusePath(node.mountRoot, volume);
    const next = `${node.dir}/next`;
    await host.run(
      `mkdir -p ${next}; mount -n -t tmpfs live ${next}; umount -n ${place}; mount -n --bind ${next} ${place}; umount -n ${next}`,
    );
  };
  const left = async () => {
    const taken = memoryWithChildren(pid);
    await sleep(IDLE_MS);
    return { ...taken, descriptors: readdirSync(`/proc/${pid}/fd`).length };
  };
  say(`${cycles} cycles`);
  try {
    await atOnce(4, range(cycles), cycle);
    const first = await left();
    say(`${cycles} more`);
    await atOnce(4, range(cycles), (i) => cycle(cycles + i));
    const second = await left();
    yield* memoryFigures(pid, cycles, first, second);
  } finally {
    // The host would keep the bench from ending.
    host.close();
  }
}

type Left = ReturnType<typeof memoryWithChildren> & { readonly descriptors: number };

function* memoryFigures(pid: number, cycles: number, first: Left, second: Left): Iterable<Figure> {
  yield atMost('csi/rss', first.rss, 'MB', 100, { cycles, volumes: VOLUMES, ofPlugin: rounded(first.own), peak: memory(pid).peak });
  yield atMost('csi/rss-growth', second.rss - first.rss, 'MB', 5, { cycles });
  yield atMost('csi/descriptors', second.descriptors - first.descriptors, 'descriptors', 0, { first: first.descriptors });
}

/** How many times as long as what it cannot do without, on this machine and in this run. */
const timesBare = (name: string, times: readonly number[], bare: number, most: number, detail: object): Figure =>
  atMost(`csi/${name}`, quantile(times, 0.5) / bare, 'times the bare programs, p50', most, {
    ms: rounded(quantile(times, 0.5)),
    p99: rounded(quantile(times, 0.99)),
    ...detail,
  });
