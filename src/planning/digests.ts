import { isDeepStrictEqual } from 'node:util';
import type { BoundProbe, BoundRuntime, MountRow, Observation, EngineStatus } from '../constructs/index.ts';
import { mountChange, pathsOf } from './diff/mount-change.ts';
import type { MountsInForce, PlanInForce, Question, Where } from './plan-in-force.ts';
import type { Sharing } from './sharing.ts';

/** The part of a plan that is enough for a pass that finds everything as it should be. */
export interface Digest extends Pick<PlanInForce, 'base' | 'roles' | 'known'> {
  readonly hasCleanup: boolean;
  /** Which pods each question is put to; absent where the plan has no such question. */
  readonly asks: Readonly<Partial<Record<'cache' | 'ufs' | 'reads' | 'leader' | 'list', readonly Where[]>>>;
  /** The list of mounts that was last found to be as it should be. */
  aligned?: readonly MountRow[];
  /** The last status, which stands while the same is seen. */
  reported?: { readonly seen: Observation<unknown>; readonly status: EngineStatus };
}

/** @param piece shares what thousands of digests have in common */
export function digestOf({ plan, roles, known, leader, mounts, cleanup, probes }: BoundRuntime, piece: Sharing['piece']): Digest {
  const { type, engine, app, name, namespace, dataset, placement, replicas, cacheOnNode, cleaning, selectors, config, warnings } = plan;
  return {
    base: {
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
      ...(selectors && { selectors }),
      ...(config && { config: piece({ name: config.name, roles: config.roles }) }),
      ...(warnings && { warnings: piece(warnings) }),
    },
    roles: piece(roles),
    known: piece(known),
    hasCleanup: !!cleanup,
    asks: piece({
      ...(probes.cache && { cache: placesOf(probes.cache) }),
      ...(probes.ufs && { ufs: placesOf(probes.ufs) }),
      ...(probes.reads && { reads: placesOf(probes.reads) }),
      ...(leader && { leader: placesOf(leader) }),
      ...(mounts && { list: placesOf(mounts.list) }),
    }),
  };
}

/** The plan of a digest; `whole` is called for what is not in it. */
export function recalled(digest: Digest, whole: () => BoundRuntime): PlanInForce {
  const { base, roles, known, hasCleanup, asks } = digest;
  return {
    base,
    roles,
    known,
    synth: (part) => whole().synth(part),
    get operations() {
      return whole().operations;
    },
    operationWarnings: (operation) => whole().operationWarnings(operation),
    operationNeeds: (operation) => whole().operationNeeds(operation),
    get cleanup() {
      return hasCleanup ? whole().cleanup : undefined;
    },
    leader: asks.leader && question(asks.leader, () => whole().leader),
    mounts: asks.list && table(digest, asks.list, () => whole().mounts),
    probes: {
      cache: asks.cache && question(asks.cache, () => whole().probes.cache),
      ufs: asks.ufs && question(asks.ufs, () => whole().probes.ufs),
      reads: asks.reads && question(asks.reads, () => whole().probes.reads),
    },
    status(seen) {
      if (!digest.reported || !isSameSeen(digest.reported.seen, seen)) digest.reported = { seen, status: whole().status(seen) };
      return digest.reported.status;
    },
  };
}

const placesOf = ({ commands }: BoundProbe<unknown>): readonly Where[] => commands.map(({ in: role, on }) => ({ in: role, on }));
/** By identity, since an answer is kept until the next one comes; a size is read from the status each time. */
const isSameSeen = (a: Observation<unknown>, b: Observation<unknown>): boolean =>
  a.readyWorkers === b.readyWorkers && a.cache === b.cache && isDeepStrictEqual(a.ufs, b.ufs);

function table(digest: Digest, where: readonly Where[], found: () => BoundRuntime['mounts']): MountsInForce {
  return {
    list: question(where, () => found()?.list),
    get wanted() {
      return found()!.wanted;
    },
    change: (change) => found()!.change(change),
    differences(mounted) {
      if (digest.aligned === mounted) return { unmount: [], mount: [] };
      const change = mountChange(found()!.wanted, mounted);
      if (pathsOf(change).length === 0) digest.aligned = mounted;
      return change;
    },
  };
}

function question<T>(where: readonly Where[], found: () => BoundProbe<T> | undefined): Question<T> {
  return {
    where,
    get commands() {
      return found()!.commands;
    },
    get mostBytes() {
      return found()!.mostBytes;
    },
    parse: (answers, before) => found()!.parse(answers, before),
    get late() {
      return found()!.late;
    },
  };
}
