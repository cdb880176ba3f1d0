import type { Static } from 'typebox';
import { structural } from './crd.ts';
import { type Fault, InvalidSpec, shown } from './errors.ts';
import { metadataSchema } from './metadata.ts';
import { type ValueReader, readerOf, type Visit } from './reader.ts';
import { type CustomResource, GROUP, type ObjectMeta, type Resource, VERSION } from './resource.ts';
import { isRecord } from './is-record.ts';

/**
 * An object as the API server would store it: unknown fields pruned, nulls dropped, defaults filled in. The input is not changed. Of the
 * status, which only controllers write, nothing is rejected.
 * @throws InvalidSpec with every fault, at most 100.
 * @example
 * const { spec } = parse(Dataset, {
 *   apiVersion: 'data.fluid.io/v1alpha1',
 *   kind: 'Dataset',
 *   metadata: { name: 'images', namespace: 'ml' },
 *   spec: { mounts: [{ mountPoint: 's3://bucket/images' }] },
 * });
 */
export function parse<R extends CustomResource>(resource: R, object: unknown): Resource<Static<R['spec']>, Static<R['status']>> {
  const { faults, ...parsed } = read(resource, object, 'prune');
  if (faults.length > 0) throw new InvalidSpec(faults, { object: nameOf(resource, object) });
  return parsed as Resource<Static<R['spec']>, Static<R['status']>>;
}

/**
 * The faults of an object, in the order of its fields, at most 100 faults. An unknown field is a fault, unless `unknownFields` is
 * `prune`. It does not throw for an object of any shape.
 * @throws Error when a schema of the resource has no structural form.
 * @example
 * const faults = faultsOf(Dataset, { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', metadata: { name: 'Images' } });
 * faults[0]?.path; // → 'metadata.name'
 */
export function faultsOf(
  resource: CustomResource,
  object: unknown,
  options: { readonly unknownFields?: 'error' | 'prune' } = {},
): readonly Fault[] {
  return read(resource, object, options.unknownFields ?? 'error').faults;
}

interface Readers {
  readonly metadata: ValueReader;
  readonly spec: ValueReader;
  readonly status: ValueReader;
}
const compiled = new WeakMap<CustomResource, Readers>();

function readersOf(resource: CustomResource): Readers {
  const known = compiled.get(resource);
  if (known) return known;
  const [spec, status] = [structural(resource.spec, 'spec'), structural(resource.status, 'status')];
  const readers = { metadata: readerOf(metadataSchema), spec: readerOf(spec), status: readerOf(status) };
  compiled.set(resource, readers);
  return readers;
}

interface Parsed extends Resource {
  readonly faults: readonly Fault[];
}

const HEAD: readonly string[] = ['apiVersion', 'kind', 'metadata'];
const FIELDS: readonly string[] = [...HEAD, 'spec', 'status'];

function read(resource: CustomResource, object: unknown, unknownFields: 'error' | 'prune'): Parsed {
  const readers = readersOf(resource);
  const visit: Visit = { path: [], faults: [], unknownFields };
  const whole = (isRecord(object) ? object : {}) as Record<string, unknown>;
  const field = (name: string, reader: ValueReader, value: unknown): unknown => {
    visit.path.push(name);
    const result = reader(value, visit);
    visit.path.pop();
    return result;
  };
  const metadata = field('metadata', readers.metadata, whole['metadata'] ?? {}) as ObjectMeta;
  // An absent spec is read as an empty one: its required fields are then faults, and callers always get a spec.
  const spec = resource.flat ? readers.spec(withoutHead(whole), visit) : field('spec', readers.spec, whole['spec'] ?? {});
  const faults = [...headFaults(resource, whole, unknownFields), ...visit.faults];
  faults.push(...ruleFaults(resource, { metadata, spec }, faults));
  const status =
    resource.flat || whole['status'] === undefined || whole['status'] === null
      ? undefined
      : readers.status(whole['status'], { ...visit, faults: [] });
  return {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: resource.kind,
    metadata,
    spec,
    ...(status !== undefined && { status }),
    faults,
  };
}

/** The object as users write it, from one that `parse` returned. */
export function asWritten({ flat }: CustomResource, object: Pick<Resource, 'spec' | 'status'>): object {
  const { spec, status: _, ...head } = object;
  return flat ? { ...head, ...(spec as object) } : object;
}
const withoutHead = (whole: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(whole).filter(([field]) => !HEAD.includes(field)));

function headFaults(
  { kind, namespaced, flat }: CustomResource,
  whole: Record<string, unknown>,
  unknownFields: 'error' | 'prune',
): readonly Fault[] {
  const expectations: readonly (readonly [string, unknown, string])[] = [
    ['apiVersion', whole['apiVersion'], `${GROUP}/${VERSION}`],
    ['kind', whole['kind'], kind],
  ];
  const namespace = isRecord(whole['metadata']) ? whole['metadata']['namespace'] : undefined;
  return [
    ...expectations
      .filter(([, found, expected]) => found !== expected)
      .map(([path, found, expected]) => ({ path, expected, found: shown(found) })),
    ...(!namespaced && namespace !== undefined
      ? [{ path: 'metadata.namespace', expected: `nothing, since a ${kind} has no namespace`, found: shown(namespace) }]
      : []),
    // The reader of a flat object has found them.
    ...(unknownFields === 'error' && !flat
      ? Object.keys(whole)
          .filter((key) => !FIELDS.includes(key))
          .map((key) => ({ path: key, expected: `a known field (${FIELDS.join(', ')})`, found: shown(key) }))
      : []),
  ];
}

function ruleFaults(resource: CustomResource, object: Pick<Resource, 'metadata' | 'spec'>, known: readonly Fault[]): readonly Fault[] {
  return (resource.rules ?? [])
    .filter(({ path, holds }) => !known.some((fault) => fault.path.startsWith(path)) && !holds(object))
    .map(({ path, expected }) => ({ path, expected, found: shown(valueAt(path, asWritten(resource, object))) }));
}

const valueAt = (path: string, object: unknown): unknown =>
  path.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), object);

function nameOf({ kind }: CustomResource, object: unknown): string {
  const { name = '', namespace } = ((object as { metadata?: Partial<ObjectMeta> } | null)?.metadata ?? {}) as Partial<ObjectMeta>;
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}
