import { structural } from '../../src/api/crd.ts';
import { type CustomResource, DataBackup, DataLoad, DataMigrate, DataProcess, Dataset, parse } from '../../src/api/index.ts';
import type { Operation } from '../../src/constructs/index.ts';
import { type TextField, textFields, withText } from '../../test/support/text-fields.ts';
import { runtimeOf } from '../definitions.ts';
import { BENCHED, type Kind, KINDS } from '../kinds.ts';
import { type Cost, dearest } from './cost.ts';
import { passing, type Specs } from './specs.ts';

/** The longest text of a field, and one that is refused for its length. */
const [LONGEST, BEYOND] = [128 << 10, 1_000_000];
/** Beginnings of quantities, schedules, lists, options, JSON and shells. */
const PIECES = ['9', '*/1,', '/a:', 'a=b,', '{"a":', "'"];
const of = (piece: string, length: number): string => Buffer.from(piece.repeat(length / piece.length)).toString();
const textsOf = (quick: boolean): readonly string[] => [
  ...PIECES.slice(0, quick ? 1 : undefined).map((piece) => of(piece, LONGEST)),
  of('\0', BEYOND),
];

/** The longest texts in every field of every spec: the dearest field of each kind. */
export function* texts(quick: boolean): Iterable<Cost> {
  for (const kind of KINDS) {
    const usual: Specs = { spec: BENCHED[kind].runtime, dataset: BENCHED[kind].dataset };
    yield rowOf(`texts-${kind}`, quick, runtimeOf(kind).resource, (field, text) =>
      passing(kind, { ...usual, spec: withText(usual.spec, field, text) }),
    );
  }
  yield rowOf('texts-dataset', quick, Dataset, (field, text) =>
    passing('alluxio', { spec: BENCHED.alluxio.runtime, dataset: withText(BENCHED.alluxio.dataset, field, text) }),
  );
  for (const [resource, kind, spec] of OPERATIONS) {
    const { operations } = passing(kind, { spec: BENCHED[kind].runtime, dataset: BENCHED[kind].dataset })().whole();
    yield rowOf(`texts-${resource.kind.toLowerCase()}`, quick, resource, (field, text) => {
      const object = objectOf(resource, withText(spec, field, text));
      // The cast: an operation of this kind.
      return () =>
        operations[resource.kind as 'DataLoad']?.({
          kind: resource.kind,
          name: 'op',
          namespace: 'ml',
          uid: 'u',
          spec: parse(resource, object).spec as Operation<'DataLoad'>['spec'],
          facts: { pods: {}, datasets: {} },
        } as Operation<'DataLoad'>);
    });
  }
}

const dataset = { name: 'demo', namespace: 'ml' };
const OPERATIONS: readonly (readonly [CustomResource, Kind, object])[] = [
  [DataLoad, 'alluxio', { dataset, target: [{ path: '/' }], options: {} }],
  [DataBackup, 'alluxio', { dataset: 'demo', backupPath: 'pvc://c/a' }],
  [DataMigrate, 'juicefs', { from: { dataset }, to: { externalStorage: { uri: 's3://b/a' } } }],
  [DataProcess, 'thin', { dataset: { ...dataset, mountPath: '/data' }, processor: { script: { image: 'i:1', source: 'ls' } } }],
];
const objectOf = ({ kind }: CustomResource, spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { namespace: 'ml', name: 'op' },
  spec,
});

function rowOf(row: string, quick: boolean, resource: CustomResource, made: (field: TextField, text: string) => () => unknown): Cost {
  const all = textsOf(quick);
  function* calls() {
    for (const field of textFields(structural(resource.spec, 'spec')))
      for (const text of all)
        yield { what: `${field.path.join('.')}: ${JSON.stringify(text.slice(0, 8))} × ${text.length}`, work: made(field, text) };
  }
  const { ms, what, outcome } = dearest(calls(), quick);
  return { row, ms, detail: { what, outcome } };
}
