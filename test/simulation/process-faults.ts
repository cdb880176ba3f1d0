import { WRITES } from '../../src/api-server/rules.ts';
import type { WireRequest } from '../../src/api-server/wire/requests.ts';
import type { ProcessFault } from './plan.ts';
import type { Process, VirtualTime } from './time.ts';
import type { Place, World } from './world.ts';

/** The faults of processes. */
export interface ProcessFaults {
  /** Called with a process that is told to end. */
  onStopped: (process: Process) => void;
  fails(fault: ProcessFault, world: World): void;
  /** A fault waits for this request: it comes now, before the server has the request or before its answer comes. */
  atWrite(process: Process, request: WireRequest): 'before' | 'after' | undefined;
  /** No fault waits for a write. */
  readonly isCalm: boolean;
  /** No fault waits any longer, and nothing stands still. */
  end(): void;
}

export function createProcessFaults(time: VirtualTime): ProcessFaults {
  const standing = new Set<() => void>();
  const waiting = new Map<ProcessFault, { left: number; readonly world: World }>();

  function placesOf({ whose }: ProcessFault, { places, leader }: World): readonly Place[] {
    const first = leader();
    if (whose === 'all') return places;
    return places.filter((each) => (whose === 'leader' ? each === first : each !== first)).slice(0, 1);
  }

  function comesOver(place: Place, { how, forMs }: ProcessFault, world: World): void {
    const { process } = place;
    if (process?.state !== 'running') return;
    const restart = () => void time.after(forMs, () => place.process ?? world.start(place));
    if (how === 'killed') {
      world.kill(place);
      restart();
    } else if (how === 'ended') {
      self.onStopped(process);
      void world.stop(place).then(restart, restart);
    } else {
      const fromMs = time.nowMs;
      const wake = () => {
        if (standing.delete(wake)) time.resume(process, time.nowMs - fromMs, how === 'suspended');
      };
      standing.add(wake);
      time.pause(process);
      time.after(forMs, wake);
    }
  }

  const self: ProcessFaults = {
    onStopped: () => {},
    fails(fault, world) {
      if (fault.at) waiting.set(fault, { left: fault.at.write, world });
      else for (const place of placesOf(fault, world)) comesOver(place, fault, world);
    },
    atWrite(process, { verb, type }) {
      if (!WRITES.includes(verb) || type.kind === 'Lease') return undefined;
      for (const [fault, entry] of waiting) {
        if (--entry.left > 0) continue;
        waiting.delete(fault);
        const { world } = entry;
        const others = fault.whose === 'all' ? world.places.filter((each) => each.process !== process) : [];
        const place = world.places.find((each) => each.process === process);
        for (const each of place ? [place, ...others] : others) time.after(0, () => comesOver(each, fault, world));
        // Only a process that ends loses what is under way.
        return fault.how === 'killed' ? fault.at?.when : undefined;
      }
      return undefined;
    },
    get isCalm() {
      return waiting.size === 0;
    },
    end() {
      waiting.clear();
      for (const wake of standing) wake();
    },
  };
  return self;
}
