import { setTimeout as sleep } from 'node:timers/promises';
import type { TestNode } from '../test/csi/real-mounts/mount-node.ts';
import type { TestPlugin } from '../test/csi/real-mounts/plugin.ts';
import type { Calls } from './csi-calls.ts';
import { fusePath } from './csi-volumes.ts';
import { atMost, type Figure } from './figure.ts';
import { range, say, timed } from './lab.ts';
import { cpuSeconds } from './proc.ts';
import { largest, quantile, rounded } from './statistics.ts';

const FOREIGN = 1_000;
const WAITING = 100;
/** Volumes that are served from the start, by the bench before. */
const FIRST = 8;

/**
 * One pod after the other on a node that is full: a thousand mounts of others, and a hundred pods that wait for a fuse pod which does not come.
 */
export async function* crowded(node: TestNode, calls: Calls, { pid, call }: TestPlugin, runs: number): AsyncIterable<Figure> {
  const publishes = async (pod: number): Promise<readonly number[]> => {
    const times: number[] = [];
    for (const i of range(runs)) {
      times.push(await timed(() => calls.publish(0, pod + i)));
      await calls.unpublish(0, pod + i);
    }
    return times;
  };
  const alone = quantile(await publishes(10_000), 0.5);
  say(`${FOREIGN} mounts of others, ${WAITING} publications that wait`);
  const foreign = (i: number) => `${node.kubelet}/pods/foreign-${i}/volumes/kubernetes.io~empty-dir/cache`;
  // So many in one file system: it is the lines that count.
  node.sh('for d; do mkdir -p "$d"; mount -n --bind "$d" "$d"; done', ...range(FOREIGN).map(foreign));
  let wanted = true;
  // Once it says why, it is asked again at once, as a kubelet would after a pause.
  const publishUntilThere = async (i: number): Promise<void> => {
    for (;;) {
      try {
        await calls.publish(i, 20_000);
        return;
      } catch (error) {
        if (!wanted) throw error;
      }
    }
  };
  const waiting = range(WAITING).map((i) => publishUntilThere(FIRST + i));
  await sleep(1_000);

  const answers: number[] = [];
  let measuring = true;
  const asking = (async () => {
    while (measuring) {
      answers.push(await timed(() => call.probe({})));
      await sleep(10);
    }
  })();
  const among = quantile(await publishes(30_000), 0.5);
  const ms = { ms: rounded(among), alone: rounded(alone), mounts: FOREIGN, waiting: WAITING };
  yield atMost('csi/crowd-publish', among / alone, 'times as long as on an empty node, p50', 1.5, ms);

  say('mounts that come and go');
  const changes = Math.min(runs, 100);
  const share = async (work: () => Promise<unknown>) => {
    const [before, began] = [cpuSeconds(pid), performance.now()];
    await work();
    const ms = performance.now() - began;
    return { ms, share: ((cpuSeconds(pid) - before) * 1000) / ms };
  };
  // The wait alone, a reading every 50 to 100 ms, costs this much without a change.
  const quiet = await share(() => sleep(5_000));
  const busy = await share(async () => {
    for (const i of range(changes)) {
      const point = foreign(FOREIGN + i);
      node.sh('mkdir -p "$1" && mount -n --bind "$1" "$1"', point);
      await sleep(100);
    }
  });
  yield atMost('csi/crowd-change', ((busy.share - quiet.share) * busy.ms) / changes, 'ms of CPU a mount change', 5, { changes });
  yield atMost('csi/crowd-wait', quiet.share, 'of a core while they wait', 0.05, { mounts: FOREIGN, waiting: WAITING });
  measuring = false;
  await asking;
  yield atMost('csi/crowd-answer', largest(answers), 'ms until the slowest probe is answered', 100, { probes: answers.length });

  const served = performance.now();
  calls.serve(FIRST, FIRST + WAITING);
  await Promise.all(waiting);
  yield atMost('csi/crowd-served', (performance.now() - served) / 1000, 's until all are published', 3, { waiting: WAITING });
  wanted = false;
  for (const i of range(WAITING)) await calls.unpublish(FIRST + i, 20_000);
  const own = range(WAITING).map((i) => fusePath(node.mountRoot, FIRST + i));
  node.sh('for d; do umount -n "$d"; done', ...range(FOREIGN + changes).map(foreign), ...own);
}
