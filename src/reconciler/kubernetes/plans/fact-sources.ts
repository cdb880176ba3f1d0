import { type Dataset, type Identity, type InvalidSpec, volumeName } from '../../../api/index.ts';
import type { PortNeed, Role, Runtime } from '../../../constructs/index.ts';
import { type Key, type LiveObject, ROLES, type RuntimeObject } from '../../world.ts';
import { type ClusterContext, podChoice } from '../cluster-context.ts';
import { recordedPorts } from '../../../planning/port-table.ts';
import { fuseFact, liveEngine, liveMasters, podFacts, workloadView } from '../../../planning/views.ts';
import type { FactSources } from '../../../planning/facts.ts';
import type { Asker } from './lookup-memory.ts';
import { isWithin, knownPort, livePort, rangeOf } from '../../../planning/ports.ts';
import { referenceFact } from './references.ts';
import { SECRET_EXISTS_MS } from './needed-secrets.ts';

/** One pass over a runtime that asks for its plan. */
export interface Asking {
  readonly key: Key;
  readonly dataset: Dataset;
  readonly definition: Runtime;
  readonly object: RuntimeObject;
  /** The fault of one of the two, if it does not parse. */
  readonly invalid: InvalidSpec | undefined;
  readonly identity: Identity;
  readonly bound: boolean;
  readonly workload: (role: Role) => LiveObject | undefined;
}

/** Where one pass gets the facts that one runtime needs: from the watches, from what the runtime already has, and from lookups. */
export function factSources(context: ClusterContext, asking: Asking, asker: Asker): FactSources {
  const { store, lookups, ports, settings } = context;
  const { key, dataset, definition, object, identity, bound, workload } = asking;
  const { namespace } = key;
  const { uid } = asker;
  const fuse = fuseFact(workload('fuse'));
  const onRecord = recordedPorts(object, definition);
  const engine = liveEngine(definition, object);
  const masters = mastersOf(asking);

  function portOf(need: PortNeed): number | undefined {
    const [recorded, live] = [onRecord[need.name], livePort(need, workload(need.in))];
    const range = rangeOf(settings, definition.type, need);
    const port = knownPort(need, range, { recorded, live, isOthers: (other) => store.ports.isOthers(uid, other) });
    // While its pods are missing for a moment, a record alone would not be enough.
    if (port !== undefined && (port !== recorded || !isWithin(range, port))) store.ports.reserve(uid, need.name, port);
    return port;
  }

  return {
    ...(fuse && { fuse }),
    ...(engine !== undefined && { engine }),
    ...(masters && { masters }),
    port: (need) =>
      portOf(need) ??
      ports(uid, definition.type, need) ?? {
        reason: 'PortsExhausted',
        message: `no host port is left between ${need.range.join(' and ')}`,
        afterMs: 30_000,
      },
    secret: async (need) => {
      if (!bound || need.inline) return lookups.secret(namespace, need, { ...asker, since: Math.max(sinceOf(dataset), sinceOf(object)) });
      // Running pods no longer need them. Of starting pods the status reports why they cannot start, so that an error changes nothing for them.
      return isStarting(workload) ? lookups.secret(namespace, need, asker, SECRET_EXISTS_MS).catch(() => 'assumed' as const) : 'assumed';
    },
    claim: (claim) => lookups.claim(namespace, claim, asker),
    object: (kind, objectName) => store.companion(kind, objectName, key),
    keys: (configMap) => lookups.keys(namespace, configMap, asker),
    pods: (role) => podFacts(podChoice(context, key, definition, uid).pods(role)),
    reference: (need) => referenceFact(context, { ...key, volume: volumeName(identity), bound }, need),
  };
}

/** When a spec came to be. An edit leaves no time. */
const sinceOf = ({ metadata: { creationTimestamp, generation = 1 } }: Dataset | RuntimeObject): number =>
  generation > 1 ? Number.POSITIVE_INFINITY : Date.parse(creationTimestamp ?? '');

/** The status of a bound Dataset has them, even if their StatefulSet is gone; Fluid writes none for a single one. */
function mastersOf({ key, dataset, definition, object, bound, workload }: Asking): number | undefined {
  const served = bound ? dataset.status?.runtimes?.find(({ name, type }) => name === key.name && type === definition.type) : undefined;
  return served?.masterReplicas || liveMasters(workload('master'), object.metadata.uid);
}

const isStarting = (workload: (role: Role) => LiveObject | undefined): boolean =>
  ROLES.some((role) => {
    const live = workload(role);
    const { ready, desired } = live ? workloadView(live, []) : { ready: 0, desired: 0 };
    return ready < desired;
  });
