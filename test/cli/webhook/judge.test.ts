/** Admission says what `diff --offline` says, whichever object of a file is written last. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runtimes } from '../../../runtimes/_all.gen.ts';
import { createJudge } from '../../../src/cli/webhook/judge.ts';
import { checked } from '../../../src/cli/diff/offline.ts';
import { faultLine, inPlace } from '../../../src/cli/input/faults.ts';
import { readInput, refOf } from '../../../src/cli/input/read.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { faultLines } from '../../../src/webhook/validation/answer.ts';
import type { Find } from '../../../src/webhook/validation/judge.ts';
import { root } from '../run.ts';
import * as write from '../../support/objects.ts';

const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const judge = createJudge({ runtimes, settings });
const NAMESPACE = 'default';

/** As the API server has them. */
const own = (objects: readonly KubeObject[]) =>
  objects
    .filter((object) => object?.apiVersion?.startsWith('data.fluid.io/'))
    .map((object) =>
      object.kind.endsWith('Class') || object.kind.endsWith('Profile')
        ? object
        : { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? NAMESPACE } },
    );
const findIn =
  (objects: readonly KubeObject[]): Find =>
  async (kind, namespace, name) =>
    objects.find(
      ({ kind: is, metadata }) =>
        is === kind && metadata.name === name && (metadata.namespace === undefined || metadata.namespace === namespace),
    );

async function said(objects: readonly KubeObject[]) {
  const judgements = await Promise.all(objects.map((object) => judge({ object }, findIn(objects))));
  return {
    faults: judgements.flatMap(({ faults }, i) =>
      faults.length === 0
        ? []
        : faultLines(faults)
            .split('\n')
            .map((line) => `${refOf(objects[i] as KubeObject)}: ${line}`),
    ),
    warnings: judgements.flatMap(({ warnings }) => warnings),
  };
}

async function diffed(objects: readonly KubeObject[]) {
  const input = readInput([['f', objects.map((each) => JSON.stringify(each)).join('\n---\n')]], runtimes, NAMESPACE);
  const { faults, warnings } = await checked(input, { settings, runtimes });
  const lines = inPlace(faults.filter(({ lone }) => !lone)).map((fault) => faultLine(fault).replace(/^f:\d+: /, ''));
  return { lines, warnings: warnings.map((line) => line.replace('warning: ', '')) };
}

/** Each field removed, and with another value. */
function* mutations(objects: readonly KubeObject[]): Iterable<readonly KubeObject[]> {
  for (const [i, object] of objects.entries())
    for (const key of Object.keys(object).filter((each) => !['apiVersion', 'kind', 'metadata', 'status'].includes(each)))
      for (const value of variants(object[key])) yield objects.with(i, { ...object, [key]: value });
}
function* variants(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) {
    yield* [-1, `${String(value)} \${x}`];
    return;
  }
  for (const [key, each] of Object.entries(value)) {
    const others = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    if (!Array.isArray(value)) yield others;
    for (const variant of variants(each)) yield Array.isArray(value) ? value.with(Number(key), variant) : { ...others, [key]: variant };
  }
}

const files = globSync(['examples/*.yaml', 'examples/{mooncake,moosefs,seaweedfs,profiles}/*.yaml'], { cwd: root }).toSorted();
describe.each(files)('%s', (file) => {
  const objects = own(write.objectsIn(readFileSync(join(root, file), 'utf8')));

  test.runIf(objects.length > 0)('has the same faults, in the same words, as with diff --offline', async () => {
    let count = 0;
    for (const mutated of [objects, ...mutations(objects)]) {
      const [{ lines }, { faults, warnings }] = [await diffed(mutated), await said(mutated)];
      const what = JSON.stringify(mutated);
      count += faults.length;
      for (const line of lines) expect([...faults, ...warnings], what).toContain(line);
      for (const line of faults) expect(lines, what).toContain(line);
    }
    // Otherwise it would prove nothing.
    expect(count).toBeGreaterThan(2);
  });
  test.runIf(objects.length > 0)('has the same warnings', async () => {
    expect(new Set((await said(objects)).warnings)).toEqual(new Set((await diffed(objects)).warnings));
  });
});

describe('an object is judged', () => {
  const inMl = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace: 'ml' } });
  const none: Find = async () => undefined;
  const dataset = inMl(write.jfsDataset('demo'));
  const runtime = inMl(write.jfsRuntime('demo'));
  const badMount = inMl(write.jfsDataset('demo', { mounts: [{ mountPoint: 's3://bucket', name: 'minio' }] }));
  const judged = (object: KubeObject, ...others: readonly KubeObject[]) => judge({ object }, findIn(others));

  test('without its other half, whichever is created first', async () => {
    expect(await judge({ object: dataset }, none)).toEqual({ faults: [], warnings: [] });
    expect(await judge({ object: runtime }, none)).toEqual({ faults: [], warnings: [] });
  });
  test('with a fault of its own, that only its other half shows', async () => {
    const { faults } = await judged(badMount, runtime);
    expect(faults.map(({ path }) => path)).toContainEqual(expect.stringMatching(/^spec\.mounts\[0\]/));
  });
  test('with warnings of the faults that its other half has', async () => {
    const { faults, warnings } = await judged(runtime, badMount);
    expect(faults).toEqual([]);
    expect(warnings).toContainEqual(expect.stringMatching(/^Dataset ml\/demo: spec\.mounts\[0\]/));
  });
  test('without an other half that is being deleted', async () => {
    const going = { ...runtime, metadata: { ...runtime.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(await judged(badMount, going)).toEqual({ faults: [], warnings: [] });
  });
  test('without reading other namespaces', async () => {
    const asked: (string | undefined)[] = [];
    const reference = inMl(write.datasetObject('ref', { mounts: [{ mountPoint: 'dataset://secret/other' }] }));
    await judge({ object: reference }, async (_, namespace) => void asked.push(namespace));
    expect(asked).not.toContain('secret');
  });
  test('not at all if its kind is unknown, or if it is an operation that has ended', async () => {
    expect(await judged({ ...runtime, kind: 'GooseFSRuntime', spec: { replicas: 'x' } })).toEqual({ faults: [], warnings: [] });
    const load = {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'DataLoad',
      metadata: { name: 'l', namespace: 'ml' },
      spec: {},
    } as KubeObject;
    expect((await judged(load)).faults).not.toEqual([]);
    const before = { ...load, status: { phase: 'Complete' } };
    expect(await judge({ object: load, before }, none)).toEqual({ faults: [], warnings: [] });
  });
});
