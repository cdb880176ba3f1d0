import type { KubeObject } from '../../../src/kube/types.ts';
import type { Controller } from '../../../src/reconciler/controller.ts';
import type { Metrics } from '../../../src/reconciler/metrics.ts';
import type { createQueue } from '../../../src/kube/turns/queue.ts';
import type { WireAnswer } from '../../../src/api-server/wire/answers.ts';
import type { WireRequest } from '../../../src/api-server/wire/requests.ts';
import type { Troubles } from '../happen.ts';
import { nameOf, type Plan } from '../plan.ts';
import type { createTime, Process } from '../time.ts';
import { holderOf, type World } from '../world.ts';
import { createApplierCheck } from './applier.ts';
import { createEchoCheck } from './echoes.ts';
import { createLeaseCheck } from './lease.ts';
import { watchedQueue } from './queue.ts';
import { createRateCheck } from './rates.ts';
import { type StoreCheck, watchStore } from './store.ts';
import { createWriteCheck } from './writes.ts';

interface Surroundings {
  readonly plan: Plan;
  readonly time: ReturnType<typeof createTime>;
  readonly troubles: Troubles;
  readonly isUsers: (uid: string) => boolean;
  readonly found: (what: string | undefined) => void;
  readonly world: () => World;
}

/** All that looks on while a world runs. */
export interface Checks {
  onStart(process: Process, controller: Controller): void;
  onStopped(process: Process): void;
  onCommand(process: Process): void;
  onSent(process: Process, request: WireRequest): void;
  onAnswered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): void;
  onDelivered(process: Process, request: WireRequest, isTaken: boolean): void;
  onShown(process: Process, object: KubeObject, isDeleted: boolean): void;
  logged(process: Process, message: string, fields: object): string | undefined;
  leaseVanished(): void;
  metricsOf(process: Process): Metrics;
  readonly createQueue: typeof createQueue;
  /** Looks at the stores of all processes. */
  look(): void;
  /** Leaks in the stores of processes once everything is at rest. */
  atRest(): readonly string[];
  /** Called with each request once nothing happens any more. */
  onSentAtRest: (process: Process, request: WireRequest) => void;
  /** A user has edited something. */
  edited(): void;
  readonly passes: number;
}

/** A runtime that exists may have a port reserved that its present spec does not need. */
const reservedIn = ({ store }: Controller): ReadonlySet<number> =>
  new Set([...store.allRuntimes()].flatMap(({ object }) => Object.values(store.ports.reserved(object.metadata.uid ?? ''))));
/** All host ports of the runtimes' ranges. */
const PORTS = Array.from({ length: 32_000 }, (_, i) => 10_000 + i);
/** In which a process leads whose own Lease it finds, or a free one, while nothing fails, ms. */
const AT_ONCE_MS = 4000;
/** A standby whose write conflicted takes that for another's, and waits for as long as the Lease promises (src/kube/lease/standby.ts), ms. */
const LEASE_MS = 6000;

export function createChecks({ plan, time, troubles, isUsers, found, world }: Surroundings): Checks {
  const server = () => world().server;
  const holder = () => holderOf(server());
  const lease = createLeaseCheck(time, holder, found);
  const lazily = <T>(create: () => T): (() => T) => {
    let made: T | undefined;
    return () => (made ??= create());
  };
  const writes = lazily(() => createWriteCheck(server(), isUsers, lease.mayStillWrite));
  const applier = lazily(() => createApplierCheck(server(), time, plan.mutates));
  const echoes = createEchoCheck(time);
  const rates = createRateCheck(time);
  const stores = new Map<Process, StoreCheck>();
  let passes = 0;
  let vanishings = 0;

  /** A Lease that is free, or its own, a process takes at once (L5). */
  function leadsSoon(process: Process): void {
    const { count } = troubles;
    const before = vanishings;
    const atMs = time.nowMs;
    // One that was deleted is its holder's for a while (L6).
    if (holder() === undefined && vanishings > 0) return;
    if (stopped.has(process) || !troubles.isCalm || ![undefined, '', process.name].includes(holder())) return;
    time.after(AT_ONCE_MS, () => {
      const isUndisturbed =
        troubles.isCalm &&
        troubles.count === count &&
        vanishings === before &&
        process.state === 'running' &&
        !stopped.has(process) &&
        process.pausedMs < atMs &&
        (conflictedMs.get(process) ?? Number.NEGATIVE_INFINITY) < atMs - LEASE_MS;
      const by = holder();
      if (isUndisturbed && (by === undefined || by === '')) found(`the Lease was free, and ${process.name} did not take it (L5)`);
      if (isUndisturbed && by === process.name && !leading.has(process)) found(`${process.name} did not take its own Lease at once (L5)`);
    });
  }
  const leading = new Set<Process>();
  const stopped = new WeakSet<Process>();
  const conflictedMs = new WeakMap<Process, number>();

  const self: Checks = {
    onStart(process, controller) {
      lease.began(process, () => controller.isLeader);
      stores.set(
        process,
        watchStore(controller.store, process, time, found, (object) => echoes.remembered(process, object)),
      );
      // Requests that were late may be answered long after the trouble has ended.
      const { isCalm } = troubles;
      time.after(1500, () => isCalm && leadsSoon(process));
    },
    onStopped(process) {
      lease.stopped(process);
      stopped.add(process);
      for (const { process: other } of world().places) if (other && other !== process) time.after(2000, () => leadsSoon(other));
    },
    onCommand(process) {
      if (![undefined, process.name].includes(holder()) && !lease.mayStillWrite(process))
        found(`${process.name} ran a command in a pod while ${holder() || 'nobody'} held the Lease`);
    },
    onSent(process, request) {
      found(
        rates.sent(process, request) ?? lease.sent(process, request) ?? writes().sent(process, request) ?? applier().sent(process, request),
      );
      self.onSentAtRest(process, request);
    },
    onAnswered(process, request, answer, before) {
      const { type, namespace, name = '' } = request;
      if (answer.status === 404)
        echoes.foundGone(process, nameOf({ apiVersion: '', kind: type.kind, metadata: { namespace, name } } as KubeObject));
      if (type.kind === 'Lease' && answer.status === 409) conflictedMs.set(process, time.nowMs);
      found(lease.answered(process, request, answer, before));
      found(writes().answered(process, request, answer, before));
      found(applier().answered(process, request, answer, before));
    },
    onDelivered(process, request, isTaken) {
      lease.delivered(process, request, isTaken);
      applier().delivered(process, request, isTaken);
    },
    onShown(process, object, isDeleted) {
      if (isDeleted) return stores.get(process)?.deleted(object);
      echoes.shown(process, object);
      applier().shown(process, object);
      lease.shown(process, object);
    },
    logged: lease.logged,
    leaseVanished() {
      vanishings++;
      lease.vanished();
    },
    metricsOf: (process) => {
      const nothing = () => {};
      const metrics: Partial<Metrics> = {
        requested: nothing,
        sidecarStopped: nothing,
        setupFailed: nothing,
        forgotten: nothing,
        added: nothing,
        waited: nothing,
        queued: nothing,
        retried: nothing,
        operationEnded: nothing,
        reconciled: () => void passes++,
        led(isLeader) {
          found(lease.led(process, isLeader));
          if (isLeader) applier().led(process);
          if (isLeader) leading.add(process);
          else leading.delete(process);
          if (isLeader) troubles.onLed();
        },
      };
      // The cast: nothing scrapes.
      return metrics as Metrics;
    },
    createQueue: watchedQueue(time, found, {
      passMs: plan.passMs,
      added(key) {
        const process = time.current();
        if (process) found(echoes.added(process, key));
      },
      began(key) {
        const process = time.current();
        if (process) applier().began(process, key);
      },
    }),
    look() {
      for (const [process, check] of stores) if (process.state === 'running') check.look();
      for (const process of stores.keys()) if (process.state === 'dead') stores.delete(process);
    },
    atRest() {
      const recorded = JSON.stringify(
        server()
          .all()
          .map(({ metadata }) => metadata.annotations?.['data.fluid.io/ports'] ?? ''),
      );
      return world().places.flatMap(({ process, controller }) => {
        if (!process || !controller) return [];
        const reserved = reservedIn(controller);
        const isKept = (port: number) => controller.store.ports.isTaken(port) && !recorded.includes(String(port)) && !reserved.has(port);
        return PORTS.filter(isKept).map((port) => `the store of ${process.name} keeps port ${port}, which no runtime has (S13)`);
      });
    },
    onSentAtRest: () => {},
    edited: () => applier().edited(),
    get passes() {
      return passes;
    },
  };
  return self;
}
