import { WRITES } from '../../src/api-server/rules.ts';
import type { Fault, Happening, ProcessFault, RequestFault } from './plan.ts';
import type { Random } from './random.ts';

/** Kinds whose requests or watches fail by themselves. */
const KINDS = [
  'Dataset',
  'ThinRuntime',
  'JuiceFSRuntime',
  'ConfigMap',
  'StatefulSet',
  'DaemonSet',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Secret',
  'Pod',
  'Node',
  'Lease',
  'DataLoad',
  'DataProcess',
  'Job',
] as const;
const REFUSALS = [403, 409, 410, 422, 429, 500, 503, 504] as const;
const READS = ['get', 'list', 'watch'] as const;

/** A few faults, each for a while, all of which end. */
export function drawFaults(random: Random, busyMs: number): readonly Happening[] {
  const count = random.int(0, 6);
  // At most one of two clocks lies: a process cannot know better than both.
  const clocks = random.pick(['wall', 'monotonic'] as const);
  return Array.from({ length: count }, () => ({ atMs: random.int(0, busyMs), ...draw(random, clocks) }));
}

function draw(random: Random, clocks: 'wall' | 'monotonic'): Fault {
  const forMs = random.pick([50, 500, 3000, 10_000, 30_000]);
  const kind = random.int(0, 19);
  if (kind < 8) return requests(random, forMs);
  if (kind < 11)
    return {
      fails: 'watch',
      kind: random.chance(0.3) ? undefined : random.pick(KINDS),
      how: random.pick(['stalled', 'broken', 'closed', 'gone', 'repeated']),
      forMs: random.chance(0.3) ? 80_000 : forMs,
    };
  if (kind < 15) return overcome(random, clocks);
  if (kind < 16)
    return clocks === 'wall' ? { fails: 'clock', aheadMs: random.pick([-3_600_000, -5000, 5000, 3_600_000]) } : overcome(random, clocks);
  if (kind < 17 && random.chance(0.3)) return { fails: 'quota', forMs };
  if (kind < 17)
    return {
      fails: 'admission',
      kinds: [random.pick(KINDS)],
      message: random.pick(['exceeded quota: team', 'denied the request: no']),
      forMs,
    };
  if (kind < 18)
    return {
      fails: 'controllers',
      which: [random.pick(['garbage', 'statefulsets', 'daemonsets', 'pods', 'volumes', 'claims', 'protection'])],
      forMs,
    };
  if (kind < 19 && random.chance(0.3)) return { fails: 'leading', forMs: 30_000 };
  if (kind < 19 && random.chance(0.4)) return { fails: 'rival', which: random.int(0, 30), forMs: random.pick([2000, 20_000, 60_000]) };
  if (kind < 19) return { fails: 'pods', of: random.pick(['demo-worker', 'demo-fuse', 'demo-master']), forMs };
  return { fails: 'commands', how: random.pick(['refused', 'hang']), forMs };
}

/** A fault of a process: at a time, or at one of its next writes. */
function overcome(random: Random, clocks: 'wall' | 'monotonic'): ProcessFault {
  const how = random.pick(['killed', 'killed', 'ended', clocks === 'wall' ? 'stopped' : 'suspended'] as const);
  const at = { write: random.int(1, 25), when: random.pick(['before', 'after'] as const) };
  return {
    fails: 'process',
    how,
    whose: random.pick(how === 'killed' || how === 'ended' ? ['leader', 'leader', 'standby', 'all'] : ['leader', 'leader', 'standby']),
    ...(random.chance(0.5) && { at }),
    forMs: how === 'killed' || how === 'ended' ? random.int(10, 8000) : random.int(100, 15_000),
  };
}

function requests(random: Random, forMs: number): RequestFault {
  const how = random.pick(['refused', 'refused', 'unsent', 'lost', 'unheard', 'late'] as const);
  const verbs = random.pick([undefined, WRITES, READS, ['create'], ['apply'], ['patch'], ['update'], ['delete']] as const);
  return {
    fails: 'requests',
    ...(verbs && { verbs }),
    ...(random.chance(0.6) && { kinds: [random.chance(0.2) ? 'Lease' : random.pick(KINDS)] }),
    share: random.pick([0.2, 0.5, 1]),
    how,
    ...(how === 'refused' && { status: random.pick(REFUSALS) }),
    ...(how === 'late' && { lateMs: random.pick([100, 1200, 1500, 8000]) }),
    forMs,
  };
}
