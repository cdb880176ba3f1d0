import { Dataset, type Mount, parse } from '../../src/api/index.ts';
import { type BoundRuntime, PARTS } from '../../src/constructs/index.ts';
import { createBindings } from '../../src/planning/bindings.ts';
import { planInput } from '../../src/testing/given.ts';
import { companionFacts, runtimeOf } from '../definitions.ts';
import { BENCHED, type Kind, KINDS } from '../kinds.ts';
import { range } from '../lab.ts';
import { type Cost, least } from './cost.ts';

const OBJECTS = companionFacts();

export interface Specs {
  readonly spec: object;
  readonly dataset: object;
}
const options = (count: number) => Object.fromEntries(range(count).map((i) => [`option-${i}`, 'v']));
const mounts = (count: number, own = 0): readonly Mount[] =>
  range(count).map((i) => ({ mountPoint: `s3://bucket-${i}`, name: `m${i}`, ...(own > 0 && { options: options(own) }) }));

/** At the limits of src/constructs/limits.ts, and far beyond them: what is refused must cost no more than what is served. */
const SHAPES: Readonly<Record<string, (usual: Specs) => Specs>> = {
  mounts: ({ spec }) => ({ spec, dataset: { mounts: mounts(2048) } }),
  options: ({ spec }) => ({ spec, dataset: { mounts: mounts(2048, 15) } }),
  shared: ({ spec }) => ({ spec, dataset: { mounts: mounts(180), sharedOptions: options(180) } }),
  refused: ({ spec }) => ({ spec, dataset: { mounts: mounts(2048), sharedOptions: options(2048) } }),
  names: ({ spec }) => ({ spec, dataset: { mounts: range(2048).map((i) => ({ mountPoint: 's3://b', name: '/a,'.repeat(158) + i })) } }),
  // A mebibyte of directories.
  directories: ({ spec, dataset }) => ({
    dataset,
    spec: {
      ...spec,
      tieredstore: { levels: range(2000).map(() => ({ mediumtype: 'SSD', path: '/a,'.repeat(160), quota: '1Gi' })) },
      worker: { tieredStore: { levels: range(400).map(() => ({ hostPath: { paths: range(450).map((i) => `/a${i}`), quotas: ['1'] } })) } },
    },
  }),
};

export function* specs(quick: boolean): Iterable<Cost> {
  for (const kind of KINDS)
    for (const [shape, of] of Object.entries(SHAPES)) {
      // As a watch reads them: a text that was put together is searched more slowly than one of JSON.
      const given = passing(kind, JSON.parse(JSON.stringify(of({ spec: BENCHED[kind].runtime, dataset: BENCHED[kind].dataset }))) as Specs);
      const { ms, outcome } = least(() => given(), quick);
      yield { row: `${kind}-${shape}`, ms, detail: { outcome } };
    }
}

/** A pass's work on specs, from the objects of a watch to the hashes of all that is rendered, as one function. The plan is its result. */
export function passing(kind: Kind, { spec, dataset }: Specs): () => { readonly whole: () => BoundRuntime } {
  const runtime = runtimeOf(kind);
  const object = (of: string, its: object) => ({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: of,
    metadata: { namespace: 'ml', name: 'demo' },
    spec: its,
  });
  const ports = Object.fromEntries((runtime.hostPorts ?? []).map((name, i) => [String(name), 20_000 + i]));
  const facts = { ports, objects: OBJECTS };
  const [written, ofDataset] = [object(runtime.resource.kind, spec), object(Dataset.kind, dataset)];
  return () => {
    const parsed = parse(runtime.resource, written) as { readonly spec: object };
    const input = planInput({ spec: parsed.spec, dataset: parse(Dataset, ofDataset).spec, facts });
    runtime.needs(input);
    const { settings, ...rest } = input;
    const binding = createBindings(settings).bind(runtime, rest);
    for (const part of PARTS) binding.desiredObjects(part);
    return binding;
  };
}
