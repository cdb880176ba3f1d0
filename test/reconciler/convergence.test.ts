import fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotation, type VerifiedFuse, verifiedFuseIn } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { exampleFileSystem } from '../support/example-exec.ts';
import * as write from '../support/objects.ts';
import { demo, type Harness, harness } from './harness.ts';

/** More of them: `RUNS=1000 npx vitest run test/reconciler/convergence.test.ts`. */
const RUNS = Number(process.env['RUNS'] ?? 20);

/** Events of a cluster, in any order. */
type Happening =
  /** A process works for a while, and is killed at its n-th write: before the server has it, or before the answer comes back. */
  | { readonly is: 'work'; readonly ms: number; readonly diesAt: number; readonly when: 'before' | 'after' }
  | { readonly is: 'pass'; readonly reportInMs: number }
  | { readonly is: 'time'; readonly ms: number }
  | { readonly is: (typeof SIMPLE)[number] }
  /** The watch of a kind falls behind, or catches up. */
  | { readonly is: 'behind' | 'caughtUp'; readonly kind: (typeof WATCHED)[number] }
  | { readonly is: 'lose' | 'vandalize'; readonly which: number };

const SIMPLE = [
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
  'asleep',
  'awake',
] as const;
const WATCHED = ['Dataset', 'ExampleRuntime', 'StatefulSet', 'PersistentVolume', 'PersistentVolumeClaim', 'Pod'] as const;

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant('work' as const),
      ms: fc.constantFrom(0, 100, 3000),
      diesAt: fc.integer({ min: 0, max: 12 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('pass' as const), reportInMs: fc.constantFrom(0, 1000) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('time' as const), ms: fc.constantFrom(100, 2000, 30_000) }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constantFrom(...SIMPLE) }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constantFrom('behind' as const, 'caughtUp' as const), kind: fc.constantFrom(...WATCHED) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('lose' as const, 'vandalize' as const), which: fc.nat(20) }) },
);

const dataset = () =>
  write.datasetObject('demo', {
    mounts: [
      { mountPoint: 's3://a', name: 'a', encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } }] },
      { mountPoint: 's3://b', name: 'b' },
    ],
  });

interface Scene {
  readonly at: Harness;
  happens(happening: Happening): Promise<void>;
  /** Everything that stands in the way goes, and everything that is needed comes. */
  clear(): Promise<void>;
}

async function scene(): Promise<Scene> {
  const files = exampleFileSystem();
  let commandsWork = true;
  const at = await harness({
    exec: async (...call) => {
      if (!commandsWork) throw new Error('no');
      return files.exec(...call);
    },
  });
  const { rules } = at.server;
  const refusals = new Set<{ remove(): void }>();
  const accept = () => {
    for (const rule of refusals) rule.remove();
    refusals.clear();
  };
  const ours = () => at.server.all().filter(({ metadata }) => metadata.labels?.['data.fluid.io/owner-uid']);

  async function happens(happened: Happening): Promise<void> {
    switch (happened.is) {
      case 'work':
        return killedAt(happened);
      case 'pass':
        await at.pass(demo, happened.reportInMs).catch(() => {});
        return;
      case 'time':
        return at.advance(happened.ms);
      case 'dataset':
        if (!at.get('Dataset')) at.put(dataset());
        return;
      case 'runtime':
        if (!at.get('ExampleRuntime')) at.put(write.exampleRuntime('demo', { replicas: 2 }));
        return;
      case 'secret':
        at.put(write.secret('keys', { k: 'v' }));
        return;
      case 'secretGone':
        return at.delete('Secret', 'keys');
      case 'unready':
      case 'ready':
        for (const role of ['master', 'worker']) at.controllers.unready[happened.is === 'ready' ? 'delete' : 'add'](`ml/demo-${role}`);
        return;
      case 'refuse':
        refusals.add(rules.refuse({ verb: ['create', 'apply'], kind: ['StatefulSet', 'PersistentVolume'] }, { status: 403 }));
        return;
      case 'accept':
        return accept();
      case 'commandsFail':
      case 'commandsWork':
        commandsWork = happened.is === 'commandsWork';
        return;
      case 'asleep':
        at.controllers.paused.add('volumes').add('statefulsets').add('garbage');
        return;
      case 'awake':
        at.controllers.paused.clear();
        return;
      case 'behind':
        return at.server.hold(happened.kind);
      case 'caughtUp':
        return at.server.release(happened.kind);
      case 'lose': {
        const lost = ours()[happened.which];
        if (lost) at.server.delete(lost.kind, lost.metadata.namespace, lost.metadata.name);
        return;
      }
      case 'vandalize': {
        const object = ours()[happened.which];
        if (object)
          at.server.put({ ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, 'fluid.io/dataset-id': 'x' } } });
      }
    }
  }
  async function killedAt({ ms, diesAt, when }: Happening & { is: 'work' }): Promise<void> {
    let writes = 0;
    const die = () => {
      if (writes++ !== diesAt) return;
      at.kill();
      throw new Error('killed');
    };
    const rule = rules.add({ verb: ['create', 'update', 'patch', 'apply', 'delete'] }, { [when]: die });
    at.start();
    await at.advance(ms);
    rule.remove();
    await at.restart();
  }
  return {
    at,
    happens,
    async clear() {
      accept();
      for (const kind of WATCHED) at.server.release(kind);
      for (const is of ['ready', 'commandsWork', 'awake'] as const) await happens({ is });
    },
  };
}

async function makeWell({ at, happens, clear }: Scene): Promise<void> {
  await clear();
  for (const is of ['dataset', 'runtime', 'secret'] as const) await happens({ is });
  // The longest back-off that anything may have reached meanwhile.
  await at.quiet(35_000);
}

/** Everything but what differs from one run to the next. */
const shape = ({ server }: Harness): readonly string[] => {
  const uids = new Set(server.all().map(({ metadata }) => metadata.uid));
  return server
    .all()
    .filter(({ kind }) => kind !== 'Pod' && kind !== 'ThinRuntimeProfile')
    .map(({ kind, metadata: { name, namespace, labels, annotations, finalizers }, spec, data }: KubeObject) => {
      // The hash is of a manifest that names UIDs; a nudge was needed, or was not.
      const { [annotation.nudge]: _, [annotation.manifestHash]: __, [annotation.verifiedFuse]: record, ...kept } = annotations ?? {};
      const fuse = record === undefined ? undefined : isTrue(server, verifiedFuseIn(record));
      return { kind, name, namespace, labels, annotations: kept, fuse, finalizers, spec, data };
    })
    .toSorted((a, b) => `${a.kind}/${a.name}`.localeCompare(`${b.kind}/${b.name}`))
    .map((object) => JSON.stringify(sorted(object)).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (uid) => (uids.has(uid) ? '<uid>' : uid)));
};
/** The record on a volume names a DaemonSet as it is. */
const isTrue = (server: Harness['server'], fuse: VerifiedFuse | undefined): boolean =>
  server.all().some(({ metadata: { uid, generation } }) => uid === fuse?.uid && generation === fuse?.generation);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

test(
  'after all events, and kills at every point, the controller ends with the same objects and Bound',
  async () => {
    const straight = await scene();
    await makeWell(straight);
    const expected = shape(straight.at);
    expect(expected.length).toBeGreaterThan(8);
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40 }), async (happenings) => {
        const one = await scene();
        for (const each of happenings) await one.happens(each);
        await makeWell(one);
        expect(one.at.dataset().phase).toBe('Bound');
        expect(one.at.conditions('ExampleRuntime')['Synced']).toBe('True Synced: Every object is as the spec says.');
        expect(shape(one.at)).toEqual(expected);
        one.at.kill();
      }),
      { numRuns: RUNS },
    );
  },
  RUNS * 2000,
);

test(
  'after all events, and kills at every point, deletion leaves nothing behind',
  async () => {
    const unimportant = new Set(['ThinRuntimeProfile', 'Secret', 'Node', 'Namespace']);
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(happening, { maxLength: 25 }),
        fc.array(happening, { maxLength: 25 }),
        fc.shuffledSubarray(['Dataset', 'ExampleRuntime'], { minLength: 2 }),
        async (wasBound, before, meanwhile, kinds) => {
          const one = await scene();
          const { at } = one;
          if (wasBound) await makeWell(one);
          for (const each of before) await one.happens(each);
          for (const kind of kinds) at.delete(kind);
          for (const each of meanwhile.filter(({ is }) => is !== 'dataset' && is !== 'runtime')) await one.happens(each);
          await one.clear();
          await at.quiet(35_000);
          const left = at.server.all().filter(({ kind }) => !unimportant.has(kind));
          expect(left.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([]);
          const labels = at.server.all('Node').flatMap(({ metadata }) => Object.keys(metadata.labels ?? {}));
          expect(labels.filter((each) => each !== 'kubernetes.io/hostname')).toEqual([]);
          at.kill();
        },
      ),
      { numRuns: RUNS },
    );
  },
  RUNS * 2000,
);
