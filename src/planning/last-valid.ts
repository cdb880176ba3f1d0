import { hash } from 'node:crypto';
import {
  annotation,
  asWritten,
  Dataset,
  GROUP,
  InvalidSpec,
  lastValidName,
  type Manifest,
  parse,
  type Resource,
  VERSION,
} from '../api/index.ts';
import { type BoundRuntime, commonLabels, type Facts, type RuntimeInput, type Runtime } from '../constructs/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { LAST_APPLIED } from './kinds.ts';

/** The last input of a runtime that led to a plan, which stays in force while an edit is invalid. */
export interface LastValid {
  readonly input: Omit<RuntimeInput<unknown>, 'settings'>;
  readonly generations: { readonly runtime: number; readonly dataset: number };
}
/** The part of it that outlives the process. Secrets and ports are looked up again. */
export type Recorded = Pick<LastValid, 'generations'> & {
  readonly annotations: Annotations;
  readonly spec: object;
  readonly dataset: { readonly annotations: Annotations; readonly spec: Dataset['spec'] };
  readonly facts: Pick<Facts, 'claims' | 'objects'> & Partial<Pick<Facts, 'configMaps' | 'reference'>>;
};
type Annotations = Readonly<Record<string, string>>;

/** Bytes. A ConfigMap holds a mebibyte; no spec comes near this limit. */
export const LARGEST_RECORD = 256 * 1024;
const KEY = 'input.json';

/**
 * The volume part of a plan with the record of its input: a ConfigMap, and its hash on the volume. Users who may write ConfigMaps of a
 * namespace may not write volumes, so that they cannot put an input in force that no admission has seen. Undefined if the record is too large.
 */
export function recorded(bound: BoundRuntime, last: LastValid): readonly Manifest[] | undefined {
  const text = JSON.stringify(recordOf(last));
  if (Buffer.byteLength(text) > LARGEST_RECORD) return undefined;
  const record: Manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: lastValidName(bound.plan.name),
      namespace: bound.plan.namespace,
      labels: commonLabels(bound.plan),
      ownerReferences: [{ ...bound.plan.owner, controller: true, blockOwnerDeletion: false }],
    },
    data: { [KEY]: text },
  };
  const stamp = { [annotation.lastValid]: digest(text) };
  const withStamp = (manifest: Manifest): Manifest =>
    manifest.kind === 'PersistentVolume'
      ? { ...manifest, metadata: { ...manifest.metadata, annotations: { ...manifest.metadata.annotations, ...stamp } } }
      : manifest;
  return [record, ...bound.synth('volume').map(withStamp)];
}

function recordOf({ generations, input: { annotations, spec, dataset, facts } }: LastValid): Recorded {
  return {
    generations,
    annotations: without(annotations),
    spec: spec as object,
    dataset: { annotations: without(dataset.annotations), spec: dataset.spec },
    facts: {
      claims: facts.claims,
      ...(Object.keys(facts.configMaps).length > 0 && { configMaps: facts.configMaps }),
      ...(facts.reference && { reference: facts.reference }),
      objects: Object.fromEntries(Object.entries(facts.objects).map(([name, object]) => [name, slim(object)])),
    },
  };
}
const without = ({ [LAST_APPLIED]: _applied, ...rest }: Annotations): Annotations => rest;
/** The part of a profile that a plan reads. */
function slim(object: unknown): unknown {
  const { apiVersion, kind, metadata, spec } = object as KubeObject;
  return { apiVersion, kind, metadata: { name: metadata.name, annotations: without(metadata.annotations ?? {}) }, spec };
}

/**
 * The record, if the volume has its hash. Undefined also for specs that an older version of Sluice accepted and this one rejects.
 * threat-model: R-last-valid
 */
export function readRecord({ resource, companions }: Runtime, configMap: KubeObject, volume: KubeObject): Recorded | undefined {
  const text = (configMap['data'] as Readonly<Record<string, string>> | undefined)?.[KEY];
  if (text === undefined || volume.metadata.annotations?.[annotation.lastValid] !== digest(text)) return undefined;
  try {
    // The cast: the controller wrote it. Specs of users are parsed again all the same.
    const record = JSON.parse(text) as Recorded;
    const { name, namespace } = configMap.metadata;
    const object = (kind: string, spec: unknown) => ({ apiVersion: `${GROUP}/${VERSION}`, kind, metadata: { name, namespace }, spec });
    return {
      ...record,
      spec: (parse(resource, object(resource.kind, record.spec)) as { spec: object }).spec,
      dataset: { ...record.dataset, spec: parse(Dataset, object(Dataset.kind, record.dataset.spec)).spec },
      facts: {
        ...record.facts,
        objects: Object.fromEntries(
          Object.entries(record.facts.objects).map(([key, companion]) => {
            const kind = companions.find((each) => each.kind === (companion as KubeObject).kind);
            return [key, kind ? parse(kind, asWritten(kind, companion as Resource)) : companion];
          }),
        ),
      },
    };
  } catch (error) {
    if (error instanceof InvalidSpec || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const digest = (text: string): string => hash('sha256', text);
