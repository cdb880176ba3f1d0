/** Each fault is planted into a runtime that has none, and found. */
import { describe, expect, test } from 'vitest';
import { defineRuntime, type Diagnosis, type EngineDefinition, type PodCounters, owned, Worker } from '../../src/constructs/index.ts';
import { cleanupFaults, forgotten, identityFaults, mountFaults, probeFaults } from '../../src/testing/conformance/commands.ts';
import { diagnosisFaults } from '../../src/testing/conformance/diagnosis.ts';
import { podFaults, workloadFaults } from '../../src/testing/conformance/pods.ts';
import { ruleFaults } from '../../src/testing/conformance/rules.ts';
import { planInput } from '../../src/testing/given.ts';
import { cache, cleanup, mounts, ufs } from '../support/example-runtime/commands.ts';
import { ExampleFuse, ExampleMaster, ExampleWorker } from '../support/example-runtime/components.ts';
import { type ExamplePlan, needs, plan } from '../support/example-runtime/plan.ts';
import { ExampleRuntime, type ExampleRuntimeSpec } from '../support/example-runtime/spec.ts';
import type { ContainerProps } from '../../src/constructs/index.ts';

type Engine = EngineDefinition<ExampleRuntimeSpec, ExamplePlan>;
const sound: Engine = {
  needs,
  plan,
  components: { master: ExampleMaster, worker: ExampleWorker, fuse: ExampleFuse },
  mounts,
  probes: { cache, ufs },
  cleanup,
};
const input = planInput({ facts: { ports: { master: 24001, worker: 24002 } } });
function faults(planted: Partial<Engine> & { readonly secrets?: readonly string[] }): readonly string[] {
  const runtime = defineRuntime({ type: 'example', resource: ExampleRuntime, ...sound, ...planted });
  const bound = runtime.bind(input);
  const manifests = (['master', 'fuse', 'worker'] as const).flatMap((role) => bound.synth(role));
  return [
    ...identityFaults(runtime, bound),
    ...forgotten(runtime, [bound]),
    ...workloadFaults(bound),
    ...podFaults(manifests),
    ...probeFaults(bound),
    ...mountFaults(bound),
    ...cleanupFaults(bound),
    ...diagnosisFaults(runtime, bound, input),
  ];
}
const planned = (change: (sound: ExamplePlan) => object): Partial<Engine> => ({
  plan: (given) => {
    const all = plan(given);
    return { ...all, ...change(all) };
  },
});
const working = (container: Partial<ContainerProps>, pod: object = {}): Partial<Engine> => ({
  components: {
    ...sound.components,
    worker: class extends Worker {
      constructor(...[scope, all]: ConstructorParameters<typeof ExampleWorker>) {
        super(scope, all, { ...pod, containers: [{ name: 'main', image: 'i:1', ...container }] });
      }
    },
  },
});
/** A worker that reads a Secret of its plan. */
const withSecret = (suffix: string): Partial<Engine> => ({
  components: {
    ...sound.components,
    worker: class extends ExampleWorker {
      constructor(...[scope, all]: ConstructorParameters<typeof ExampleWorker>) {
        super(scope, all);
        owned(this, all, 'worker', { apiVersion: 'v1', kind: 'Secret', name: `${all.name}-${suffix}`, data: {} });
      }
    },
  },
});
const inWorker = (...argv: readonly string[]) => ({ in: 'worker', on: 'every', argv }) as const;

test('a sound runtime has none', () => expect(faults({})).toEqual([]));

test('a look-up in a directory of its plan is none', () => expect(faults({ reads: { subject: 'the store' } })).toEqual([]));

const diagnosed = (more: Partial<Diagnosis<ExampleRuntimeSpec>>): Partial<Engine> => ({
  diagnosis: { cache: () => ({ in: 'worker', field: 'spec.cacheSize' }), ...more },
});
const counting = (container: string, parse: (answer: string) => PodCounters): Partial<Engine> =>
  diagnosed({ counters: { command: () => ({ container, argv: ['stats'] }), parse } });
test('a diagnosis of its own workers is none', () => expect(faults(diagnosed({}))).toEqual([]));

test('a Secret that its definition names is none', () => expect(faults({ ...withSecret('keys'), secrets: ['keys'] })).toEqual([]));

describe.each<[string, Partial<Engine>, string]>([
  ['a type that is not its own', planned(() => ({ type: 'other' })), 'plan.type: expected example, found other'],
  ['an engine that it does not have', planned(() => ({ engine: 'other' })), 'plan.engine: expected one of example'],
  ['an owner of another kind', planned(({ owner }) => ({ owner: { ...owner, kind: 'Other' } })), 'plan.owner.kind'],
  ['workloads of other names', planned(({ workloads }) => ({ workloads: { ...workloads, worker: 'x' } })), 'plan.workloads.worker'],
  ['masters that vanish', planned(() => ({ replicas: { worker: 1 } })), 'no case has a master'],
  ['a Secret that nothing would delete', withSecret('keys'), 'Secret demo-keys: expected a suffix among the secrets of the runtime'],
  [
    'a look-up that names nobody',
    { reads: { subject: ' ' } },
    'reads.subject: expected who does not answer, such as "the store", found " "',
  ],
  [
    'a look-up in a relative directory',
    { reads: { subject: 'the store', directories: () => ['/mnt', 'data'] } },
    'reads.directories: expected absolute paths, found "data"',
  ],
  ['counters of a container that there is not', counting('b', () => ({})), 'diagnosis.counters in worker: no container is called b'],
  [
    'counters that are no numbers',
    counting('main', (answer) => ({ evictions: Number(answer.slice(1)) })),
    'is read with a number that is none',
  ],
  ['counters that fail by accident', counting('main', (answer) => ({ evictions: JSON.parse(answer || '0').a.b })), 'ends in'],
  [
    'an option of no field',
    diagnosed({ chosen: () => [{ field: 'args', name: 'a', value: '' }] }),
    'diagnosis.chosen: expected a field of the runtime or the Dataset',
  ],
  ['a Secret that no case has', { secrets: ['keys'] } as Partial<Engine>, 'no case has a Secret <name>-keys'],
  ['masters without a component', { components: { worker: ExampleWorker, fuse: ExampleFuse } }, 'plan.replicas.master'],
  [
    'a component that makes no workload',
    { components: { ...sound.components, worker: ExampleFuse as never } },
    'worker: expected one workload',
  ],
  ['a mount without a volume', working({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }), 'mounts v, which is no volume'],
  [
    'a mount at no path',
    working({ volumeMounts: [{ name: 'v', mountPath: 'v' }] }, { volumes: [{ name: 'v', emptyDir: {} }] }),
    'mounts at v',
  ],
  ['port 0', working({ ports: [{ containerPort: 0 }] }), 'has port 0'],
  ['a port of an impossible name', working({ ports: [{ name: 'Metrics_of_all_of_it', containerPort: 1 }] }), 'no port can be called'],
  ['a container of an impossible name', working({ name: 'Main_1' }), 'no container can be called Main_1'],
  ['a volume of an impossible name', working({}, { volumes: [{ name: 'a.b', emptyDir: {} }] }), 'no volume can be called a.b'],
  ['a service without a port', planned(({ ports }) => ({ ports: { ...ports, master: 0 } })), 'Service/demo-master: port 0'],
  [
    'a probe of pods that there are not',
    { components: { worker: ExampleWorker, fuse: ExampleFuse }, ...planned(() => ({ replicas: { worker: 1 } })) },
    'there is no master',
  ],
  [
    'a probe in a container that there is not',
    { probes: { ufs: { ...ufs, commands: () => [{ ...inWorker('a'), container: 'b' }] } } },
    'no container is called b',
  ],
  [
    'a probe of a leader without a leader probe',
    { probes: { ufs: { ...ufs, commands: () => [{ in: 'master', on: 'leader', argv: ['a'] }] } } },
    'the engine has no leader probe',
  ],
  [
    'a probe that reads a number that is none',
    { probes: { ufs: { ...ufs, parse: ([pods]) => ({ totalBytes: Number(pods?.[0]?.split(' ')[1]) }) } } },
    'with a number that is none',
  ],
  [
    'a probe that fails by accident',
    { probes: { ufs: { ...ufs, parse: ([pods]) => ({ totalBytes: JSON.parse(pods![0]!).a.b }) } } },
    'ends in',
  ],
  [
    'mounts at relative paths',
    planned(() => ({ mounts: [{ path: 'a', source: 's3://a', options: {} }] })),
    'expected absolute paths, found a',
  ],
  ['two mounts at one path', planned(({ mounts: [one] }) => ({ mounts: [one, one] })), '/data twice'],
  ['mounts that no command mounts', { mounts: { ...mounts, change: () => [] } }, 'nothing is done about /data'],
  [
    'cleaning in fuse pods',
    { cleanup: { commands: () => [{ in: 'fuse' as 'worker', on: 'every', argv: ['rm', '-rf', '/var/x/y'] }] } },
    'fuse pods are gone',
  ],
  ['cleaning of everything', { cleanup: { commands: () => [inWorker('rm', '-rf', '/')] } }, '/ would be deleted'],
  [
    'cleaning what was not found',
    { cleanup: { ...cleanup, commands: (_, found) => [inWorker('rm', '-rf', `/var/example/${String(found)}`)] } },
    'would be deleted',
  ],
  ['cleaning in no time', planned(({ cleaning }) => ({ cleaning: { ...cleaning, graceSeconds: 0 } })), 'expected a time'],
])('%s', (_, planted, message) => {
  test('is found', () => expect(faults(planted)).toContainEqual(expect.stringContaining(message)));
});

test('a rule that cannot be asked of any spec is found', () => {
  const rule = {
    path: 'spec.image',
    expected: 'an image',
    holds: ({ spec }: { spec: unknown }) => (spec as { image: string }).image.length > 0,
  };
  expect(ruleFaults({ ...ExampleRuntime, rules: [rule] })).toEqual([expect.stringContaining('rule of spec.image: {} ends in TypeError')]);
  expect(ruleFaults({ ...ExampleRuntime, rules: [{ ...rule, path: '', holds: () => true }] })).toHaveLength(1);
});

test('a change without paths is found, unless it is what makes the list: then its program reads a file', () => {
  const nothing = expect.stringContaining('nothing is done about /data');
  const listed = { ...mounts, change: (given: ExamplePlan) => mounts.list.commands(given) };
  expect(faults({ mounts: listed })).not.toContainEqual(nothing);
  const another = { in: 'master', on: 'first', argv: ['example', 'refresh'] } as const;
  const more = { ...mounts, change: (given: ExamplePlan) => [...mounts.list.commands(given), another] };
  expect(faults({ mounts: more })).toContainEqual(nothing);
});
