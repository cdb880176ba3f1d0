/**
 * Binds the volumes of pods again whose FUSE client died and came back.
 *
 * Invariants:
 * R1. A consumer is bound again only if what it shows is mounted nowhere below the mount root any more, or if it is read-only and lacks
 *     a mount below its source.
 * R2. Only paths at which the kubelet mounts volumes, or sub paths of them, for pods are ever changed.
 * R3. A consumer gets the part of the volume that it had, as read-only or writable as it was.
 * R4. A pod never sees more than the sub path of its own PersistentVolume, even when the directory that it had was removed.
 * R5. Nothing is bound before a client of the volume's mount type has mounted.
 * R6. A target is bound only while no call of the kubelet holds it, and to what the mount table shows then.
 * R7. The new mount goes on top of the old ones, so that running containers see it; in their place only where the kernel rejects that.
 * R8. A layer is unmounted only if no running container can have started on it; in doubt it stays.
 * R9. While the API server answers, layers at a target do not grow in number with each recovery.
 * R10. A volume that a publish call has named is bound again without the API server.
 * R11. All state that recovery needs outlives the plugin: a restart in the middle loses no consumer.
 * R12. A consumer that could not be bound is retried with back-off until it is bound or gone.
 * R13. A client that hangs, and a call of the kubelet that waits, delay the consumers of their own volume only.
 * R14. A sub path that the new client does not have, or whose pod has ended, is unmounted rather than bound again, so that the kubelet can
 *     start the container, or remove the pod.
 * R15. Each round writes at most one event for each Dataset, FUSE path and result, however many pods it concerns.
 */
import pLimit from 'p-limit';
import { backoff } from '../../kube/clock.ts';
import type { Mount } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import { rebind } from './rebind.ts';
import { type Orphan, orphans } from './plan.ts';
import { type RebindResult, recordResults } from './events.ts';

/** How many consumers of one volume are bound at a time: each takes a child process or two. */
const AT_ONCE = 4;
/** How late a new mount is seen. */
const SEEN_MS = 250;
/** How often all consumers are checked, whatever has changed. */
const CHECK_MS = 1_000;

/** The work on the consumers of one volume: idle, running, or waiting for its next try. */
interface VolumeQueue {
  running: boolean;
  /** The mount table has changed since this run began. */
  again: boolean;
  failures: number;
  /** Cancels the next try. */
  cancel(): void;
}

/**
 * Checks the mount table when it starts and whenever the table changes. All that it needs is in the table, in the files that the kubelet
 * keeps beside its mounts, and in PersistentVolumes.
 */
export function startRecovery(context: NodeContext): { stop(): Promise<void> } {
  const { host, watch, clock, log } = context;
  const queues = new Map<string, VolumeQueue>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let stopped = false;
  let seen: readonly Mount[] | undefined;

  /** Checks the consumers of all volumes, or of one. */
  async function check(only?: string): Promise<void> {
    const mounts = await host.mounts();
    if (only === undefined && mounts === seen) return;
    context.layers.keep(mounts);
    const found = Map.groupBy(orphans(mounts, context), ({ at }) => at.volumeName);
    for (const [name, queue] of queues)
      if (!found.has(name) && !queue.running) {
        queue.cancel();
        queues.delete(name);
      }
    for (const [name, consumers] of found) if (only === undefined || name === only) begin(name, consumers);
    // Last: what fails on the way is done again with the next check.
    if (only === undefined) seen = mounts;
  }

  function begin(name: string, consumers: readonly Orphan[]): void {
    const queue = queues.get(name) ?? { running: false, again: false, failures: 0, cancel() {} };
    queues.set(name, queue);
    queue.cancel();
    if (stopped) return;
    if (queue.running) {
      queue.again = true;
      return;
    }
    Object.assign(queue, { running: true, again: false });
    const work = serve(queue, name, consumers).finally(() => running.delete(work));
    running.add(work);
  }

  async function serve(queue: VolumeQueue, name: string, consumers: readonly Orphan[]): Promise<void> {
    const failed = await bindAll(context, consumers, () => stopped);
    queue.running = false;
    queue.failures = failed > 0 ? queue.failures + 1 : 0;
    if (stopped) return;
    if (queue.again) await checkSafely(name);
    else if (failed > 0) retry(queue, name);
  }

  function retry(queue: VolumeQueue, name: string): void {
    queue.cancel = clock.after(backoff(queue.failures, clock.random), () => void checkSafely(name));
  }

  async function checkSafely(only?: string): Promise<void> {
    try {
      await check(only);
    } catch (error) {
      log.error({ err: error }, 'the mount table cannot be checked for dead mounts');
      // The mount table may stay as it is, and then nothing else begins this volume again.
      const queue = only === undefined ? undefined : queues.get(only);
      if (!queue || queue.running || stopped) return;
      queue.failures++;
      retry(queue, only ?? '');
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      await checkSafely();
      await watch.changed(watch.last(), context.mountRoot, { everyMs: SEEN_MS, ms: CHECK_MS, signal: stopping.signal }).catch(() => {});
    }
  }

  const checking = run();
  return {
    async stop() {
      stopped = true;
      stopping.abort();
      await checking;
      for (const { cancel } of queues.values()) cancel();
      await Promise.all(running);
    },
  };
}

/** Binds the consumers of one volume. Returns how many must be retried. */
async function bindAll(context: NodeContext, consumers: readonly Orphan[], isStopped: () => boolean): Promise<number> {
  const results: RebindResult[] = [];
  let lost = 0;
  async function bind(orphan: Orphan): Promise<void> {
    if (isStopped()) return;
    const result = await rebind(context, orphan).catch((error: unknown) => {
      lost++;
      context.log.warn({ target: orphan.target, error: String(error) }, 'the volume of a pod cannot be read; retrying');
    });
    if (result) results.push(result);
  }
  // The first alone: if the client hangs, the others fail without a child process each.
  const [first, ...others] = consumers;
  if (first) await bind(first);
  await pLimit(AT_ONCE).map(others, bind);
  recordResults(context, results);
  return lost + results.filter(({ error }) => error !== undefined).length;
}
