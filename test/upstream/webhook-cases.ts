import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { type Manifest, runtimePlural } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { KnownObjects } from '../../src/webhook/known.ts';
import type { Pod } from '../../src/webhook/pod.ts';
import type { CachedFuse } from '../../src/webhook/watches/cached.ts';
import { knownObjects } from '../../src/webhook/watches/known-objects.ts';
import { fuseProjection, cachedClaim, cachedDataset, cachedRuntime, cachedVolume } from '../../src/webhook/watches/projections.ts';
import { GOLDENS, hasGoldens } from './cases.ts';

/** A pod as a user wrote it, what Fluid's webhook made of it, and the cluster at that time. */
export interface WebhookCase {
  /** `serverful-thin`. */
  readonly name: string;
  readonly namespace: string;
  readonly pod: Pod;
  /** Fluid's answer. Undefined: the pod was denied. */
  readonly mutated: Pod | undefined;
  readonly known: KnownObjects;
}

export function readWebhookCases(): readonly WebhookCase[] {
  return hasGoldens ? readdirSync(join(GOLDENS, 'webhook')).map(readCase) : [];
}

function readCase(name: string): WebhookCase {
  const folder = join(GOLDENS, 'webhook', name);
  const [pod, mutated, output] = ['input.yaml', 'mutated.yaml', 'output.yaml'].map((file) =>
    parse(readFileSync(join(folder, file), 'utf8')),
  );
  const { namespace } = (pod as Pod).metadata;
  if (namespace === undefined) throw new Error(`${name}: the pod has no namespace`);
  const { allowed, status } = (output as { response: { allowed: boolean; status?: { message?: string } } }).response;
  const [, missing = ''] = /following PVCs \[(.*?)\]/.exec(status?.message ?? '') ?? [];
  return {
    name,
    namespace,
    pod: pod as Pod,
    mutated: allowed ? (mutated as Pod) : undefined,
    known: knownIn(namespace, missing.split(' ')),
  };
}

/** The recorded objects of the namespace `g-<folder>-<case>`, but for claims that did not exist yet. */
function knownIn(namespace: string, missing: readonly string[]): KnownObjects {
  const folder = readdirSync(GOLDENS)
    .filter((each) => namespace.startsWith(`g-${each}-`))
    .map((each) => join(GOLDENS, each, namespace.slice(`g-${each}-`.length)))
    .find((each) => existsSync(each));
  if (folder === undefined) throw new Error(`${namespace}: no recorded case has this namespace`);
  const [inputs = [], objects = [], statuses = []] = ['input.yaml', 'objects.yaml', 'status.yaml'].map((file) =>
    documents(join(folder, file)),
  );
  const claims = [...ofKind(objects, 'PersistentVolumeClaim'), ...ofKind(objects, 'PersistentVolume').map(claimOf)].filter(
    ({ metadata }) => !missing.includes(metadata.name),
  );
  // The text of a record is divided by slashes.
  const daemonSets = ofKind(objects, 'DaemonSet').map((object) => ({
    ...object,
    metadata: { ...object.metadata, uid: `${object.metadata.uid}`.replaceAll('/', '-'), generation: 1 },
  }));
  const fuses = daemonSets.map(fuseProjection());
  /** As the controller records it once it has taken the volume over. */
  const recorded = (volume: KubeObject): KubeObject => {
    const { claimRef } = volume['spec'] as { claimRef: { name: string } };
    const fuse = daemonSets.find(({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ name }) => name === claimRef.name));
    if (!fuse) return volume;
    const { name, uid, ownerReferences = [] } = fuse.metadata;
    const refused = ownerReferences.map(({ kind }) => NEEDS_THE_NODE[kind]).find((reason) => reason !== undefined);
    const record = {
      'data.fluid.io/verified-fuse': `${name}/${uid}/1/hash`,
      'data.fluid.io/sidecar': JSON.stringify({ caches: cachesIn(fuse), ...(refused !== undefined && { refused }) }),
    };
    return { ...volume, metadata: { ...volume.metadata, annotations: { ...volume.metadata.annotations, ...record } } };
  };
  const resources = statuses.map((status) => ({ ...inputs.find((input) => isSame(input, status)), ...status }) as KubeObject);
  const at = (objects: readonly KubeObject[], name: string) => objects.find(({ metadata }) => metadata.name === name);
  const projected = <T>(project: (object: KubeObject) => T, object: KubeObject | undefined): T | undefined => object && project(object);
  const isHere = (where: string): boolean => where === namespace;
  return knownObjects({
    claim: (where, name) => projected(cachedClaim, isHere(where) ? at(claims, name) : undefined),
    dataset: (where, name) => projected(cachedDataset, isHere(where) ? at(ofKind(resources, 'Dataset'), name) : undefined),
    volume: (name) => projected(cachedVolume, at(ofKind(objects, 'PersistentVolume').map(recorded), name)),
    fuse: (where, name) => (isHere(where) ? at(fuses, name) : undefined) as CachedFuse | undefined,
    runtime: (type, where, name) =>
      projected(
        cachedRuntime,
        resources.find(({ kind, metadata }) => isHere(where) && `${kind.toLowerCase()}s` === runtimePlural(type) && metadata.name === name),
      ),
  });
}

/** Volumes of cache, by the names of Fluid's charts. */
function cachesIn({ spec }: KubeObject): readonly string[] {
  const { volumes = [] } = (spec as { readonly template: { readonly spec: { readonly volumes?: readonly { name: string }[] } } }).template
    .spec;
  return volumes.flatMap(({ name }) => (/^(cache-dir-|mem$)/.test(name) ? [name] : []));
}
/** The notes of runtimes/efc and runtimes/vineyard on their clients. */
const NEEDS_THE_NODE: Readonly<Record<string, string>> = {
  EFCRuntime: 'EFC needs the session manager of its node',
  VineyardRuntime: 'Vineyard needs the socket of a server on its node',
};

const documents = (file: string): readonly KubeObject[] =>
  existsSync(file)
    ? parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => {
        const object = document.toJS() as KubeObject | null;
        // The recording has no UIDs of its own.
        return object ? [{ ...object, metadata: { uid: `<uid:${object.kind}/${object.metadata?.name}>`, ...object.metadata } }] : [];
      })
    : [];
const ofKind = (objects: readonly KubeObject[], kind: string) => objects.filter((object) => object.kind === kind);
const isSame = (a: Manifest | KubeObject, b: KubeObject) => a.kind === b.kind && a.metadata.name === b.metadata.name;

/** Some claims came only after their objects were recorded. */
function claimOf({ metadata: { labels }, ...volume }: KubeObject): KubeObject {
  const { claimRef } = volume['spec'] as { claimRef: { namespace: string; name: string } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { ...claimRef, ...(labels && { labels }) } };
}
