import type { BoundProbe, BoundRuntime, Seen, Told } from '../../constructs/index.ts';
import type { PlanInForce } from '../world.ts';
import type { Sharing } from './sharing.ts';

/** What a pass that finds all as it should be reads of a plan. */
export interface Digest extends Pick<PlanInForce, 'plan' | 'roles'> {
  /** Which of them there are. */
  readonly has: Readonly<Record<'leader' | 'mounts' | 'cleanup' | 'cache' | 'ufs', boolean>>;
  /** While nobody was asked: they follow from how many workers there are. */
  states?: { readonly readyWorkers: number; readonly told: Told };
}

/** Of what it says, most is said by thousands in the same words. */
export function digestOf({ plan, roles, leader, mounts, cleanup, probes }: BoundRuntime, piece: Sharing['piece']): Digest {
  const { type, engine, app, name, namespace, dataset, placement, replicas, cacheOnNode, cleaning, config, warnings } = plan;
  return {
    plan: {
      type,
      engine,
      app,
      name,
      namespace,
      dataset,
      placement,
      replicas: piece(replicas),
      cacheOnNode: piece(cacheOnNode),
      cleaning: piece(cleaning),
      ...(config && { config: piece({ name: config.name, roles: config.roles }) }),
      ...(warnings && { warnings: piece(warnings) }),
    },
    roles: piece(roles),
    has: piece({ leader: !!leader, mounts: !!mounts, cleanup: !!cleanup, cache: !!probes.cache, ufs: !!probes.ufs }),
  };
}

/** The plan of a digest; `whole` is called for what is not in it. */
export function recalled(digest: Digest, whole: () => BoundRuntime): PlanInForce {
  const { plan, roles, has } = digest;
  return {
    plan,
    roles,
    synth: (part) => whole().synth(part),
    get leader() {
      return has.leader ? whole().leader : undefined;
    },
    get mounts() {
      return has.mounts ? whole().mounts : undefined;
    },
    get cleanup() {
      return has.cleanup ? whole().cleanup : undefined;
    },
    probes: {
      cache: has.cache ? probe(() => whole().probes.cache) : undefined,
      ufs: has.ufs ? probe(() => whole().probes.ufs) : undefined,
    },
    tell: (seen) => (seen.cache !== undefined || seen.ufs ? whole().tell(seen) : statesOf(digest, seen, whole)),
  };
}

function statesOf(digest: Digest, seen: Seen<unknown>, whole: () => BoundRuntime): Told {
  const { readyWorkers } = seen;
  if (digest.states?.readyWorkers !== readyWorkers) digest.states = { readyWorkers, told: whole().tell(seen) };
  return digest.states.told;
}

/** One that is there, as it was when the digest was made. */
function probe<T>(found: () => BoundProbe<T> | undefined): BoundProbe<T> {
  return {
    get commands() {
      return found()!.commands;
    },
    parse: (answers, before) => found()!.parse(answers, before),
  };
}
