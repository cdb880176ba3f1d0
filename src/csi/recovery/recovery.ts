import pLimit from 'p-limit';
import { backoff } from '../../kube/clock.ts';
import type { Mount } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import { rebind } from './rebind.ts';
import { type Orphan, orphans } from './plan.ts';
import { type Outcome, tell } from './events.ts';

/** Consumers of one volume that are bound at a time: each is a child or two. */
const AT_ONCE = 4;
/** How late a new mount may be seen. */
const SEEN_MS = 250;
/** How often all consumers are looked at, whatever has changed. */
const LOOK_MS = 1_000;

/** Consumers of one volume, on their way. */
interface Queue {
  running: boolean;
  /** Something has changed since they were looked at. */
  again: boolean;
  failures: number;
  /** Calls off the next try. */
  cancel(): void;
}

/**
 * Binds consumers again whose FUSE client died and came back. It looks at the mount table whenever that changes, and when it starts:
 * everything it needs to know is in the table, in what the kubelet has written beside its mounts, and in volumes.
 *
 * Each volume has a queue of its own, for which nobody waits: a client that hangs, or an API server, holds up no other volume.
 */
export function startRecovery(context: NodeContext): { stop(): Promise<void> } {
  const { host, watch, clock, log } = context;
  const queues = new Map<string, Queue>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let stopped = false;
  let seen: readonly Mount[] | undefined;

  /** Looks at all volumes, or at one. */
  async function look(only?: string): Promise<void> {
    const mounts = await host.mounts();
    if (only === undefined) {
      if (mounts === seen) return;
      seen = mounts;
    }
    context.layers.keep(mounts);
    const found = Map.groupBy(orphans(mounts, context), ({ at }) => at.volumeName);
    for (const [name, queue] of queues)
      if (!found.has(name) && !queue.running) {
        queue.cancel();
        queues.delete(name);
      }
    for (const [name, consumers] of found) if (only === undefined || name === only) begin(name, consumers);
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

  async function serve(queue: Queue, name: string, consumers: readonly Orphan[]): Promise<void> {
    const failed = await bindAll(consumers);
    queue.running = false;
    queue.failures = failed > 0 ? queue.failures + 1 : 0;
    if (stopped) return;
    if (queue.again) await lookSafely(name);
    else if (failed > 0) queue.cancel = clock.after(backoff(queue.failures, clock.random), () => void lookSafely(name));
  }

  /** Returns how many are to be tried again. */
  async function bindAll(consumers: readonly Orphan[]): Promise<number> {
    const outcomes: Outcome[] = [];
    let lost = 0;
    async function bind(orphan: Orphan): Promise<void> {
      if (stopped) return;
      const outcome = await rebind(context, orphan).catch((error: unknown) => {
        lost++;
        log.warn({ target: orphan.target, error: String(error) }, 'a consumer cannot be looked up');
      });
      if (outcome) outcomes.push(outcome);
    }
    // The first alone: where the client hangs, the others are told so without a child each.
    const [first, ...others] = consumers;
    if (first) await bind(first);
    await pLimit(AT_ONCE).map(others, bind);
    tell(context, outcomes);
    return lost + outcomes.filter(({ error }) => error !== undefined).length;
  }

  async function lookSafely(only?: string): Promise<void> {
    try {
      await look(only);
    } catch (error) {
      log.error({ err: error }, 'broken mounts cannot be looked for');
    }
  }

  async function run(): Promise<void> {
    while (!stopped) {
      await lookSafely();
      await watch.changed(watch.last(), context.mountRoot, { everyMs: SEEN_MS, ms: LOOK_MS, signal: stopping.signal }).catch(() => {});
    }
  }

  const looking = run();
  return {
    async stop() {
      stopped = true;
      stopping.abort();
      await looking;
      for (const { cancel } of queues.values()) cancel();
      await Promise.all(running);
    },
  };
}
