/**
 * Hostile texts in pairs of fields: each alone is tried by its reader, and two together make what none of them does. For every text of a
 * tenant there is an error that names a field, or objects that an API server stores, Linux starts, and no shell reads as code.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { companionFacts, runtimeOf } from '../../bench/definitions.ts';
import { BENCHED, type Kind, KINDS } from '../../bench/kinds.ts';
import { structural } from '../../src/api/crd.ts';
import { type CustomResource, DataBackup, DataLoad, DataMigrate, Dataset, InvalidSpec, type Manifest, parse } from '../../src/api/index.ts';
import { type BoundRuntime, type Operation, PARTS } from '../../src/constructs/index.ts';
import { createBindings } from '../../src/planning/bindings.ts';
import { HOSTILE } from '../../src/testing/conformance/shells.ts';
import { planInput } from '../../src/testing/given.ts';
import { substitutionsIn } from '../support/substitutions.ts';
import { type TextField, textFields, withText } from '../support/text-fields.ts';

const TEXTS = [
  HOSTILE,
  `/${HOSTILE}`,
  `s3://${HOSTILE}`,
  `a=${HOSTILE},b`,
  `"\n${HOSTILE}\n#`,
  'x'.repeat(131_072),
  'x'.repeat(70_000),
  '/'.repeat(131_000),
  '$'.repeat(100_000),
  '9'.repeat(1000),
  `${'1'.repeat(310)}Gi`,
  '\0',
  '\ud800',
  '-rf',
  '../..',
  '{{a}}${b}',
  '__proto__',
  '',
];
const OBJECTS = companionFacts();
const LARGEST = 1 << 20;
const LONGEST = 131_071;

const object = ({ kind }: CustomResource, spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { namespace: 'ml', name: 'demo' },
  spec,
});

function bound(kind: Kind, spec: object, dataset: object): { readonly bound: BoundRuntime; readonly made: readonly Manifest[] } {
  const runtime = runtimeOf(kind);
  const ports = Object.fromEntries((runtime.hostPorts ?? []).map((name, i) => [String(name), 20_000 + i]));
  const parsed = parse(runtime.resource, object(runtime.resource, spec)) as { readonly spec: object };
  const of = parse(Dataset, object(Dataset, dataset));
  const { settings, ...input } = planInput({ spec: parsed.spec, dataset: of.spec, facts: { ports, objects: OBJECTS } });
  runtime.needs({ ...input, settings });
  const binding = createBindings(settings).bind(runtime, input);
  const made = PARTS.flatMap((part) => binding.desiredObjects(part).map(({ manifest }) => manifest()));
  return { bound: binding.whole(), made };
}

/** The scripts that a shell reads of the objects: those of `-c`, and files that begin as scripts do. */
function scriptsOf(made: readonly Manifest[], commands: readonly (readonly string[])[]): readonly string[] {
  const files = made.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? Object.values((data ?? {}) as Record<string, string>) : []));
  const inline = [...argvsOf(made), ...commands].flatMap((argv) => {
    const at = argv.findIndex((arg, i) => /^-[a-z]*c$/.test(arg) && /(^|\/)(ba)?sh$/.test(argv[i - 1] ?? ''));
    return at < 0 ? [] : [argv[at + 1] ?? ''];
  });
  return [...inline, ...files.filter((text) => text.startsWith('#!'))];
}
interface Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly lifecycle?: Readonly<Record<string, { readonly exec?: { readonly command: readonly string[] } }>>;
}
function containersOf(made: readonly Manifest[]): readonly Container[] {
  return made.flatMap((manifest) => {
    const { spec } = manifest as unknown as { spec?: { template?: Pod; jobTemplate?: { spec: { template: Pod } } } };
    const pod = (spec?.jobTemplate?.spec.template ?? spec?.template)?.spec;
    return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
  });
}
interface Pod {
  readonly spec?: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
}
const argvsOf = (made: readonly Manifest[]): readonly (readonly string[])[] =>
  containersOf(made).flatMap(({ command = [], args = [], lifecycle = {} }) => [
    [...command, ...args],
    ...Object.values(lifecycle).map(({ exec }) => exec?.command ?? []),
  ]);

function check(made: readonly Manifest[], commands: readonly (readonly string[])[] = []): void {
  for (const manifest of made)
    expect(JSON.stringify(manifest).length, manifest.kind).toBeLessThanOrEqual(manifest.kind === 'Secret' ? (LARGEST / 3) * 4 : LARGEST);
  const variables = containersOf(made).flatMap(({ env = [] }) => env.map(({ name, value = '' }) => `${name}=${value}`));
  for (const text of [...argvsOf(made).flat(), ...commands.flat(), ...variables])
    if (text.length * 3 > LONGEST) expect(Buffer.byteLength(text.replaceAll('$$', '$'))).toBeLessThanOrEqual(LONGEST);
  // The part of `HOSTILE` that a shell would run.
  for (const script of scriptsOf(made, commands)) expect(substitutionsIn(script)).not.toContain('id');
}

/** Tries it; an error has to say what a user can correct. */
function tried(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    expect(error.message.length).toBeLessThan(30_000);
    for (const { path, expected, found } of error.faults) {
      expect(path).toMatch(/^(spec|metadata|topology|dataOperationSpecs|fileSystemType)/);
      expect(expected).not.toBe('');
      expect(found).not.toBe('');
    }
  }
}

type Place = readonly ['runtime' | 'dataset', TextField];
const text = fc.constantFrom(...TEXTS);
const fieldsOf = (resource: CustomResource) => textFields(structural(resource.spec, 'spec'));
const ofDataset = fieldsOf(Dataset).map((field): Place => ['dataset', field]);

test.each(KINDS)('%s: two fields of the runtime and its Dataset', (kind) => {
  const usual = { runtime: BENCHED[kind].runtime, dataset: BENCHED[kind].dataset };
  const ofRuntime = fieldsOf(runtimeOf(kind).resource).map((field): Place => ['runtime', field]);
  const place = fc.oneof(fc.constantFrom(...ofRuntime), fc.constantFrom(...ofDataset));
  fc.assert(
    fc.property(place, text, place, text, ([of, field], first, [ofOther, other], second) => {
      const once = { ...usual, [of]: withText(usual[of], field, first) };
      const specs = { ...once, [ofOther]: withText(once[ofOther], other, second) };
      tried(() => {
        const { bound: plan, made } = bound(kind, specs.runtime, specs.dataset);
        const { mounts, probes, leader, cleanup } = plan;
        const change = mounts?.wanted.slice(0, 2).flatMap((row) => mounts.change({ unmount: [row.path], mount: [row] })) ?? [];
        const asked = [mounts?.list, probes.cache, probes.ufs, leader].flatMap((probe) => probe?.commands ?? []);
        const cleaning = cleanup?.commands(cleanup.ask ? undefined : {}) ?? [];
        check(
          made,
          [...change, ...asked, ...cleaning].map(({ argv }) => argv),
        );
      });
    }),
    { numRuns: 200, seed: 34 },
  );
});

test.each([
  ["echo '$(id)' \\$(id) # $(id)", []],
  [`echo "$(cat 'a$(id)')" '$(id)'`, ["cat 'a$(id)'"]],
  [`case x in *'a'*) echo "$(id)" ;; esac; b=$(ls "$(id)")`, ['id', 'id', 'ls "$(id)"']],
  [`printf "\${a##*$'\\n'}" $'\\'$(id)'`, []],
])('what a shell runs of %s is seen', (script, runs) => expect(substitutionsIn(script)).toEqual(runs));

const dataset = { name: 'demo', namespace: 'ml' };
/** A DataProcess runs what its author writes. */
const OPERATIONS: readonly (readonly [CustomResource, Kind, object])[] = [
  [DataLoad, 'alluxio', { dataset, target: [{ path: '/' }], options: {} }],
  [DataLoad, 'juicefs', { dataset, target: [{ path: '/' }], options: {} }],
  [DataLoad, 'jindo', { dataset, target: [{ path: '/' }], options: {} }],
  [DataBackup, 'alluxio', { dataset: 'demo', backupPath: 'pvc://c/a' }],
  [DataMigrate, 'juicefs', { from: { dataset }, to: { externalStorage: { uri: 's3://b/a' } } }],
];
describe.each(OPERATIONS)('$kind', (resource, kind, usual) => {
  const { operations } = bound(kind, BENCHED[kind].runtime, BENCHED[kind].dataset).bound;
  test(`two fields of an operation on ${kind}`, () => {
    const field = fc.constantFrom(...fieldsOf(resource));
    fc.assert(
      fc.property(field, text, field, text, (one, first, other, second) => {
        tried(() => {
          const { spec } = parse(resource, object(resource, withText(withText(usual, one, first), other, second)));
          const facts = { pods: { master: [{ name: 'demo-master-0', uid: 'm', ip: '10.0.0.1', node: 'n' }] }, datasets: {} };
          // The casts: an operation of this kind, which was parsed.
          const operation = { kind: resource.kind, name: 'op', namespace: 'ml', uid: 'u', spec, facts } as unknown as Operation<'DataLoad'>;
          check(operations[resource.kind as 'DataLoad']?.(operation) ?? []);
        });
      }),
      { numRuns: 200, seed: 34 },
    );
  });
});
