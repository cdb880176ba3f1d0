import { type BasePlan, basePlan, cleaningOf, type Needs, optionNeeds, type PlanInput, together } from '../../src/constructs/index.ts';
import { configuration } from './config.ts';
import { credentialNeeds, credentialsOf } from './credentials.ts';
import type { EngineName } from './engines.ts';
import { fuseCall, fusePod } from './fuse.ts';
import { hadoopOf } from './hadoop.ts';
import { imagesOf, portCheckImage } from './images.ts';
import { masterPod, workerPod } from './server-pods.ts';
import { deploymentOf, mastersOf } from './masters.ts';
import { mountsOf, type Source } from './mounts.ts';
import { loadFiles, MOUNT_AT, MOUNT_DIR } from './pod.ts';
import { type Ports, portNeeds, portsOf } from './ports.ts';
import { checkProperties } from './properties.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import { storeProperties } from './stores.ts';
import { PORT_CHECK, QUERY_TOTAL } from './switches.ts';
import { tierOf } from './tiers.ts';
import { specWarnings } from './warnings.ts';

export interface JindoPlan extends BasePlan {
  readonly engine: EngineName;
  /** Image of masters, workers and loads. */
  readonly image: string;
  /** By the names of their pods. */
  readonly masters: readonly string[];
  readonly ports: Ports;
  /** Mounts in the engine. */
  readonly sources: readonly Pick<Source, 'path' | 'source'>[];
  /** For JindoCache, the cache set of each mount. */
  readonly sets: readonly string[];
  /** The files of the engine: in a Secret if the configuration has to hold keys of a store, else in a ConfigMap. */
  readonly files: { readonly isSecret: boolean; readonly data: Readonly<Record<string, string>> };
  /** Hashes of these files as the pods of a role read them when they start: pods with an older hash count as outdated. */
  readonly hashes: Readonly<Record<'master' | 'worker' | 'fuse', string>>;
  /** Where clients in other pods find the masters. */
  readonly addresses: string;
  readonly master: ReturnType<typeof masterPod>;
  readonly worker: ReturnType<typeof workerPod>;
  readonly client: ReturnType<typeof fusePod>;
  /** The files that the pod of a load shares with the runtime: its configuration and its credentials. */
  readonly loadFiles: ReturnType<typeof loadFiles>;
  /** An image that looks whether the ports of a master are free before it starts. */
  readonly portCheck?: string;
  readonly isMemory: boolean;
  /** Directories of nodes, each of this runtime alone. */
  readonly nodeCaches: readonly string[];
  /** Whether the size of the data is counted, which lists all of it. */
  readonly countsFiles: boolean;
}

const RPC_PROTOCOL = 'fluid.io/runtime-rpc-protocol';

type Input = PlanInput<JindoRuntimeSpec>;

export const needs = (input: Input): Needs => ({
  secrets: credentialNeeds(input, optionNeeds(input.dataset.spec)),
  ports: portNeeds(input),
  masters: true,
  ...(input.spec.hadoopConfig && { configMaps: [input.spec.hadoopConfig] }),
});

export function plan(input: Input): JindoPlan {
  const { name, namespace, spec, dataset, facts, runtime } = input;
  const { env } = input.settings;
  // The definition has no other engines that plan.
  const engine = runtime.engine as EngineName;
  const base = basePlan(input, {
    app: 'jindofs',
    mountType: 'jindo',
    mountDir: MOUNT_DIR,
    mountAt: MOUNT_AT,
    fuseNodeSelector: spec.fuse?.nodeSelector,
  });
  const ports = portsOf(input);
  const images = imagesOf(input);
  const { masters, tier, mounts, hadoop } = together({
    masters: () => mastersOf(input),
    tier: () => tierOf(input),
    mounts: () => mountsOf(dataset.spec, base.readOnly, `Dataset ${namespace}/${name}`),
    hadoop: () => hadoopOf(spec.hadoopConfig, facts.configMaps[spec.hadoopConfig ?? ''], engine),
    properties: () => checkProperties(propertyFields(spec)),
  });
  const { readOnly } = base;
  const { sources } = mounts;
  const object = `Dataset ${namespace}/${name}`;
  const { credentials } = together(
    {
      credentials: () => credentialsOf(input, sources, images),
      options: () => checkProperties(Object.fromEntries(sources.map(({ field, options }) => [`${field}.options`, options]))),
    },
    object,
  );
  const { stores } = together({ stores: () => storeProperties(engine, sources, credentials) }, object);
  const { hasWorkers } = deploymentOf(spec);
  const isFuseOnly = masters.length === 0;
  const rdma = engine === 'jindocache' && input.annotations[RPC_PROTOCOL] === 'rdma';
  const { files, hashes, addresses, sets } = configuration(
    input,
    { engine, masters, ports, tier, stores, readOnly, rdma, fuseTag: images.fuse.tag },
    mounts,
    credentials,
  );
  const configName = configNameOf({ name });
  const pods = {
    engine,
    masters,
    ports,
    tier,
    images,
    config: {
      name: 'bigboot-config',
      ...(files.isSecret ? { secret: { secretName: configName } } : { configMap: { name: configName } }),
    },
    access: [...hadoop, ...credentials.mounted],
    native: mounts.native,
    isFuseOnly,
    rdma,
    ...fuseCall(input, { ports, sources, readOnly, isFuseOnly }),
  };
  const { master, worker, client } = together({
    master: () => masterPod(input, pods),
    worker: () => workerPod(input, pods),
    client: () => fusePod(input, pods),
  });
  return {
    ...base,
    engine,
    image: images.engine.image,
    masters,
    ports,
    sources: sources.map(({ path, source }) => ({ path, source })),
    sets,
    files,
    hashes,
    addresses,
    master,
    worker,
    client,
    loadFiles: loadFiles(pods),
    ...(env[PORT_CHECK] === 'true' && master.hostNetwork && { portCheck: portCheckImage(input.settings) }),
    isMemory: tier.isMemory,
    nodeCaches: tier.isOnNode ? tier.directories : [],
    countsFiles: env[QUERY_TOTAL] === 'true' && !isFuseOnly,
    replicas: { ...(!isFuseOnly && { master: masters.length }), ...(hasWorkers && { worker: spec.replicas ?? 0 }) },
    cacheOnNode: tier.bytes > 0 ? { [tier.isMemory ? 'memory' : 'disk']: tier.bytes } : {},
    cleaning: cleaningOf(spec.cleanCachePolicy, base.cleaning),
    warnings: [...base.warnings, ...specWarnings(input, sources)],
  };
}

/** The ConfigMap or Secret with the files of the engine. */
export const configNameOf = ({ name }: { readonly name: string }): string => `${name}-jindofs-config`;

const propertyFields = ({ master, worker, fuse, logConfig }: JindoRuntimeSpec) => ({
  'spec.master.properties': master?.properties,
  'spec.worker.properties': worker?.properties,
  'spec.fuse.properties': fuse?.properties,
  'spec.fuse.logConfig': fuse?.logConfig,
  'spec.logConfig': logConfig,
});
