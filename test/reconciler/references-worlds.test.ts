/** Small worlds of Datasets that refer to each other, in any order of what their authors may do: no claim leads where no owner allows it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotation, listsNamespace } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { type Harness, harness } from './harness.ts';

/** More of them: `RUNS=1000 npx vitest run test/reconciler/references-worlds.test.ts`. */
const RUNS = Number(process.env['RUNS'] ?? 12);
const NAMESPACES = ['a', 'b', 'c'] as const;
/** `c/real` has a runtime from the beginning. `a/mid` refers to it at first, and the others to `a/mid`. */
const PLACES = [
  { namespace: 'c', name: 'real' },
  { namespace: 'a', name: 'mid' },
  { namespace: 'a', name: 'end' },
  { namespace: 'b', name: 'end' },
] as const;

type Place = (typeof PLACES)[number];
type Step =
  | { readonly is: 'real' | 'unplannable' | 'profile' | 'noProfile' | 'deleteDataset' | 'deleteRuntime'; readonly at: Place }
  | { readonly is: 'refer'; readonly at: Place; readonly to: Place }
  | { readonly is: 'share'; readonly at: Place; readonly with: readonly string[] }
  | { readonly is: 'restart' };

const [real, mid, ...ends] = PLACES;
const place: fc.Arbitrary<Place> = fc.constantFrom(real, real, mid, mid, ...ends);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constantFrom('real', 'unplannable', 'unplannable'), at: place }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constantFrom('profile', 'noProfile'), at: place }) },
  { weight: 5, arbitrary: fc.record({ is: fc.constant('refer' as const), at: place, to: place }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('share' as const), at: place, with: fc.subarray([...NAMESPACES]) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constantFrom('deleteDataset', 'deleteRuntime'), at: place }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('restart' as const) }) },
);

/** The spec, of a new Dataset or of one that exists; its annotations stay. */
function dataset(at: Harness, { namespace, name }: Place, spec: unknown): void {
  const found = at.server.get('Dataset', namespace, name);
  const { resourceVersion: _, ...metadata } = found?.metadata ?? { name, namespace };
  at.server.put({ ...write.openDataset(name), metadata, spec } as KubeObject);
}
function runtime(at: Harness, { namespace, name }: Place, spec: object): void {
  const { resourceVersion: _, ...metadata } = at.server.get('ThinRuntime', namespace, name)?.metadata ?? { name, namespace };
  at.server.put({ ...write.thinRuntime(name, {}), metadata, spec } as KubeObject);
}
const refersTo = ({ namespace, name }: Place) => ({ mounts: [{ mountPoint: `dataset://${namespace}/${name}` }] });
function share(at: Harness, { namespace, name }: Place, sharedWith: readonly string[]): void {
  const found = at.server.get('Dataset', namespace, name);
  if (!found) return;
  const { resourceVersion: _, ...metadata } = found.metadata;
  at.server.put({
    ...found,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation.sharedWith]: sharedWith.join() } },
  });
}
async function take(at: Harness, what: Step): Promise<void> {
  if (what.is === 'restart') {
    at.kill();
    return at.restart();
  }
  const { namespace, name } = what.at;
  if (what.is === 'real') dataset(at, what.at, write.openDataset(name)['spec']);
  else if (what.is === 'unplannable') dataset(at, what.at, { mounts: [{ mountPoint: 's3://anything', name: 'x' }] });
  else if (what.is === 'profile') runtime(at, what.at, { profileName: 'profile' });
  else if (what.is === 'noProfile') runtime(at, what.at, {});
  else if (what.is === 'refer') dataset(at, what.at, refersTo(what.to));
  else if (what.is === 'share') share(at, what.at, what.with);
  else {
    const kind = what.is === 'deleteDataset' ? 'Dataset' : 'ThinRuntime';
    if (at.server.get(kind, namespace, name)) at.server.delete(kind, namespace, name);
  }
}

/** Claims that a new pod could mount, and whose volumes show data of a Dataset whose owner does not allow it. */
function leaks(at: Harness): readonly string[] {
  return at.server.all('PersistentVolumeClaim').flatMap(({ metadata, ...claim }) => {
    if (metadata.deletionTimestamp) return [];
    const { volumeName } = claim['spec'] as { volumeName: string };
    const volume = at.server.get('PersistentVolume', undefined, volumeName);
    const { fluid_path: path = '' } =
      (volume?.['spec'] as { csi: { volumeAttributes: Record<string, string> } } | undefined)?.csi.volumeAttributes ?? {};
    const [, , , namespace = '', name = ''] = path.split('/');
    const owner = at.server.get('Dataset', namespace, name);
    if (!owner || namespace === metadata.namespace) return [];
    const isAllowed = listsNamespace(owner.metadata.annotations?.[annotation.sharedWith], metadata.namespace ?? '');
    return isAllowed ? [] : [`${metadata.namespace}/${metadata.name} → ${namespace}/${name}`];
  });
}

test('no bound claim leads to a Dataset whose owner does not allow it, whatever is edited, granted, withdrawn or restarted', async () => {
  let bound = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const at = await harness({
        prepare: (server) => NAMESPACES.forEach((name) => server.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
      });
      try {
        dataset(at, real, write.openDataset('real')['spec']);
        runtime(at, real, { profileName: 'profile' });
        dataset(at, mid, refersTo(real));
        for (const end of ends) dataset(at, end, refersTo(mid));
        for (const place of [real, mid]) share(at, place, NAMESPACES);
        at.start();
        await at.advance(5000);
        for (const each of steps) {
          await take(at, each);
          await at.advance(5000);
          expect(leaks(at)).toEqual([]);
        }
        await at.advance(60_000);
        expect(leaks(at)).toEqual([]);
        bound += at.server.all('PersistentVolume').filter(({ metadata }) => metadata.labels?.['fluid.io/dataset.referring-name']).length;
      } finally {
        at.kill();
      }
    }),
    { seed: 34, numRuns: RUNS },
  );
  // Otherwise nothing was tried.
  expect(bound).toBeGreaterThan(RUNS / 5);
});
