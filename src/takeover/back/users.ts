import { type CustomResource, operationKinds } from '../../api/index.ts';
import { Dataset } from '../../api/dataset.ts';
import type { KubeClient } from '../../kube/contract.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds, Secret, typeOf } from '../../planning/kinds.ts';
import { contentOf, type HelmRecord } from '../fluid/helm.ts';
import type { FluidReader } from '../fluid/reads.ts';

/** Objects of users, and what Fluid and Sluice keep beside them. */
export interface Users {
  readonly datasets: readonly KubeObject[];
  readonly runtimes: readonly KubeObject[];
  readonly operations: readonly KubeObject[];
  /** ThinRuntimeProfiles, CacheRuntimeClasses. */
  readonly companions: readonly KubeObject[];
  readonly statefulSets: readonly KubeObject[];
  readonly releases: readonly FluidRelease[];
  /** ConfigMaps of values that Fluid wrote for runtimes: `<namespace>/<name>`. */
  readonly values: ReadonlySet<string>;
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

/** Charts in Fluid's images, by the name in Chart.yaml; users install none of them. */
const CHARTS: ReadonlySet<string> = new Set([
  'alluxio',
  'efc',
  'goosefs',
  'jindofs',
  'juicefs',
  'thin',
  'vineyard',
  'library',
  'fluid-databackup',
  'fluid-dataloader',
  'fluid-datamigrate',
  'fluid-dataprocess',
]);

/** @param except namespace and name of Fluid's own release, which is none of a runtime */
export async function readUsers(
  reads: FluidReader,
  client: KubeClient,
  resources: readonly CustomResource[],
  except: { readonly namespace: string; readonly name: string } | undefined,
): Promise<Users> {
  const isRuntime = ({ kind }: CustomResource): boolean => kind.endsWith('Runtime');
  const operations = new Set(operationKinds.map(({ kind }) => kind));
  const of = async (which: (resource: CustomResource) => boolean) =>
    (await Promise.all(resources.filter(which).map((resource) => reads.list(typeOf(resource), {})))).flat();
  const records = async (kind: HelmRecord['kind']) =>
    (await reads.list(kind === 'Secret' ? Secret : ownedKinds.ConfigMap, { labelSelector: 'owner=helm', metadataOnly: true })).map(
      (object) => ({ kind, object }),
    );
  const [datasets, runtimes, runs, companions, statefulSets, configMaps, secrets, values] = await Promise.all([
    reads.list(typeOf(Dataset), {}),
    of(isRuntime),
    of(({ kind }) => operations.has(kind)),
    of((resource) => resource.kind !== Dataset.kind && !isRuntime(resource) && !operations.has(resource.kind)),
    reads.list(ownedKinds.StatefulSet, { labelSelector: 'fluid.io/managed-by=fluid' }),
    records('ConfigMap'),
    records('Secret'),
    reads.list(ownedKinds.ConfigMap, { labelSelector: 'fluid.io/dataset-id', metadataOnly: true }),
  ]);
  const others = [...configMaps, ...secrets].filter(
    ({ object: { metadata } }) => !(metadata.namespace === except?.namespace && metadata.labels?.['name'] === except?.name),
  );
  const releases = await Promise.all(others.map(({ kind, object }) => fluidRelease(client, kind, object)));
  return {
    datasets,
    runtimes,
    operations: runs,
    companions,
    statefulSets,
    releases: releases.filter((each) => each !== undefined),
    values: new Set(values.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)),
  };
}

/** undefined for a release of somebody else: a chart of theirs may have the name of a runtime. */
async function fluidRelease(client: KubeClient, kind: HelmRecord['kind'], { metadata }: KubeObject): Promise<FluidRelease | undefined> {
  const { namespace = '', name, uid = '', labels = {} } = metadata;
  const record = await client.get(kind === 'Secret' ? Secret : ownedKinds.ConfigMap, { namespace, name }).catch(() => undefined);
  const chart = record && contentOf(kind, record)?.chart;
  return chart !== undefined && CHARTS.has(chart) ? { kind, namespace, name, uid, release: labels['name'] ?? '' } : undefined;
}
