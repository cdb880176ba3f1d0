import { isDeepStrictEqual } from 'node:util';
import type { Dataset, Identity, InvalidSpec } from '../../../api/index.ts';
import { lastValidName, volumeName } from '../../../api/index.ts';
import type { Facts, Part, PortNeed, Role, Runtime } from '../../../constructs/index.ts';
import { ignoreGone } from '../../../kube/errors.ts';
import { messageOf, obstacleOf } from '../../failures.ts';
import { type Hold, type Key, type LiveObject, ROLES, type RuntimeObject, type World } from '../../world.ts';
import { PARTS } from '../../../constructs/index.ts';
import { type Binding, outlineOf } from './bindings.ts';
import { type Answers, gatherFacts } from './facts.ts';
import { ownedKinds } from '../kinds.ts';
import { LARGEST_RECORD, type LastValid, type Recorded, readRecord, recorded } from './last-valid.ts';
import { type Context, podChoice } from '../context.ts';
import { recordedPorts } from '../store/port-table.ts';
import { SECRET_EXISTS_MS } from './secret-keys.ts';
import { isWithin, knownPort, livePort, rangeOf } from './ports.ts';
import { referenceFact } from './references.ts';
import { compact } from '../store/sharing.ts';
import { fuseFact, liveEngine, podFacts, workloadView } from '../store/views.ts';

export interface Asking {
  readonly key: Key;
  readonly dataset: Dataset;
  readonly runtime: Runtime;
  readonly object: RuntimeObject;
  /** What is wrong with one of the two, if it does not parse. */
  readonly invalid: InvalidSpec | undefined;
  readonly identity: Identity;
  readonly bound: boolean;
  readonly workload: (role: Role) => LiveObject | undefined;
}
export interface Plan extends Binding {
  readonly facts: Facts;
  readonly missingSecrets: World['missingSecrets'];
  readonly secretRetryMs?: number;
  /** Present if this is the last valid plan: why the newest specs cannot be followed. */
  readonly obstacle?: Hold;
}

/** The plan in force: that of the newest specs, else, for a bound Dataset, that of the last valid specs, else a Hold that says why. */
export function planner(context: Context): (asking: Asking) => Promise<Plan | Hold> {
  const { client, store, lookups, bindings, ports, settings, lastValid } = context;

  return async (asking) => {
    const { key, dataset, runtime, object, invalid, identity, bound, workload } = asking;
    const { namespace, name } = key;
    const { uid = '', generation = 0 } = object.metadata;
    const generations = { runtime: generation, dataset: dataset.metadata.generation ?? 0 };
    const asker = { uid, generations: `${generations.runtime}/${generations.dataset}` };
    const fuse = fuseFact(workload('fuse'));
    const onRecord = recordedPorts(object, runtime);
    const engine = liveEngine(runtime, object);
    const answers: Answers = {
      ...(fuse && { fuse }),
      ...(engine !== undefined && { engine }),
      port: (need) =>
        portOf(need) ??
        ports(uid, runtime.type, need) ?? {
          reason: 'PortsExhausted',
          message: `no host port is left between ${need.range.join(' and ')}`,
          retryMs: 30_000,
        },
      secret: async (need) => {
        if (!bound || need.inline) return lookups.secret(namespace, need, asker);
        // Running pods no longer need them. Of starting pods the status reports why they cannot start, so that an error changes nothing for them.
        return isStarting() ? lookups.secret(namespace, need, asker, SECRET_EXISTS_MS).catch(() => 'assumed' as const) : 'assumed';
      },
      claim: (claim) => lookups.claim(namespace, claim, asker),
      object: (kind, objectName) => store.companion(kind, objectName, key),
      keys: (configMap) => lookups.keys(namespace, configMap, asker),
      pods: (role) => podFacts(podChoice(store, key, runtime).pods(role)),
      reference: (need) => referenceFact(context, key, need),
    };

    const isStarting = () =>
      ROLES.some((role) => {
        const live = workload(role);
        const { ready, desired } = live ? workloadView(live, []) : { ready: 0, desired: 0 };
        return ready < desired;
      });

    function portOf(need: PortNeed): number | undefined {
      const [recorded, live] = [onRecord[need.name], livePort(need, workload(need.in))];
      const range = rangeOf(settings, runtime.type, need);
      const port = knownPort(need, range, { recorded, live, isOthers: (other) => store.ports.isOthers(uid, other) });
      // While its pods are missing for a moment, a record alone would not be enough.
      if (port !== undefined && (port !== recorded || !isWithin(range, port))) store.ports.reserve(uid, need.name, port);
      return port;
    }

    const newest = await follow();
    if (!('reason' in newest)) return newest;
    if (!bound) return newest;
    try {
      return (await fallBack(newest)) ?? { ...newest, message: `${newest.message}; ${UNKNOWN}` };
    } catch (error) {
      return { ...newest, message: `${newest.message}; the last valid plan could not be worked out: ${messageOf(error)}`, fails: true };
    }

    async function follow(): Promise<Plan | Hold> {
      try {
        if (invalid) throw invalid;
        const annotations = compact(object.metadata.annotations ?? {});
        const of = { identity, annotations: compact(dataset.metadata.annotations ?? {}), spec: dataset.spec };
        const input = { name, namespace, uid, annotations, spec: object.spec, dataset: of };
        const gathered = await gatherFacts(runtime, { ...input, settings }, answers);
        if ('reason' in gathered) return gathered;
        const binding = complete({ ...input, facts: gathered.facts });
        lookups.accepted(uid);
        const before = lastValid.get(uid);
        if (before?.input !== binding.input || !isDeepStrictEqual(before.generations, generations))
          lastValid.set(uid, { input: binding.input, generations });
        return { ...binding, ...gathered };
      } catch (error) {
        return obstacleOf(error, lookups.refused(asker));
      }
    }

    /** Renders every part, so that what is wrong anywhere is reported before anything is created. */
    function complete(input: LastValid['input']) {
      const binding = bindings.bind(runtime, input, object.status?.cacheAffinity as object | undefined);
      for (const part of PARTS) binding.outlines(part);
      return binding;
    }

    async function fallBack(obstacle: Hold): Promise<Plan | undefined> {
      const remembered = lastValid.get(uid) ?? (await restored());
      if (!remembered || 'reason' in remembered) return undefined;
      lastValid.set(uid, remembered);
      const { input, generations: of } = remembered;
      const facts = { ...input.facts, ...(fuse && { fuse }) };
      const binding = complete({ ...input, dataset: { ...input.dataset, identity }, facts });
      const withRecord = recorded(binding.whole(), remembered);
      const inForce = `until that is mended the last valid plan stays in force (${object.kind} generation ${of.runtime}, Dataset generation ${of.dataset})`;
      return {
        ...binding,
        ...(withRecord && { outlines: (part: Part) => (part === 'volume' ? withRecord.map(outlineOf) : binding.outlines(part)) }),
        facts,
        missingSecrets: [],
        obstacle: { ...obstacle, message: `${obstacle.message}; ${inForce}${withRecord ? '' : TOO_LARGE}` },
      };
    }

    /** From the record of an earlier process. */
    async function restored(): Promise<LastValid | Hold | undefined> {
      const record = await readBack();
      if (!record) return undefined;
      const { annotations, spec, generations: of, facts } = record;
      const input = { name, namespace, uid, annotations, spec, dataset: { identity, ...record.dataset } };
      const gathered = await gatherFacts(
        runtime,
        { ...input, settings },
        {
          ...answers,
          claim: async (claim) => facts.claims[claim] ?? answers.claim(claim),
          keys: async (configMap) => facts.configMaps?.[configMap] ?? answers.keys(configMap),
          reference: async (need) => facts.reference ?? answers.reference(need),
          object: (kind, objectName) => facts.objects[`${kind}/${objectName}`] ?? answers.object(kind, objectName),
        },
      );
      return 'reason' in gathered ? gathered : { input: { ...input, facts: gathered.facts }, generations: of };
    }

    async function readBack(): Promise<Recorded | undefined> {
      const configMap = await client.get(ownedKinds.ConfigMap, { namespace, name: lastValidName(name) }).catch(ignoreGone);
      const volume = configMap && (await client.get(ownedKinds.PersistentVolume, { name: volumeName(identity) }).catch(ignoreGone));
      return volume && readRecord(runtime, configMap, volume);
    }
  };
}

const UNKNOWN = 'no valid plan is remembered, so nothing is repaired until that is mended';
const TOO_LARGE = `; the specs are larger than ${LARGEST_RECORD / 1024} KiB, so a restart of the controller forgets it`;
