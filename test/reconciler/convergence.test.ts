import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { reconcile } from '../../src/reconciler/reconcile.ts';
import type { LiveObject } from '../../src/reconciler/world.ts';
import * as write from '../support/objects.ts';
import { demo, exampleRuntime, type Scene, scene } from './scene.ts';

/** More of them: `RUNS=1000 npx vitest run test/reconciler/convergence.test.ts`. */
const RUNS = Number(process.env['RUNS'] ?? 40);

/** What may happen to a cluster, in any order. */
type Happening =
  | { readonly is: 'pass'; readonly tellInMs: number; readonly diesAt: number; readonly when: 'before' | 'after' }
  | { readonly is: 'step'; readonly times: number }
  | {
      readonly is:
        | 'dataset'
        | 'runtime'
        | 'secret'
        | 'secretGone'
        | 'unready'
        | 'ready'
        | 'refuse'
        | 'accept'
        | 'commandsFail'
        | 'commandsWork';
    }
  | { readonly is: 'lose'; readonly which: number }
  | { readonly is: 'vandalize'; readonly which: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('pass' as const),
      tellInMs: fc.constantFrom(0, 1000),
      diesAt: fc.integer({ min: 0, max: 12 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('step' as const), times: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constantFrom(
        'dataset',
        'runtime',
        'secret',
        'secretGone',
        'unready',
        'ready',
        'refuse',
        'accept',
        'commandsFail',
        'commandsWork',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('lose' as const, 'vandalize' as const), which: fc.nat(20) }) },
);

const dataset = () =>
  write.datasetObject('demo', {
    mounts: [
      { mountPoint: 's3://a', name: 'a', encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
      { mountPoint: 's3://b', name: 'b' },
    ],
  });
const ours = ({ cluster }: Scene): readonly LiveObject[] =>
  cluster.objects.all().filter(({ metadata }) => metadata.labels?.['data.fluid.io/owner-uid']);

async function let_(happened: Happening, at: Scene): Promise<void> {
  const { cluster, put } = at;
  const { unready } = cluster.objects;
  switch (happened.is) {
    case 'pass':
      return dyingPass(at, happened);
    case 'step':
      for (let i = 0; i < happened.times; i++) cluster.step();
      return;
    case 'dataset':
      if (!at.get('Dataset')) put(dataset());
      return;
    case 'runtime':
      if (!at.get('ExampleRuntime')) put(exampleRuntime({ replicas: 2 }));
      return;
    case 'secret':
      put(write.secret('keys', { k: 'v' }));
      return;
    case 'secretGone':
      if (at.get('Secret', 'keys')) at.delete('Secret', 'keys');
      return;
    case 'unready':
    case 'ready':
      for (const role of ['master', 'worker']) unready[happened.is === 'ready' ? 'delete' : 'add'](`ml/demo-${role}`);
      return;
    case 'refuse':
      cluster.refuse = ({ kind }) => (['StatefulSet', 'PersistentVolume'].includes(kind) ? 'ApplyFailed' : undefined);
      return;
    case 'accept':
      cluster.refuse = () => undefined;
      return;
    case 'commandsFail':
    case 'commandsWork':
      cluster.commandFails = () => happened.is === 'commandsFail';
      return;
    case 'lose': {
      const lost = ours(at)[happened.which];
      if (lost) cluster.objects.delete(lost);
      return;
    }
    case 'vandalize': {
      const object = ours(at)[happened.which];
      if (object)
        cluster.objects.put({
          ...object,
          metadata: { ...object.metadata, labels: { ...object.metadata.labels, 'fluid.io/dataset-id': 'x' } },
        });
    }
  }
}

/** A process that is killed just before or just after its n-th effect. */
async function dyingPass({ cluster }: Scene, { tellInMs, diesAt, when }: Happening & { is: 'pass' }): Promise<void> {
  let effects = 0;
  cluster[when] = () => {
    if (effects++ === diesAt) throw new Error('killed');
  };
  await reconcile(cluster, demo, tellInMs).catch(() => {});
  cluster.before = cluster.after = () => {};
}

async function makeWell(at: Scene): Promise<void> {
  for (const is of ['dataset', 'runtime', 'secret', 'ready', 'accept', 'commandsWork'] as const) await let_({ is }, at);
  await at.converge();
}

/** Everything but what differs from one run to the next. */
const shape = (objects: readonly KubeObject[]) =>
  objects
    .map(({ kind, metadata: { name, namespace, labels, annotations, finalizers }, spec, data }) => ({
      kind,
      name,
      namespace,
      labels,
      annotations,
      finalizers,
      spec,
      data,
    }))
    .filter(({ kind }) => kind !== 'Pod')
    .toSorted((a, b) => `${a.kind}/${a.name}`.localeCompare(`${b.kind}/${b.name}`))
    .map((object) =>
      JSON.stringify(object, (key, value: unknown) => (key === 'uid' ? '<uid>' : value)).replaceAll(/0{8}-0000-4000-8000-\d{12}/g, '<uid>'),
    );

test(
  'whatever happens, and wherever it is killed, it ends with the same objects and Bound',
  async () => {
    const straight = scene();
    await makeWell(straight);
    const expected = shape(straight.cluster.objects.all());
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40 }), async (happenings) => {
        const at = scene();
        for (const each of happenings) await let_(each, at);
        await makeWell(at);
        expect(at.dataset().phase).toBe('Bound');
        expect(at.conditions('ExampleRuntime')['Synced']).toBe('True Synced: Every object is as the spec says.');
        expect(shape(at.cluster.objects.all())).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
  },
  RUNS * 500,
);

test(
  'whatever happened before, and wherever it is killed, deletion leaves nothing behind',
  async () => {
    const unimportant = new Set(['ThinRuntimeProfile', 'Secret']);
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(happening, { maxLength: 25 }),
        fc.array(happening, { maxLength: 25 }),
        fc.shuffledSubarray(['Dataset', 'ExampleRuntime'], { minLength: 2 }),
        async (wasBound, before, meanwhile, kinds) => {
          const at = scene();
          if (wasBound) await makeWell(at);
          for (const each of before) await let_(each, at);
          for (const kind of kinds) if (at.get(kind)) at.delete(kind);
          for (const each of meanwhile.filter(({ is }) => is !== 'dataset' && is !== 'runtime')) await let_(each, at);
          at.cluster.refuse = () => undefined;
          await at.converge();
          expect(
            at.cluster.objects
              .all()
              .filter(({ kind }) => !unimportant.has(kind))
              .map(({ kind, metadata }) => `${kind}/${metadata.name}`),
          ).toEqual([]);
          expect([...at.cluster.nodeLabels.values()].flatMap(Object.keys)).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  },
  RUNS * 500,
);
