import { parse } from 'yaml';
import { type CustomResource, GROUP, operationKinds } from '../../api/index.ts';
import { Dataset } from '../../api/dataset.ts';
import { isRecord } from '../../api/is-record.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds, typeOf } from '../../planning/kinds.ts';
import { type ChartContent, contentOf, type HelmRecord, typeOfRecord } from '../fluid/helm.ts';
import type { FluidReader } from '../fluid/reads.ts';
import type { Once } from './once.ts';

/** Objects of users, and what Fluid and Sluice keep beside them. */
export interface Users {
  readonly datasets: readonly KubeObject[];
  readonly runtimes: readonly KubeObject[];
  readonly operations: readonly KubeObject[];
  /** ThinRuntimeProfiles, CacheRuntimeClasses. */
  readonly companions: readonly KubeObject[];
  readonly statefulSets: readonly KubeObject[];
  readonly releases: readonly FluidRelease[];
  /** ConfigMaps of Datasets, among them those of the values that Fluid wrote for runtimes. Metadata alone. */
  readonly configMaps: readonly KubeObject[];
}

/** A record of one of the releases that Fluid's controllers install: one for each runtime, and one for each operation. */
export interface FluidRelease {
  readonly kind: HelmRecord['kind'];
  readonly namespace: string;
  /** Name of the record. */
  readonly name: string;
  readonly uid: string;
  /** Name of the release: that of the runtime, or of the operation with its ending. */
  readonly release: string;
}

/**
 * Charts of runtimes in Fluid's images, by the name in Chart.yaml. Alluxio's own chart has the same name, and so has that of Vineyard. Not
 * `goosefs`: Sluice has no such kind, and so cannot know whether the runtime exists.
 */
const CHARTS_OF_RUNTIMES: ReadonlySet<string> = new Set(['alluxio', 'efc', 'jindofs', 'juicefs', 'thin', 'vineyard']);
/** Charts of operations, which users do not install. */
const CHARTS_OF_OPERATIONS: ReadonlySet<string> = new Set([
  'fluid-databackup',
  'fluid-dataloader',
  'fluid-datamigrate',
  'fluid-dataprocess',
]);

/**
 * @param except namespace and name of Fluid's own release, which is none of a runtime
 * @param once keeps what the records of helm are from one pass to the next
 */
export async function readUsers(
  reads: FluidReader,
  resources: readonly CustomResource[],
  except: { readonly namespace: string; readonly name: string } | undefined,
  once: Once<FluidRelease | undefined>,
): Promise<Users> {
  const isRuntime = ({ kind }: CustomResource): boolean => kind.endsWith('Runtime');
  const operations = new Set(operationKinds.map(({ kind }) => kind));
  const of = async (which: (resource: CustomResource) => boolean) =>
    (await Promise.all(resources.filter(which).map((resource) => reads.list(typeOf(resource), {})))).flat();
  const records = async (kind: HelmRecord['kind']) =>
    (await reads.list(typeOfRecord({ kind }), { labelSelector: 'owner=helm', metadataOnly: true })).map((object) => ({ kind, object }));
  const [datasets, runtimes, runs, companions, statefulSets, inConfigMaps, inSecrets, configMaps] = await Promise.all([
    reads.list(typeOf(Dataset), {}),
    of(isRuntime),
    of(({ kind }) => operations.has(kind)),
    of((resource) => resource.kind !== Dataset.kind && !isRuntime(resource) && !operations.has(resource.kind)),
    reads.list(ownedKinds.StatefulSet, { labelSelector: 'fluid.io/managed-by=fluid' }),
    records('ConfigMap'),
    records('Secret'),
    reads.list(ownedKinds.ConfigMap, { labelSelector: 'fluid.io/dataset-id', metadataOnly: true }),
  ]);
  const others = [...inConfigMaps, ...inSecrets].filter(
    ({ object: { metadata } }) => !(metadata.namespace === except?.namespace && metadata.labels?.['name'] === except?.name),
  );
  const releases = await Promise.all(others.map(({ kind, object }) => once(object, () => fluidRelease(reads, kind, object))));
  return {
    datasets,
    runtimes,
    operations: runs,
    companions,
    statefulSets,
    releases: releases.filter((each) => each !== undefined),
    configMaps,
  };
}

/** undefined for a release of a user: a chart of theirs may have the name of a runtime. threat-model: R-runtime-releases */
async function fluidRelease(reads: FluidReader, kind: HelmRecord['kind'], { metadata }: KubeObject): Promise<FluidRelease | undefined> {
  const { namespace = '', name, uid = '', labels = {} } = metadata;
  const record = await reads.get(typeOfRecord({ kind }), { namespace, name });
  const content = record && contentOf(kind, record, LARGEST);
  return content && isFluidsRelease(content) ? { kind, namespace, name, uid, release: labels['name'] ?? '' } : undefined;
}

/** Any user may write a record, of which a few KB may be gigabytes. One of a runtime has some 100 KB. */
const LARGEST = 8 << 20;

/** Fluid tells the chart of a runtime which object owns what it creates. */
function isFluidsRelease({ chart = '', values }: ChartContent): boolean {
  if (CHARTS_OF_OPERATIONS.has(chart)) return true;
  return CHARTS_OF_RUNTIMES.has(chart) && isOwnedByRuntime(values);
}

/** Whether values of a chart name an object of Fluid's API group as the owner of all that the chart creates. */
const isOwnedByRuntime = ({ owner }: { readonly owner?: unknown }): boolean => {
  const apiVersion = isRecord(owner) ? owner['apiVersion'] : undefined;
  return typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`);
};

/**
 * Whether a ConfigMap has the values that Fluid's controllers gave the chart of a runtime. A user's may have such a name, and the label of a
 * Dataset. threat-model: R-runtime-releases
 */
export function isFluidsValues(configMap: KubeObject): boolean {
  const { data } = (configMap['data'] ?? {}) as { readonly data?: unknown };
  try {
    const values: unknown = parse(typeof data === 'string' ? data : '');
    return isRecord(values) && isOwnedByRuntime(values);
  } catch {
    return false;
  }
}
