import { isDeepStrictEqual } from 'node:util';
import { type Dataset, InvalidSpec, type Manifest, volumeName } from '../../../api/index.ts';
import { type Facts, type Part, PARTS } from '../../../constructs/index.ts';
import { obstacleOf } from '../../failures.ts';
import type { Reason } from '../../../planning/reasons.ts';
import type { Hold, DesiredObject, RuntimeObject, World } from '../../world.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { compact } from '../../../planning/sharing.ts';
import { isWithdrawn } from './consent.ts';
import { astray, plannedTo } from './leads.ts';
import { factSources, type Asking } from './fact-sources.ts';
import { type Binding, desiredObjectOf } from '../../../planning/bindings.ts';
import { gatherFacts } from '../../../planning/facts.ts';
import { LARGEST_RECORD, type LastValid, recorded } from '../../../planning/last-valid.ts';
import { restored } from './restore.ts';
import { messageOf } from '../../../kube/errors.ts';

export interface Plan extends Binding {
  readonly facts: Facts;
  readonly missingSecrets: World['missingSecrets'];
  readonly secretRetryMs?: number;
  /** Present if this is the last valid plan: why the newest specs cannot be followed. */
  readonly obstacle?: Hold;
}

/** The plan in force: that of the newest specs, else, for a bound Dataset, that of the last valid specs, else a Hold that says why. */
export function planner(context: ClusterContext): (asking: Asking) => Promise<Plan | Hold> {
  const { lookups, bindings, settings, lastValid } = context;
  /** For volumes with a record of the last valid plan: the findings on each object, from pass to pass. */
  const desiredOf = new WeakMap<LastValid, readonly DesiredObject[]>();

  function known(remembered: LastValid, manifests: readonly Manifest[]): readonly DesiredObject[] {
    const before = desiredOf.get(remembered) ?? [];
    const desiredObjects = manifests.map(desiredObjectOf).map((made) => {
      const was = before.find(({ kind, name }) => kind === made.kind && name === made.name);
      if (was?.hash === made.hash) return was;
      if (was && (was.finding.made || was.finding.found !== undefined)) made.finding.made = true;
      return made;
    });
    desiredOf.set(remembered, desiredObjects);
    return desiredObjects;
  }

  return async (asking) => {
    const { key, dataset, definition, object, invalid, identity, bound } = asking;
    const { namespace, name } = key;
    const { uid = '', generation = 0 } = object.metadata;
    const generations = { runtime: generation, dataset: dataset.metadata.generation ?? 0 };
    const asker = { uid, generations: `${generations.runtime}/${generations.dataset}` };
    const sources = factSources(context, asking, asker);

    const newest = await follow();
    if (!('reason' in newest)) return newest;
    if (newest.revokes) return newest;
    // Also of a Dataset that is not bound yet: its claim may exist already.
    const isRevoked = (by: LastValid | undefined) =>
      isWithdrawn(context, { ...key, volume: volumeName(identity) }, by ? plannedTo(by.input.facts) : []);
    if (await isRevoked(bound ? lastValid.get(uid) : undefined)) return { ...newest, revokes: true };
    if (!bound) return newest;
    try {
      return (await fallBack(newest)) ?? { ...newest, message: `${newest.message}; ${UNKNOWN}` };
    } catch (error) {
      return { ...newest, message: `${newest.message}; the last valid plan could not be worked out: ${messageOf(error)}`, fails: true };
    }

    async function follow(wasInForce = false): Promise<Plan | Hold> {
      try {
        if (invalid) throw invalid;
        const annotations = compact(object.metadata.annotations ?? {});
        const of = { identity, annotations: compact(dataset.metadata.annotations ?? {}), spec: dataset.spec };
        const input = { name, namespace, uid, annotations, spec: object.spec, dataset: of, ...(wasInForce && { wasInForce }) };
        const gathered = await gatherFacts(definition, { ...input, settings }, sources);
        if ('reason' in gathered) return gathered;
        const binding = complete({ ...input, facts: gathered.facts });
        const stray = astray(context.store, volumeName(identity), gathered.facts, () => binding.whole().plan.volume.attributes);
        if (stray) return stray;
        lookups.accepted(uid);
        const before = lastValid.get(uid);
        if (before?.input !== binding.input || !isDeepStrictEqual(before.generations, generations))
          lastValid.set(uid, { input: binding.input, generations });
        return { ...binding, ...gathered };
      } catch (error) {
        // Limits hold for new specs.
        const mayBeBeyond = error instanceof InvalidSpec && error !== invalid && bound && !wasInForce && wasFollowed(object, dataset);
        const again = mayBeBeyond ? await follow(true) : undefined;
        return again && !('reason' in again) ? again : obstacleOf(error, lookups.refused(asker));
      }
    }

    /** Renders every part, so that what is wrong anywhere is reported before anything is created. */
    function complete(input: LastValid['input']) {
      const binding = bindings.bind(definition, input, object.status?.cacheAffinity as object | undefined);
      for (const part of PARTS) binding.desiredObjects(part);
      return binding;
    }

    async function fallBack(obstacle: Hold): Promise<Plan | Hold | undefined> {
      const remembered = lastValid.get(uid) ?? (await restored(context, asking, sources));
      if (!remembered || 'reason' in remembered) return undefined;
      // The record of an earlier process is known only now.
      if (await isRevoked(remembered)) return { ...obstacle, revokes: true };
      lastValid.set(uid, remembered);
      const { input, generations: of } = remembered;
      const facts = { ...input.facts, ...(sources.fuse && { fuse: sources.fuse }) };
      const binding = complete({ ...input, dataset: { ...input.dataset, identity }, facts });
      const withRecord = recorded(binding.whole(), remembered);
      const inForce = `until that is mended the last valid plan stays in force (${object.kind} generation ${of.runtime}, Dataset generation ${of.dataset})`;
      return {
        ...binding,
        ...(withRecord && {
          desiredObjects: (part: Part) => (part === 'volume' ? known(remembered, withRecord) : binding.desiredObjects(part)),
        }),
        facts,
        missingSecrets: [],
        obstacle: { ...obstacle, message: `${obstacle.message}; ${inForce}${withRecord ? '' : TOO_LARGE}` },
      };
    }
  };
}

/**
 * Whether these generations are what the statuses call followed: the last controller, perhaps of a version with other limits, found nothing
 * wrong with them. threat-model: R-status
 */
function wasFollowed({ metadata, status }: RuntimeObject, dataset: Dataset): boolean {
  const synced = status?.conditions?.find(({ type }) => type === 'Synced');
  const isNewest = status?.observedGeneration === metadata.generation && dataset.status?.observedGeneration === dataset.metadata.generation;
  return isNewest && synced !== undefined && synced.reason !== ('InvalidSpec' satisfies Reason);
}

const UNKNOWN = 'no valid plan is remembered, so nothing is repaired until that is mended';
const TOO_LARGE = `; the specs are larger than ${LARGEST_RECORD / 1024} KiB, so a restart of the controller forgets it`;
