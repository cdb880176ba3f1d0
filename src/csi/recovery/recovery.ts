/**
 * Binds the volumes of pods again whose FUSE client died and came back, and unmounts what fuse pods leave behind (deleted.ts).
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
import { createQueue, type Outcome, type PassInfo, settled, waiting } from '../../kube/turns/queue.ts';
import type { MountInfo } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import { leftBelow, volumeOf } from './deleted.ts';
import { rebind } from './rebind.ts';
import { type Orphan, orphans } from './plan.ts';
import { type RebindResult, recordResults } from './events.ts';

/** How many consumers of one volume are bound at a time: each takes a child process or two. */
const AT_ONCE = 4;
/** How late a new mount is seen. */
const SEEN_MS = 250;
/** All consumers are checked this often, even without a change. */
const CHECK_MS = 1_000;
/** How late the plugin sees that the kubelet has emptied the directory of a volume. */
const EMPTIED_MS = 5_000;

/**
 * Checks the mount table when it starts and whenever the table changes. All that it needs is in the table, in the files that the kubelet
 * keeps beside its mounts, and in PersistentVolumes.
 */
export function startRecovery(context: NodeContext): { stop(): Promise<void> } {
  const { host, watch, clock, log } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The consumers to bind again by volume, as in the last reading of the table. */
  let read: { readonly mounts: readonly MountInfo[]; readonly byVolume: ReadonlyMap<string, readonly Orphan[]> } | undefined;
  let checked: readonly MountInfo[] | undefined;
  /** Volumes with consumers that could not be bound. */
  const failing = new Set<string>();
  /** Keys are volumes. */
  const queue = createQueue({ concurrency: Infinity, work: serve, eventBackoffMs: 0, clock });
  /** The only key is the mount root. */
  const cleaning = createQueue({ concurrency: 1, work: unmountLeft, clock });

  async function readTable() {
    const mounts = await host.mounts();
    if (read?.mounts !== mounts) read = { mounts, byVolume: Map.groupBy(orphans(mounts, context), ({ at }) => at.volumeName) };
    return read;
  }

  async function check(): Promise<void> {
    const { mounts, byVolume } = await readTable();
    if (mounts === checked) return;
    context.layers.keep(mounts);
    const { deleted, repeated } = leftBelow(mounts, context.mountRoot);
    if (deleted.length + repeated.length > 0) cleaning.add(context.mountRoot);
    // A volume whose consumers were unpublished meanwhile is settled by its next pass.
    for (const name of new Set([...failing, ...byVolume.keys()])) queue.add(name);
    // Last: what fails on the way is done again with the next check.
    checked = mounts;
  }

  /** One pass over a volume. */
  async function serve(name: string, { failures }: PassInfo): Promise<Outcome> {
    const failed = await readTable().then(
      ({ byVolume }) => bindAll(context, byVolume.get(name) ?? [], signal),
      (error: unknown) => (complain(error), 1),
    );
    if (failed === 0) {
      failing.delete(name);
      return settled();
    }
    failing.add(name);
    return { kind: 'failed', afterMs: backoff(failures + 1, clock.random) };
  }

  /** Mounts below an unmounted one are seen by the next check. */
  async function unmountLeft(mountRoot: string): Promise<Outcome> {
    const { deleted, repeated } = leftBelow(await host.mounts(), mountRoot);
    let failed = 0;
    for (const mount of [...deleted, ...repeated.filter((each) => host.isEmptied(volumeOf(each) ?? ''))]) {
      const { mountPoint: path } = mount;
      try {
        await host.detach(mount);
        log.info({ path }, 'unmounted what a fuse pod that is gone has left behind');
      } catch (error) {
        failed++;
        log.warn({ path, error: String(error) }, 'what a fuse pod that is gone has left behind cannot be unmounted; retrying');
      }
    }
    if (failed > 0) return { kind: 'failed' };
    // The mount table does not show that the kubelet empties a directory.
    return repeated.length > 0 ? waiting(EMPTIED_MS) : settled();
  }

  const complain = (error: unknown) => log.error({ err: error }, 'the mount table cannot be checked for dead mounts');

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await check().catch(complain);
      await watch.changed(watch.last(), context.mountRoot, { everyMs: SEEN_MS, ms: CHECK_MS, signal }).catch(() => {});
    }
  }

  const checking = run();
  return {
    async stop() {
      stopping.abort();
      await Promise.all([checking, queue.stop(), cleaning.stop()]);
    },
  };
}

/** Binds the consumers of one volume. Returns how many must be retried. */
async function bindAll(context: NodeContext, consumers: readonly Orphan[], signal: AbortSignal): Promise<number> {
  const results: RebindResult[] = [];
  let lost = 0;
  async function bind(orphan: Orphan): Promise<void> {
    if (signal.aborted) return;
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
  // Without a text the client is still starting: that is no failure.
  for (const { fusePath, error, unseen } of results)
    if (error !== '') context.metrics?.recovered(fusePath, error !== undefined ? 'failed' : unseen ? 'unseen' : 'bound');
  return lost + results.filter(({ error }) => error !== undefined).length;
}
