import type { Controller } from '../../src/testing/api-server/controllers/index.ts';
import { Refusal } from '../../src/testing/api-server/refusals.ts';
import { WRITES } from '../../src/testing/api-server/rules.ts';
import type { ApiServer } from '../../src/testing/api-server/index.ts';
import { does, oursOf } from './deeds.ts';
import type { Admission, WireRequest } from './front.ts';
import { type Fate, refusalOf } from './network.ts';
import type { Fault, Happening, Plan, RequestFault } from './plan.ts';
import type { Random } from './random.ts';
import type { Process, VirtualTime } from './time.ts';
import type { World } from './world.ts';

/** What is wrong at the moment. */
export interface Troubles {
  /** What becomes of a request that is sent now. */
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

const RIVALS = 'fluid.io/dataset';
export const DENIED = 'exceeded quota: for ever';

interface PodTemplate {
  readonly spec: { readonly containers?: readonly { readonly image?: string }[] };
}
/** What a webhook makes of a workload: its images come from a mirror. */
export function mirrored<T extends object>(object: T): T {
  const { spec } = object as { spec?: { template?: PodTemplate } };
  const template = spec?.template;
  if (!template?.spec?.containers) return object;
  const containers = template.spec.containers.map((each) => ({
    ...each,
    image: each.image?.startsWith('mirror/') ? each.image : `mirror/${each.image}`,
  }));
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

/** @param random decides which requests meet a fault, and how long each takes */
export function createTroubles(plan: Plan, time: VirtualTime, random: Random): Troubles {
  const rivals = new Set<{ readonly kind: string; readonly namespace: string | undefined; readonly name: string }>();
  let failsToLead = false;
  let count = 0;
  const requestFaults = new Set<RequestFault>();
  const denials = new Set<Extract<Fault, { fails: 'admission' }>>();
  const commandFaults = new Set<Extract<Fault, { fails: 'commands' }>>();
  const deaths = new Set<{ left: number; readonly when: 'before' | 'after'; readonly forMs: number }>();
  let onStopped: (process: Process) => void = () => {};
  let kills: (process: Process, forMs: number) => void = () => {};

  const lasts = <T>(set: Set<T>, item: T, forMs: number): void => {
    set.add(item);
    time.after(forMs, () => set.delete(item));
  };
  const isMet = ({ verbs, kinds, share }: RequestFault, { verb, type }: WireRequest): boolean =>
    (verbs === undefined || verbs.includes(verb)) && (kinds === undefined || kinds.includes(type.kind)) && random.chance(share);

  function fateOf(process: Process, request: WireRequest): Fate {
    const fate = { thereMs: random.int(0, 3), backMs: random.int(0, 3) };
    if (WRITES.includes(request.verb) && request.type.kind !== 'Lease')
      for (const death of deaths) {
        if (--death.left > 0) continue;
        deaths.delete(death);
        const { when, forMs } = death;
        time.after(0, () => kills(process, forMs));
        return when === 'before' ? { ...fate, thereMs: 1, lost: 'before' } : { ...fate, backMs: 1 };
      }
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
        return processFails(fault, world);
    }
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

  function processFails(fault: Extract<Fault, { fails: 'process' }>, world: World): void {
    if (fault.how === 'dies') {
      kills = (process, forMs) => {
        const place = world.places.find((each) => each.process === process);
        if (!place) return;
        world.kill(place);
        time.after(forMs, () => place.process ?? world.start(place));
      };
      return void deaths.add({ left: fault.writes, when: fault.when, forMs: fault.forMs });
    }
    const { how, whose, forMs } = fault;
    const leader = world.leader();
    const place = whose === 'leader' ? leader : world.places.find((each) => each !== leader);
    const process = place?.process;
    if (!place || !process || process.state !== 'running') return;
    if (how === 'ended') {
      onStopped(process);
      const restart = () => void time.after(forMs, () => place.process ?? world.start(place));
      void world.stop(place).then(restart, restart);
    } else if (how === 'killed') {
      world.kill(place);
      time.after(forMs, () => place.process ?? world.start(place));
    } else {
      time.pause(process);
      time.after(forMs, () => time.resume(process, forMs, how === 'suspended'));
    }
  }

  return {
    fateOf,
    set onStopped(call: (process: Process) => void) {
      onStopped = call;
    },
    get count() {
      return count;
    },
    get isCalm() {
      return requestFaults.size + denials.size + commandFaults.size + deaths.size === 0 && !failsToLead;
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
    end({ controllers, machines, places, start }) {
      machines.rest();
      for (const set of [requestFaults, denials, commandFaults, deaths, rivals]) set.clear();
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
