import { label } from '../../src/api/index.ts';
import type { Controller } from '../../src/api-server/controllers/index.ts';
import { Refusal } from '../../src/api-server/refusals.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { does, oursOf } from './deeds.ts';
import { DENIED, mirrored, quotas } from './admission.ts';
import type { Admission } from '../../src/api-server/wire/answers.ts';
import type { WireRequest } from '../../src/api-server/wire/requests.ts';
import { type Fate, refusalOf } from './network.ts';
import type { Fault, Happening, Plan, RequestFault } from './plan.ts';
import { createProcessFaults } from './process-faults.ts';
import type { Random } from './random.ts';
import type { Process, VirtualTime } from './time.ts';
import type { World } from './world.ts';

/** The present faults. */
export interface Troubles {
  /** The fate of a request that is sent now. */
  fateOf(process: Process, request: WireRequest): Fate;
  readonly admit: Admission;
  /** Called with a process that is told to end. */
  onStopped: (process: Process) => void;
  /** Lets rivals act. */
  tick(server: ApiServer): void;
  /** Throws when a process is to fail as it begins to lead. */
  onLed(): void;
  /** How often something has failed, and whether nothing fails for longer at the moment. */
  readonly count: number;
  readonly isCalm: boolean;
  commandFate(): { readonly ms: number; readonly error?: string };
  /** Carries out a happening. What lasts ends by itself. */
  happens(happening: Happening, world: World): void;
  /** Nothing goes wrong from now on. */
  end(world: World): void;
}

/** A label that the controller writes, and that a rival changes back. */
const RIVALS = label.datasetId;
/** @param random decides which requests meet a fault, and how long each takes */
export function createTroubles(plan: Plan, time: VirtualTime, random: Random): Troubles {
  const rivals = new Set<{ readonly kind: string; readonly namespace: string | undefined; readonly name: string }>();
  let failsToLead = false;
  let count = 0;
  const requestFaults = new Set<RequestFault>();
  const denials = new Set<Extract<Fault, { fails: 'admission' }>>();
  const commandFaults = new Set<Extract<Fault, { fails: 'commands' }>>();
  const processes = createProcessFaults(time);

  const lasts = <T>(set: Set<T>, item: T, forMs: number): void => {
    set.add(item);
    time.after(forMs, () => set.delete(item));
  };
  const isMet = ({ verbs, kinds, share }: RequestFault, { verb, type }: WireRequest): boolean =>
    (verbs === undefined || verbs.includes(verb)) && (kinds === undefined || kinds.includes(type.kind)) && random.chance(share);

  function fateOf(process: Process, request: WireRequest): Fate {
    const fate = { thereMs: random.int(0, 3), backMs: random.int(0, 3) };
    const when = processes.atWrite(process, request);
    if (when !== undefined) return when === 'before' ? { ...fate, thereMs: 1, lost: 'before' } : { ...fate, backMs: 1 };
    for (const fault of requestFaults) {
      if (!isMet(fault, request)) continue;
      const { how, status = 500, lateMs = 0 } = fault;
      if (how === 'refused') return { ...fate, refused: refusalOf(status, request) };
      if (how === 'unsent') return { ...fate, lost: 'unsent' };
      if (how === 'lost') return { ...fate, lost: 'before' };
      if (how === 'unheard') return { ...fate, lost: 'after' };
      const there = random.chance(0.5);
      return there ? { ...fate, thereMs: lateMs } : { ...fate, backMs: lateMs };
    }
    return fate;
  }

  function fails(fault: Fault, world: World): void {
    switch (fault.fails) {
      case 'requests':
        return lasts(requestFaults, fault, fault.forMs);
      case 'admission':
        return lasts(denials, fault, fault.forMs);
      case 'commands':
        return lasts(commandFaults, fault, fault.forMs);
      case 'clock':
        for (const { process } of world.places) {
          if (!process) continue;
          process.wallAheadMs += fault.aheadMs;
          process.jumpedMs = time.nowMs;
        }
        return;
      case 'quota': {
        for (const quota of quotas('team')) {
          const { metadata } = world.server.get('Namespace', undefined, quota.metadata.namespace ?? '') ?? {};
          if (metadata && !metadata.deletionTimestamp) world.server.put(quota);
        }
        return void time.after(fault.forMs, () => lift(world.server));
      }
      case 'controllers':
        for (const each of fault.which as Controller[]) world.controllers.paused.add(each);
        return void time.after(fault.forMs, () => {
          for (const each of fault.which as Controller[]) world.controllers.paused.delete(each);
          world.server.onChange();
        });
      case 'pods': {
        const names = ['ml', 'lab'].map((namespace) => `${namespace}/${fault.of}`);
        for (const name of names) world.controllers.unready.add(name);
        world.server.onChange();
        return void time.after(fault.forMs, () => {
          for (const name of names) world.controllers.unready.delete(name);
          world.server.onChange();
        });
      }
      case 'leading':
        failsToLead = true;
        return void time.after(fault.forMs, () => {
          failsToLead = false;
        });
      case 'rival': {
        const ours = oursOf(world.server);
        const object = ours[fault.which % Math.max(1, ours.length)];
        if (object) lasts(rivals, { kind: object.kind, namespace: object.metadata.namespace, name: object.metadata.name }, fault.forMs);
        return;
      }
      case 'watch':
        return watchFails(fault, world);
      case 'process':
        return processes.fails(fault, world);
    }
  }

  function lift(server: ApiServer): void {
    for (const { kind, metadata } of quotas('team')) server.delete(kind, metadata.namespace, metadata.name);
  }

  function watchFails({ kind, how, forMs }: Extract<Fault, { fails: 'watch' }>, { network, server }: World): void {
    if (how === 'gone') server.compact();
    for (const stream of network.streams) {
      if (kind !== undefined && stream.type.kind !== kind) continue;
      if (how === 'stalled') stream.stalledUntilMs = time.nowMs + forMs;
      else if (how === 'repeated') stream.repeat();
      else stream.end(how === 'closed' ? 'closed' : 'broken');
    }
  }

  return {
    fateOf,
    set onStopped(call: (process: Process) => void) {
      processes.onStopped = call;
    },
    get count() {
      return count;
    },
    get isCalm() {
      return requestFaults.size + denials.size + commandFaults.size === 0 && processes.isCalm && !failsToLead;
    },
    onLed() {
      if (!failsToLead) return;
      failsToLead = false;
      throw new Error('simulated: the process cannot lead');
    },
    tick(server) {
      for (const { kind, namespace, name } of rivals) {
        const object = server.get(kind, namespace, name);
        if (!object || object.metadata.deletionTimestamp || object.metadata.labels?.[RIVALS] === 'rival') continue;
        server.objects.patch(
          { type: server.typeOf(kind), namespace, name },
          'merge',
          { metadata: { labels: { [RIVALS]: 'rival' } } },
          { manager: 'rival' },
        );
      }
    },
    admit(request, object) {
      const isWritten = ['create', 'update', 'apply', 'patch'].includes(request.verb);
      if (plan.denied === object.kind && request.verb === 'create')
        throw new Refusal(403, 'Forbidden', `${request.type.plural} "${object.metadata.name}" is forbidden: ${DENIED}`, {
          name: object.metadata.name,
          kind: request.type.plural,
        });
      for (const { kinds, message } of denials)
        if (kinds.includes(object.kind) && isWritten)
          throw new Refusal(403, 'Forbidden', `${request.type.plural} "${object.metadata.name}" is forbidden: ${message}`, {
            name: object.metadata.name,
            kind: request.type.plural,
          });
      return plan.mutates && isWritten ? mirrored(object) : object;
    },
    commandFate() {
      const ms = random.int(1, 30);
      for (const { how } of commandFaults) return how === 'hang' ? { ms: 60_000 } : { ms, error: 'simulated: the connection was refused' };
      return { ms };
    },
    end({ controllers, machines, places, server, start }) {
      lift(server);
      machines.rest();
      for (const set of [requestFaults, denials, commandFaults, rivals]) set.clear();
      processes.end();
      failsToLead = false;
      controllers.paused.clear();
      controllers.unready.clear();
      for (const place of places) if (!place.process) start(place);
    },
    happens(happening, world) {
      if ('does' in happening) return does(happening, world);
      count++;
      fails(happening, world);
    },
  };
}
