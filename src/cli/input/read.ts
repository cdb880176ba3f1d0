import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import {
  type CustomResource,
  Dataset,
  type Fault,
  faultsOf,
  GROUP,
  nearest,
  operationKinds,
  parse,
  shown,
  VERSION,
} from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { OperationObject } from '../../reconciler/operations.ts';
import type { RuntimeObject } from '../../planning/objects.ts';
import { objectText } from '../../planning/key.ts';
import { some } from '../../planning/some.ts';
import { messageOf, UsageError } from '../errors.ts';
import { type Documents, documentsIn, type InputFault, keysOf, type SourceObject } from './documents.ts';

/** The fields that every object has. */
export interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
export interface Item<T extends Named = Named> {
  /** Objects of Sluice's kinds as the API server would store them: pruned, with defaults. */
  readonly object: T;
  readonly source: SourceObject;
}
export interface RuntimeItem extends Item<RuntimeObject> {
  readonly definition: Runtime;
}
export interface InputObjects {
  readonly datasets: readonly Item<Dataset>[];
  readonly runtimes: readonly RuntimeItem[];
  readonly operations: readonly Item<OperationObject>[];
  /** Runtimes as they were written, those with faults among them. */
  readonly written: readonly Item[];
  /** Everything that could be read, our own kinds included, unparsed. */
  readonly all: readonly Item<KubeObject>[];
  /** Those of `all` that are of our own kinds. */
  readonly own: ReadonlySet<KubeObject>;
  readonly faults: readonly InputFault[];
}

/** Texts of files by name; `-` is standard input, and a folder means the manifests in it. */
export async function readFiles(files: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  return Promise.all(
    files.flatMap(manifestsIn).map(async (file) => {
      const name = file === '-' ? '<stdin>' : file;
      return [name, textOf(name, file === '-' ? await readAll(process.stdin) : contentOf(file))] as const;
    }),
  );
}

/** Notes that folders below a folder were not read, such as `examples: 2 folders below are not read: ci, gitops`. */
export const unreadFolders = (files: readonly string[]): readonly string[] =>
  files.filter(isFolder).flatMap((file) => {
    const below = readdirSync(file, { withFileTypes: true }).filter((each) => each.isDirectory() && !/^\.|^node_modules$/.test(each.name));
    const names = below.map(({ name }) => name).toSorted();
    const those = names.length === 1 ? '1 folder below is' : `${names.length} folders below are`;
    return names.length === 0 ? [] : [`note: ${file}: ${those} not read: ${some(names)}`];
  });

const isFolder = (file: string): boolean => file !== '-' && statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;

/** As kubectl reads a folder: not those below it. */
function manifestsIn(file: string): readonly string[] {
  if (!isFolder(file)) return [file];
  const names = readdirSync(file).filter((name) => /\.(?:ya?ml|json)$/.test(name));
  if (names.length === 0) throw new UsageError(`${file}: expected .yaml, .yml or .json files in this folder, found none`);
  return names.toSorted().map((name) => join(file, name));
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file}: expected a file that can be read, found: ${messageOf(error)}`);
  }
}

/** YAML may be UTF-16 too, but kubectl reads only UTF-8, and any other encoding would lose characters silently. */
function textOf(file: string, bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) throw new UsageError(`${file}: expected UTF-8, found UTF-16`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const lines = Buffer.from(bytes).toString('utf8').split('\n');
    const line = lines.findIndex((text) => text.includes('\uFFFD')) + 1;
    throw new UsageError(`${file}:${line}: expected UTF-8, found another encoding`);
  }
}

/** The objects of these texts, and the faults of each object by itself. */
export function readInput(texts: readonly (readonly [string, string])[], runtimes: readonly Runtime[], namespace: string): InputObjects {
  const read = texts.map(([file, text]) => documentsIn(file, text));
  return inputOf(
    { objects: read.flatMap(({ objects }) => objects), faults: read.flatMap((documents) => documents.faults) },
    runtimes,
    namespace,
  );
}

/** The same of objects, with the faults of what is no object. */
export function inputOf(documents: Documents, runtimes: readonly Runtime[], namespace: string): InputObjects {
  const known = new Map<string, CustomResource>(
    [Dataset, ...operationKinds, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map((resource) => [
      resource.kind,
      resource,
    ]),
  );
  const faults = [...documents.faults];
  const all: Item<KubeObject>[] = [];
  const datasets: Item<Dataset>[] = [];
  const found: RuntimeItem[] = [];
  const operations: Item<OperationObject>[] = [];
  const written: Item[] = [];
  const ours = new Set<KubeObject>();
  const first = new Map<string, SourceObject>();
  for (const source of documents.objects) {
    const object = objectOf(source, faults);
    if (!object) continue;
    const resource = known.get(object.kind);
    const placed = resource?.namespaced !== false && !CLUSTER_SCOPED.has(object.kind) ? inNamespace(object, namespace) : object;
    const id = `${placed.apiVersion} ${refOf(placed)}`;
    const twin = first.get(id);
    if (!twin) first.set(id, source);
    if (twin)
      faults.push(
        faultAt(source, placed, {
          path: 'metadata.name',
          expected: 'each object once',
          found: `${refOf(placed)} again, after ${lineOf(twin)}`,
        }),
      );
    all.push({ object: placed, source });
    if (!isOurs(object, resource)) continue;
    ours.add(placed);
    const own = resource ? faultsOf(resource, placed) : [unknownKind(object.kind, [...known.keys()])];
    faults.push(...own.map((fault) => faultAt(source, placed, fault)));
    const definition = runtimes.find((each) => each.resource === resource);
    if (definition) written.push({ object: placed, source });
    if (!resource || own.length > 0) continue;
    const parsed = { ...placed, ...parse(resource, placed) } as unknown;
    if (resource === Dataset) datasets.push({ object: parsed as Dataset, source });
    if (definition) found.push({ object: parsed as RuntimeObject, source, definition });
    if (operationKinds.includes(resource)) operations.push({ object: parsed as OperationObject, source });
  }
  return { datasets, runtimes: found, operations, written, all, own: ours, faults };
}

/** Cluster-scoped kinds that manifests depend on; they get no default namespace. */
const CLUSTER_SCOPED = new Set(['PersistentVolume', 'Node', 'Namespace', 'StorageClass', 'CustomResourceDefinition']);

/** The object, if it has the fields that every object needs; else undefined, with its faults added to `faults`. */
function objectOf(source: SourceObject, faults: InputFault[]): KubeObject | undefined {
  const { value } = source;
  const wrong = (path: string, expected: string, found: unknown) => ({ ...source.at(keysOf(path)), path, expected, found: shown(found) });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push(wrong('', 'an object with apiVersion, kind and metadata', value));
    return undefined;
  }
  const fields = value as Partial<KubeObject>;
  const { apiVersion, kind, metadata } = fields;
  if (kind === 'List') {
    faults.push(wrong('items', 'the objects of the List', fields['items']));
    return undefined;
  }
  const { file } = source.at([]);
  if (isKustomization(file, fields)) {
    const folder = file === '<stdin>' ? '<folder>' : dirname(file);
    const expected = `manifests, such as \`kustomize build ${folder} | sluice diff --offline -\` checks`;
    faults.push({ ...source.at([]), path: '', expected, found: 'a kustomization' });
    return undefined;
  }
  const name = (metadata as { name?: unknown } | undefined)?.name;
  const own = [
    ...(typeof apiVersion === 'string'
      ? []
      : [wrong('apiVersion', `the API version of an object, such as ${GROUP}/${VERSION}`, apiVersion)]),
    ...(typeof kind === 'string' ? [] : [wrong('kind', 'the kind of an object', kind)]),
    ...(typeof name === 'string' ? [] : [wrong('metadata.name', 'the name of an object', name)]),
  ];
  faults.push(...own);
  return own.length === 0 ? (fields as KubeObject) : undefined;
}

/** kustomize knows its files by their names, and they need not say their kind. */
const isKustomization = (file: string, { apiVersion }: Partial<KubeObject>): boolean =>
  /^kustomization\.ya?ml$/.test(basename(file)) || (typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/'));

/**
 * Another project's kind may have the name of one of ours. A group that nearly matches ours is a typing error, and so is none at all, since
 * Kubernetes itself has no such kind.
 */
function isOurs({ apiVersion }: KubeObject, resource: CustomResource | undefined): boolean {
  if (apiVersion.startsWith(`${GROUP}/`)) return true;
  return resource !== undefined && (!apiVersion.includes('/') || nearest(apiVersion, [`${GROUP}/${VERSION}`]) !== undefined);
}

function unknownKind(kind: string, known: readonly string[]) {
  // Fluid has it, in its goosefs charts.
  if (kind === 'GooseFSRuntime') return { path: 'kind', expected: `a kind that Sluice supports (${known.join(', ')})`, found: shown(kind) };
  const near = nearest(kind, known);
  return { path: 'kind', expected: `a known kind (${near ? `did you mean ${near}?` : known.join(', ')})`, found: shown(kind) };
}

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace } };
}

/** `Dataset ml/demo`. */
export const refOf: (object: Named) => string = objectText;

/** Where an object begins: `caches.yaml:12`. */
export function lineOf(source: SourceObject): string {
  const { file, line } = source.at([]);
  return `${file}:${line}`;
}

export const faultAt = (source: SourceObject, object: Named, fault: Fault): InputFault => ({
  ...source.at(keysOf(fault.path)),
  object: refOf(object),
  ...fault,
});
