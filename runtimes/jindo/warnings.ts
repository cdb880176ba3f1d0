import { type DatasetSpec, type Mount, shown } from '../../src/api/index.ts';
import { ignored, type PlanInput, relativePath, unread, unreadSources, type Warning, warningsOf } from '../../src/constructs/index.ts';
import { cacheSetOptions } from './cache-sets.ts';
import { keyOptions, type Source, STORES } from './mounts.ts';
import { deploymentOf } from './masters.ts';
import { hasMetrics } from './ports.ts';
import type { JindoRuntimeSpec } from './spec.ts';

type Spec = JindoRuntimeSpec;
type Input = PlanInput<Spec>;

/** Fields without effect; Fluid ignores most of them too, without a warning. */
export const specWarnings = (input: Input, sources: readonly Source[]): readonly Warning[] => [
  ...replicasWarnings(input.spec),
  ...componentWarnings(input.spec),
  ...fuseWarnings(input),
  ...levelWarnings(input.spec),
  ...unread(input.spec, 'spec', {
    properties: 'has no effect; write properties of master, worker and fuse',
    runAs: 'has no effect; spec.user is the name of the user that Jindo runs as',
  }),
  ...hadoopWarnings(input),
  ...datasetsWarnings(input, sources),
  ...sharedWarnings(input, sources),
  ...(deploymentOf(input.spec).masters === 0 ? aloneWarnings(sources) : []),
  ...datasetWarnings(input.dataset.spec),
];

function replicasWarnings({ replicas, master, worker }: Spec): readonly Warning[] {
  const masters = master?.replicas ?? 1;
  return warningsOf(
    replicas === undefined && !worker?.disabled && ignored('spec.replicas', 'says nothing, so there is no worker'),
    masters !== 1 && masters !== 3 && ignored('spec.master.replicas', `expected 1 or 3, found ${masters}; there is one master`),
    unread(worker, 'spec.worker', { replicas: 'has no effect; spec.replicas says how many workers' }),
  );
}

const componentWarnings = (spec: Spec): readonly Warning[] =>
  (['master', 'worker'] as const).flatMap((part) => [
    ...unread(spec[part], `spec.${part}`, {
      ports: 'has no effect; the controller allocates ports of the node, which the other pods know',
    }),
    ...PORTS.filter((key) => spec[part]?.properties?.[key] !== undefined).map((key) => ({
      reason: 'SpecAmbiguous',
      message: `spec.${part}.properties[${key}]: the other pods look for the port that the controller allocated`,
    })),
  ]);
const PORTS = ['namespace.rpc.port', 'storage.rpc.port'];

function fuseWarnings(input: Input): readonly Warning[] {
  const { fuse = {} } = input.spec;
  const { enabled, scrapeTarget } = fuse.metrics ?? {};
  return warningsOf(
    unread(fuse, 'spec.fuse', { tolerations: 'has no effect; fuse pods tolerate every taint' }),
    fuse.disabled !== undefined && ignored('spec.fuse.disabled', 'has no effect; nobody could read without clients'),
    enabled && !hasMetrics(input) && ignored('spec.fuse.metrics.enabled', 'has no effect; clients of JindoFSx have no metrics'),
    scrapeTarget && !enabled && ignored('spec.fuse.metrics.scrapeTarget', 'has no effect while spec.fuse.metrics.enabled is not true'),
  );
}

function levelWarnings({ tieredstore }: Spec): readonly Warning[] {
  const [first, ...others] = tieredstore?.levels ?? [];
  return [
    ...(first ? unreadSources(first, 'spec.tieredstore.levels[0]') : []),
    ...others.map((_, i) => ignored(`spec.tieredstore.levels[${i + 1}]`, 'has no effect; Jindo has one level')),
  ];
}

/** JindoFSx finds a core-site.xml of its own at that place. */
const hadoopWarnings = ({ spec: { hadoopConfig }, facts, runtime }: Input): readonly Warning[] =>
  warningsOf(
    hadoopConfig &&
      runtime.engine === 'jindofsx' &&
      facts.configMaps[hadoopConfig]?.includes('core-site.xml') &&
      ignored('spec.hadoopConfig', 'core-site.xml has no effect; write its properties into spec.fuse.properties'),
  );

/** Whether a mount of this kind reads an option, of all mounts or its own. */
function isRead({ scheme }: Source, engine: string, key: string): boolean {
  if (engine === 'jindocache' && cacheSetOptions.includes(key)) return true;
  if (scheme === 'local') return false;
  if (!STORES.includes(scheme)) return key.startsWith('fs.');
  const keys: readonly string[] = keyOptions(scheme);
  return keys.includes(key) || key === `fs.${scheme}.endpoint` || (scheme === 's3' && key === 'fs.s3.region');
}

function datasetsWarnings({ runtime, dataset }: Input, sources: readonly Source[]): readonly Warning[] {
  const shared = new Set(dataset.spec.sharedEncryptOptions?.map(({ name }) => name));
  return sources.flatMap((source) => sourceWarnings(source, runtime.engine, dataset.spec, shared));
}

function sourceWarnings(
  source: Source,
  engine: string,
  { sharedOptions = {} }: DatasetSpec,
  shared: ReadonlySet<string>,
): readonly Warning[] {
  const { scheme, options, secrets, field } = source;
  const keys: readonly string[] = STORES.includes(scheme) ? keyOptions(scheme) : [];
  // Options of other schemes have names of their own.
  const plain = Object.keys(options).filter(
    (key) => !keys.includes(key) && isRead(source, engine, key) && /key|secret|token|password/i.test(key),
  );
  return [
    ...Object.keys(options)
      .filter((key) => !(key in sharedOptions) && !isRead(source, engine, key))
      .map((key) => ignored(`Dataset: ${field}.options[${key}]`, 'has no effect; write it into spec.fuse.properties')),
    ...[...secrets.keys()]
      .filter((key) => !shared.has(key) && !keys.includes(key))
      .map((key) => ignored(`Dataset: ${field}.encryptOptions`, `${shown(key)} has no effect; read are keys of the store`)),
    ...keys
      .filter((key) => options[key] !== undefined)
      .map((key) =>
        secrets.has(key)
          ? ignored(`Dataset: ${field}.options[${key}]`, 'has no effect; encryptOptions has it too')
          : {
              reason: 'RuntimeDeprecated',
              message: `Dataset: ${field}.options[${key}]: stored in the Dataset and in a ConfigMap; use encryptOptions`,
            },
      ),
    ...plain.map((key) => ({
      reason: 'RuntimeDeprecated',
      message: `Dataset: ${field}.options[${key}]: stored in plain text in the Dataset and in a ConfigMap; write it into hadoopConfig`,
    })),
  ];
}

/** Without masters, a client has one source. */
const aloneWarnings = (sources: readonly Source[]): readonly Warning[] =>
  sources.slice(1).map(({ field }) => ignored(`Dataset: ${field}`, 'has no effect; without masters, clients read the first mount alone'));

/** Options that no mount reads. */
function sharedWarnings({ dataset, runtime }: Input, sources: readonly Source[]): readonly Warning[] {
  const { sharedOptions = {}, sharedEncryptOptions = [] } = dataset.spec;
  const isKey = (name: string) => sources.some(({ scheme }) => STORES.includes(scheme) && keyOptions(scheme).some((key) => key === name));
  return [
    ...Object.keys(sharedOptions)
      .filter((key) => !sources.some((source) => isRead(source, runtime.engine, key)))
      .map((key) => ignored(`Dataset: spec.sharedOptions[${key}]`, 'has no effect; no mount reads it')),
    ...sharedEncryptOptions
      .filter(({ name }) => !isKey(name))
      .map(({ name }) => ignored('Dataset: spec.sharedEncryptOptions', `${shown(name)} has no effect; no mount reads it`)),
  ];
}

const datasetWarnings = (dataset: DatasetSpec): readonly Warning[] => [
  ...(dataset.mounts ?? []).flatMap((mount, i) => mountWarnings(mount, `Dataset: spec.mounts[${i}]`)),
  ...unread(dataset, 'Dataset: spec', {
    runtimes: 'has no effect; a runtime serves the Dataset of its own name',
    owner: 'has no effect; Jindo says who owns a file',
    dataRestoreLocation: 'has no effect; Jindo has no backups',
  }),
];

const mountWarnings = (mount: Mount, field: string): readonly Warning[] => [
  ...relativePath(mount, field),
  ...unread(mount, field, {
    ...(!mount.mountPoint.startsWith('pvc://') && { readOnly: 'has no effect; spec.accessModes says whether clients may write' }),
    shared: 'has no effect; Jindo shows a mount to every user',
  }),
];
