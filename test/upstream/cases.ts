import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import alluxio from '../../runtimes/alluxio/index.ts';
import cache from '../../runtimes/cache/index.ts';
import efc from '../../runtimes/efc/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import {
  Dataset,
  type DatasetSpec,
  exclusiveNodeLabel,
  type Manifest,
  type PersistentVolumeClaim,
  type PersistentVolumeSpec,
  parse,
  referenceIn,
} from '../../src/api/index.ts';
import {
  type BoundRuntime,
  base64,
  type ClaimFact,
  type Facts,
  type PodFact,
  type ReferenceFact,
  type Runtime,
  type RuntimeInput,
} from '../../src/constructs/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { dataKeys } from '../../src/planning/named-objects.ts';
import { referenceRuntime } from '../../src/planning/reference-runtime.ts';
import { canRun } from '../support/can-run.ts';

/** The recorded objects of Fluid; beside the repository, not in it. */
export const GOLDENS = resolve(import.meta.dirname, '../../../shared/goldens');
export const hasGoldens = canRun('comparisons with Fluid', existsSync(GOLDENS) ? undefined : `no goldens at ${GOLDENS}`);

export interface Case {
  /** `thin/plain-min`. */
  readonly name: string;
  readonly namespace: string;
  /** Fluid's objects. */
  readonly golden: readonly Manifest[];
  readonly nodes: readonly { readonly node: string; readonly labels: Readonly<Record<string, string>> }[];
  /** Throws InvalidSpec. */
  bind(): readonly BoundRuntime[];
  /** Runtimes that the controller creates. */
  readonly created: readonly Manifest[];
}

/** Labels of a node. Which Dataset has it alone cannot be compared, since the cases ran at once. */
export const withoutExclusive = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key !== exclusiveNodeLabel));

const RUNTIMES: readonly Runtime[] = [thin, juicefs, alluxio, jindo, efc, cache, vineyard];
/** Recorded with an engine of its own. */
const ENGINES: Readonly<Record<string, readonly string[]>> = { jindo: ['jindo', 'jindofsx'] };

export function readCases(): readonly Case[] {
  if (!hasGoldens) return [];
  return RUNTIMES.flatMap((runtime) =>
    (ENGINES[runtime.type] ?? [runtime.type]).flatMap((folder) =>
      // Fluid made nothing of one input: its controller ended.
      readdirSync(join(GOLDENS, folder))
        .filter((name) => existsSync(join(GOLDENS, folder, name, 'objects.yaml')))
        .map((name) => readCase(runtime, `${folder}/${name}`)),
    ),
  );
}

function readCase(runtime: Runtime, name: string): Case {
  const [input, objects] = ['input.yaml', 'objects.yaml'].map((file) => documents(join(GOLDENS, name, file)));
  const golden = (objects ?? []).filter(({ kind }) => kind !== 'NodeLabels').map(asStatefulSet);
  const labels = objects?.find(({ kind }) => kind === 'NodeLabels') as { readonly nodes?: Case['nodes'] } | undefined;
  const own = (input ?? []).filter(({ kind }) => kind === runtime.resource.kind);
  const bound = () => own.map((object) => runtime.bind(planInputOf(runtime, object, input ?? [], golden, name.split('/')[0] ?? '')));
  const referring = (input ?? []).filter(({ kind, ...dataset }) => kind === Dataset.kind && referenceIn(dataset['spec'] as DatasetSpec));
  const created = referring.map((dataset) => shownReference(dataset));
  return {
    name,
    namespace: `g-${name.replace('/', '-')}`,
    golden,
    nodes: labels?.nodes ?? [],
    bind() {
      const sources = bound();
      const references = created.map((object) => {
        const planInput = planInputOf(thin, object, input ?? [], golden, '');
        return thin.bind({ ...planInput, facts: { ...planInput.facts, reference: referenceTo(sources[0] as BoundRuntime, runtime) } });
      });
      return [...sources, ...references];
    },
    created,
  };
}

/** The ThinRuntime that the controller creates for such a Dataset. */
function shownReference({ kind, metadata }: Manifest): Manifest {
  const { name, namespace = '' } = metadata;
  const runtime = referenceRuntime(thin, { namespace, name, uid: uidOf({ kind, metadata }), collides: false });
  return runtime as unknown as Manifest;
}

/** The controller's facts about the Dataset that is referred to. */
function referenceTo({ plan, synth }: BoundRuntime, { resource, type }: Runtime): ReferenceFact {
  const volume = synth('volume').find(({ kind }) => kind === 'PersistentVolume') as Manifest;
  const { claimRef: _, ...spec } = volume['spec'] as PersistentVolumeSpec;
  return {
    dataset: { identity: plan.dataset, mounts: [], status: {} },
    // The cast: no object of a reference depends on the status of the other one.
    runtime: { kind: resource.kind, type, engine: plan.engine, status: {} as ReferenceFact['runtime']['status'] },
    volume: spec,
  };
}

/** Fluid's own copy of the kind: compared with the StatefulSet in its place. */
const asStatefulSet = (object: Manifest): Manifest =>
  object.kind === 'AdvancedStatefulSet' ? { ...object, apiVersion: 'apps/v1', kind: 'StatefulSet' } : object;

/** An anchor, a comment and nothing else are documents too. */
export const documents = (file: string): readonly Manifest[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => (document.toJS() as Manifest | null) ?? []);

function planInputOf(
  runtime: Runtime,
  object: Manifest,
  input: readonly Manifest[],
  golden: readonly Manifest[],
  folder: string,
): RuntimeInput<unknown> {
  const { metadata, spec } = parse(runtime.resource, object);
  const { name, namespace = '' } = metadata;
  const dataset = input.find(({ kind, metadata }) => kind === Dataset.kind && metadata.name === name);
  const parsed = parse(Dataset, dataset);
  const planInput: RuntimeInput<unknown> = {
    name,
    namespace,
    uid: uidOf(object),
    annotations: metadata.annotations ?? {},
    spec,
    dataset: {
      identity: { namespace, name, uid: uidOf(parsed), collides: false },
      annotations: parsed.metadata.annotations ?? {},
      spec: parsed.spec,
    },
    facts: factsOf(runtime, input),
    settings: { ...SETTINGS, env: { ...SETTINGS.env, ...(folder === 'jindofsx' && { JINDO_ENGINE_TYPE: folder }) } },
  };
  const ports = Object.fromEntries(
    (runtime.needs(planInput).ports ?? []).map((need) => [need.name, portIn(golden, runtime.workloads(name)[need.in], need.portName)]),
  );
  return { ...planInput, facts: { ...planInput.facts, ports, pods: { worker: workersIn(golden) } } };
}

/** Ready workers, as Fluid's EFC lists them. */
function workersIn(golden: readonly Manifest[]): readonly PodFact[] {
  const list = golden.find(({ metadata }) => metadata.name.endsWith('-worker-endpoints'))?.['data'] as Record<string, string> | undefined;
  const { containerendpoints: endpoints = [] } = JSON.parse(list?.['efc-worker-endpoints.json'] ?? '{}') as {
    readonly containerendpoints?: readonly string[];
  };
  return endpoints.map((endpoint, i) => ({ name: `worker-${i}`, uid: String(i), ip: endpoint.split(':')[0] ?? '', node: `node-${i}` }));
}

/** As Fluid's chart sets up its controllers. */
const SETTINGS: RuntimeInput<unknown>['settings'] = {
  mountRoot: '/runtime-mnt',
  criticalFusePod: true,
  imagePullSecrets: [],
  env: {
    ALLUXIO_RUNTIME_IMAGE_ENV: 'alluxio/alluxio-dev:2.9.0',
    ALLUXIO_FUSE_IMAGE_ENV: 'alluxio/alluxio-dev:2.9.0',
    JINDO_SMARTDATA_IMAGE_ENV: 'registry.cn-shanghai.aliyuncs.com/jindofs/smartdata:6.9.1-202509151826',
    JINDO_FUSE_IMAGE_ENV: 'registry.cn-shanghai.aliyuncs.com/jindofs/jindo-fuse:6.9.1-202509151826',
    QUERY_UFS_TOTAL: 'true',
    ...Object.fromEntries(
      ['master', 'worker', 'fuse'].map((part) => [
        `EFC_${part.toUpperCase()}_IMAGE_ENV`,
        `registry.cn-zhangjiakou.aliyuncs.com/nascache/efc-${part}:v1.2.2-19dcee9`,
      ]),
    ),
    JUICEFS_CE_IMAGE_ENV: 'juicedata/mount:ce-v1.3.0',
    JUICEFS_EE_IMAGE_ENV: 'juicedata/mount:ee-5.2.10-eb0a8b3',
  },
  portRanges: {},
};

/** UIDs that an API server takes, and no user writes; `shownUid` turns those that were given out into the goldens' form. */
const given = new Map<string, string>();
function uidOf({ kind, metadata: { namespace = '', name } }: Pick<Manifest, 'kind' | 'metadata'>): string {
  const hash = createHash('sha256').update(`${kind}/${namespace}/${name}`).digest('hex');
  const uid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  given.set(uid, `<uid:${kind}/${name}>`);
  return uid;
}
export const shownUid = (value: string): string =>
  value.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (uid) => given.get(uid) ?? uid);

function factsOf({ companions }: Runtime, input: readonly Manifest[]): Facts {
  const named = <T>(kind: string, fact: (object: Manifest) => T) =>
    Object.fromEntries(input.filter((object) => object.kind === kind).map((object) => [object.metadata.name, fact(object)]));
  return {
    ports: {},
    configMaps: named('ConfigMap', (object) => dataKeys(object as unknown as KubeObject)),
    pods: {},
    secrets: named('Secret', ({ data, stringData }) => ({
      ...(data as Record<string, string> | undefined),
      ...Object.fromEntries(Object.entries((stringData ?? {}) as Record<string, string>).map(([key, value]) => [key, base64(value)])),
    })),
    claims: named('PersistentVolumeClaim', (claim) => claimFact(claim, input)),
    objects: Object.fromEntries(
      companions.flatMap((companion) =>
        Object.entries(named(companion.kind, (object) => parse(companion, object))).map(([name, object]) => [
          `${companion.kind}/${name}`,
          object,
        ]),
      ),
    ),
  };
}

/** The goldens' controller manager had bound it. */
function claimFact(claim: Manifest, input: readonly Manifest[]): ClaimFact {
  const { volumeName = '' } = claim['spec'] as NonNullable<PersistentVolumeClaim['spec']>;
  const volume = input.find(({ kind, metadata }) => kind === 'PersistentVolume' && metadata.name === volumeName);
  const { csi, mountOptions = [] } = (volume?.['spec'] as Pick<PersistentVolumeSpec, 'csi' | 'mountOptions'> | undefined) ?? {};
  return { uid: uidOf(claim), volume: volumeName, ...(csi && { csi }), mountOptions };
}

interface PodTemplate {
  readonly template: {
    readonly spec: { readonly containers: readonly { readonly ports?: readonly { name?: string; containerPort: number }[] }[] };
  };
}
/** Fluid's ports are random: ours are given the same. */
function portIn(golden: readonly Manifest[], workload: string, portName: string): number {
  const spec = golden.find(({ kind, metadata }) => (kind === 'StatefulSet' || kind === 'DaemonSet') && metadata.name === workload)?.[
    'spec'
  ] as PodTemplate | undefined;
  const ports = spec?.template.spec.containers.flatMap(({ ports = [] }) => ports) ?? [];
  return ports.find(({ name }) => name === portName)?.containerPort ?? 0;
}
