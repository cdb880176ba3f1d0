import {
  claimName,
  Dataset,
  fuseNodeLabel,
  type Identity,
  joinedName,
  label,
  parse,
  rivalNames,
  volumeName,
  workloadName,
} from '../api/index.ts';
import type { Role, Runtime, Settings } from '../constructs/index.ts';
import type { Cluster, Observation } from '../reconciler/cluster.ts';
import { obstacleOf } from '../reconciler/failures.ts';
import { identityOf } from '../reconciler/identity.ts';
import { isOurs } from '../reconciler/kubernetes/apply.ts';
import { claimFact, gatherFacts } from '../reconciler/kubernetes/facts.ts';
import { keysOf } from '../reconciler/kubernetes/node-labels.ts';
import { createPortTable, type PortTable, recordedPorts } from '../reconciler/kubernetes/port-table.ts';
import { livePort, type PortAllocator, portAllocator } from '../reconciler/kubernetes/ports.ts';
import { fuseFact, workloadView } from '../reconciler/kubernetes/views.ts';
import type { Key, LiveObject, RuntimeObject, World } from '../reconciler/world.ts';
import { type MemoryObjects, memoryObjects, mounts } from './memory-objects.ts';

/** What both halves of the cluster in memory share: this one reads it, the other writes it. */
export interface MemoryParts {
  readonly runtimes: readonly Runtime[];
  readonly settings: Settings;
  readonly objects: MemoryObjects;
  readonly ports: PortAllocator;
  readonly portTable: PortTable;
  /** By UID of the runtime: the paths that its masters have mounted. */
  readonly mounted: Map<string, Set<string>>;
  /** By UID of the runtime: how far the cleaning of its cache has come. */
  readonly cleaned: Map<string, { readonly attempts: number; readonly running: boolean; readonly error?: string }>;
  /** By node. */
  readonly nodeLabels: Map<string, Record<string, string>>;
  probes: World['probes'];
  isRuntime(uid: string): boolean;
  identify(key: Key, dataset: Dataset): Identity;
  inventory(uid: string): readonly LiveObject[];
  podsOf(workload: LiveObject | undefined): readonly LiveObject[];
  workloadOf(key: Key, role: Role): LiveObject | undefined;
}

export function memoryParts(runtimes: readonly Runtime[], chosen: Partial<Settings>): MemoryParts {
  const objects = memoryObjects();
  const settings: Settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {}, ...chosen };
  const types = runtimes.map(({ type }) => type);
  const kinds = new Set(runtimes.map(({ resource }) => resource.kind));
  const portTable = createPortTable();
  const allRuntimes = () => objects.all().filter(({ kind }) => kinds.has(kind)) as unknown as readonly RuntimeObject[];
  const namesakes = (key: Key) => {
    const rivals = rivalNames(key, types);
    const isOther = ({ metadata }: LiveObject) => metadata.namespace !== key.namespace || metadata.name !== key.name;
    const nameOf = ({ metadata: { namespace = '', name } }: LiveObject) => joinedName({ namespace, name });
    return objects.all(Dataset.kind).filter((object) => isOther(object) && rivals.includes(nameOf(object)));
  };
  return {
    runtimes,
    settings,
    objects,
    ports(uid, type, need) {
      for (const runtime of allRuntimes()) portTable.seen(runtime);
      return portAllocator(settings, 'bitmap', portTable)(uid, type, need);
    },
    portTable,
    mounted: new Map(),
    cleaned: new Map(),
    nodeLabels: new Map(),
    probes: {},
    isRuntime: (uid) => allRuntimes().some(({ metadata }) => metadata.uid === uid),
    identify: (key, dataset) =>
      identityOf(key, {
        dataset,
        namesakes: namesakes(key),
        claimed: volumeOf(objects.get('PersistentVolumeClaim', key.namespace, key.name)),
      }),
    inventory: (uid) => objects.all().filter(({ metadata }) => metadata.labels?.[label.owner] === uid),
    podsOf: (workload) =>
      objects.all('Pod').filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === workload?.metadata.uid)),
    workloadOf: ({ namespace, name }, role) =>
      objects.get(role === 'fuse' ? 'DaemonSet' : 'StatefulSet', namespace, workloadName(name, role)),
  };
}

/** Reads what is there. */
export function memoryObserver(parts: MemoryParts): Pick<Cluster, 'scene' | 'observe' | 'observeTeardown' | 'usersOf'> {
  const { runtimes, settings, objects, ports, mounted, cleaned, nodeLabels, identify, inventory, podsOf, workloadOf } = parts;
  const canAsk = (key: Key, role: Role) => podsOf(workloadOf(key, role)).some((pod) => pod['ready']);
  const mounting = ({ namespace, name }: Key) =>
    objects
      .all('Pod')
      .filter((pod) => mounts(pod, namespace, name))
      .map(({ metadata }) => metadata.name);

  const self: ReturnType<typeof memoryObserver> = {
    scene(key) {
      const dataset = objects.get(Dataset.kind, key.namespace, key.name) as unknown as Dataset | undefined;
      const candidates = runtimes.flatMap((runtime) => {
        const object = objects.get(runtime.resource.kind, key.namespace, key.name) as unknown as RuntimeObject | undefined;
        return object ? [{ runtime, object: { ...object, spec: specOf(runtime, object) } }] : [];
      });
      return { key, ...(dataset && { dataset }), runtimes: candidates };
    },

    async observe(key, dataset, runtime, object, invalid) {
      try {
        return await look();
      } catch (error) {
        return { hold: obstacleOf(error), bound: !['', 'NotBound'].includes(dataset.status?.phase ?? ''), workloads: {} };
      }
      async function look(): Promise<Observation> {
        if (invalid) throw invalid;
        const { namespace, name } = key;
        const { uid = '' } = object.metadata;
        const identity = identify(key, dataset);
        const fuse = fuseFact(workloadOf(key, 'fuse'));
        const recorded = recordedPorts(object);
        const input = {
          name,
          namespace,
          uid,
          annotations: object.metadata.annotations ?? {},
          spec: object.spec,
          dataset: { identity, annotations: dataset.metadata.annotations ?? {}, spec: dataset.spec },
          settings,
        };
        const bound = !['', 'NotBound'].includes(dataset.status?.phase ?? '');
        const gathered = await gatherFacts(runtime, input, {
          ...(fuse && { fuse }),
          port: (need) =>
            recorded[need.name] ??
            livePort(need, workloadOf(key, need.in)) ??
            ports(uid, runtime.type, need) ?? { reason: 'PortsExhausted', message: 'no host port is left', retryMs: 30_000 },
          async secret({ name: secret, namespace: home = namespace, inline }) {
            if (bound && !inline) return 'assumed';
            const found = objects.get('Secret', home, secret);
            return found ? { data: (found['data'] ?? {}) as Record<string, string> } : { missing: true, retryMs: 500 };
          },
          async claim(claimed) {
            const claim = objects.get('PersistentVolumeClaim', namespace, claimed);
            const volume = objects.get('PersistentVolume', undefined, volumeOf(claim) ?? '');
            return claim && volume
              ? claimFact(claim, volume)
              : { reason: 'ClaimNotBound', message: `persistent volume claim ${claimed} not found`, retryMs: 500 };
          },
          object: (kind, named) => objects.get(kind, undefined, named),
        });
        if ('reason' in gathered) return { hold: gathered, bound, workloads: {} };
        const { facts, missingSecrets, secretRetryMs } = gathered;
        const plan = runtime.bind({ ...input, facts });
        for (const part of ['master', 'fuse', 'worker', 'volume', 'claim'] as const) plan.synth(part);
        const [volume, claim] = [
          objects.get('PersistentVolume', undefined, volumeName(identity)),
          objects.get('PersistentVolumeClaim', namespace, claimName(identity)),
        ];
        const views = plan.roles.flatMap((role) => {
          const live = workloadOf(key, role);
          return live ? [[role, workloadView(live, podsOf(live))] as const] : [];
        });
        const world: World = {
          now: objects.now,
          key,
          dataset,
          runtime: object,
          plan,
          bound,
          workloads: Object.fromEntries(views),
          ...(volume && { volume }),
          ...(claim && { claim }),
          missingSecrets,
          ...(secretRetryMs !== undefined && { secretRetryMs }),
          probes: parts.probes,
          ...(plan.mounts && canAsk(key, 'master') && { mounted: [...(mounted.get(uid) ?? [])] }),
        };
        return {
          world,
          identity,
          marks: { ports: facts.ports, claims: Object.entries(facts.claims).map(([claimed, fact]) => ({ name: claimed, uid: fact.uid })) },
        };
      }
    },

    async observeTeardown(key, dataset, runtime, object) {
      const { uid = '' } = object.metadata;
      const identity = identityOf(key, { runtime: object });
      const ours = (live: LiveObject | undefined) => (live && isOurs(live, { uid, ...key }, parts) ? live : undefined);
      const claim = ours(objects.get('PersistentVolumeClaim', key.namespace, claimName(identity)));
      const volume =
        inventory(uid).find(({ kind }) => kind === 'PersistentVolume') ??
        ours(objects.get('PersistentVolume', undefined, volumeName(identity)));
      const seen = dataset && (await self.observe(key, dataset, runtime, object).catch(() => undefined));
      const plan = seen && 'world' in seen ? seen.world.plan : undefined;
      const { attempts, running, error } = cleaned.get(uid) ?? { attempts: 0, running: false };
      const labels = [...keysOf(runtime.type, identity), fuseNodeLabel(identity)];
      return {
        key,
        runtime,
        object,
        ...(dataset && { dataset }),
        identity,
        ...(plan && { plan }),
        inventory: inventory(uid),
        ...(claim && { claim }),
        ...(volume && { volume }),
        pods: claim ? mounting(key) : [],
        nodes: [...nodeLabels].filter(([, carried]) => labels.some((each) => each in carried)).map(([node]) => node),
        cleaning: {
          needed: (plan?.cleanup !== undefined && canAsk(key, 'worker')) || running,
          running,
          done: attempts > 0 && !running && error === undefined,
          attempts,
          limit: plan?.plan.cleaning.attempts ?? 0,
          ...(error && { error }),
        },
      };
    },

    async usersOf(key) {
      const pods = mounting(key);
      return pods.length > 0
        ? { reason: 'StillMounted', message: `waiting for pods that mount the dataset: ${pods.join(', ')}`, retryMs: 2000 }
        : undefined;
    },
  };
  return self;
}

const volumeOf = (claim: LiveObject | undefined): string | undefined =>
  (claim?.['spec'] as { volumeName?: string } | undefined)?.volumeName;

function specOf({ resource }: Runtime, object: RuntimeObject): object {
  try {
    return parse(resource, object).spec as object;
  } catch {
    return object.spec;
  }
}
