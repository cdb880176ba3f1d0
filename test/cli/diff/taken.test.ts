import { expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import { takenIn } from '../../../src/cli/diff/taken.ts';
import { among } from '../../../src/cli/synth/lookup.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import * as write from '../../support/objects.ts';

const at = (object: KubeObject, creationTimestamp: string, more: object = {}): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'ml', uid: `uid-of-${object.kind}`, creationTimestamp, ...more },
});
const thinRuntime = write.thinRuntime('demo', { profileName: 'p' });
const juiceFSRuntime: KubeObject = { ...thinRuntime, kind: 'JuiceFSRuntime', spec: {} };
const servedBy = (type: string) => ({ ...at(write.openDataset('demo'), '2026-01-01T00:00:00Z'), status: { runtimes: [{ type }] } });

/** The output of diff for a ThinRuntime. */
const said = async (known: readonly KubeObject[], dataset: KubeObject = servedBy('')) => {
  const taken = takenIn(among([dataset]), [juicefs, thin], known);
  const key = { namespace: 'ml', name: 'demo' };
  // The casts: a Dataset and a runtime, as they are parsed.
  const change = await taken({
    key,
    dataset: write.openDataset('demo') as never,
    object: { ...thinRuntime, metadata: { name: 'demo' } } as never,
  });
  return change?.note;
};
const TAKEN = 'would do nothing: JuiceFSRuntime ml/demo serves the Dataset';
const [first, second] = ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z'];

test.each<[string, readonly KubeObject[], KubeObject | undefined, string | undefined]>([
  ['nothing where there is no other', [at(thinRuntime, first)], undefined, undefined],
  ['of a new one that another serves', [at(juiceFSRuntime, first)], undefined, TAKEN],
  ['of one that is younger', [at(juiceFSRuntime, first), at(thinRuntime, second)], undefined, TAKEN],
  ['nothing of one that is older', [at(juiceFSRuntime, second), at(thinRuntime, first)], undefined, undefined],
  ['nothing of one that serves it', [at(juiceFSRuntime, first), at(thinRuntime, second)], servedBy('thin'), undefined],
  ['of one that is older, where the other serves it', [at(juiceFSRuntime, second), at(thinRuntime, first)], servedBy('juicefs'), TAKEN],
  ['nothing where the other is being deleted', [at(juiceFSRuntime, first, { deletionTimestamp: second })], undefined, undefined],
  ['nothing of another namespace', [at(juiceFSRuntime, first, { namespace: 'web' })], undefined, undefined],
])('diff says that another runtime serves the Dataset: %s', async (_, known, dataset, note) =>
  expect(await said(known, dataset)).toBe(note),
);
