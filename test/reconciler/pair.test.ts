import { describe, expect, test } from 'vitest';
import thin from '../../runtimes/thin/index.ts';
import type { PairRuntimeSpec } from '../support/pair-runtime/spec.ts';
import pair from '../support/pair-runtime/index.ts';
import * as write from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

const PAIR = 'PairRuntime';
/** The same process once more reads what is said in it then. */
const bound = async (env: Record<string, string> = {}, spec: PairRuntimeSpec = {}) =>
  boundHarness([write.openDataset('demo'), write.pairRuntime('demo', spec)], { runtimes: [thin, pair], settings: { env } });

const nodeLabels = ({ server }: Harness) => [...new Set(server.all('Node').flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})))];
const workloads = ({ server }: Harness) =>
  server
    .all()
    .filter(({ kind }) => kind.endsWith('Set'))
    .map(({ metadata }) => metadata.name)
    .toSorted();
const image = (at: Harness, kind = 'StatefulSet', name = 'demo-pairfs-worker') =>
  (at.get(kind, name) as unknown as { spec: { template: { spec: { containers: [{ image: string }] } } } }).spec.template.spec.containers[0]
    .image;

describe('a kind with two engines', () => {
  test('is told by its type, its labels and its status by the engine', async () => {
    const at = await bound();
    expect(workloads(at)).toEqual(['demo-client', 'demo-pairfs-master', 'demo-pairfs-worker']);
    expect(at.dataset()).toMatchObject({ phase: 'Bound', runtimes: [{ type: 'pair' }] });
    expect(at.runtime(PAIR)).toMatchObject({
      valueFile: 'demo-pairnew-values',
      masterNumberReady: 3,
      workerPhase: 'Ready',
      selector: 'app=pairfs,release=demo,role=pairfs-worker',
    });
    expect(nodeLabels(at)).toEqual(expect.arrayContaining(['fluid.io/s-pairnew-ml-demo', 'fluid.io/s-h-pairnew-t-ml-demo']));
  });
  test('keeps the engine that a live runtime has, whatever the installation chooses for others', async () => {
    const env: Record<string, string> = {};
    const at = await bound(env);
    env['PAIR_ENGINE_TYPE'] = 'old';
    at.kill();
    await at.restart();
    at.put(write.openDataset('later'));
    at.put(write.pairRuntime('later', { replicas: 0 }));
    at.edit(PAIR, { replicas: 2 });
    await at.quiet();
    expect(at.runtime(PAIR).valueFile).toBe('demo-pairnew-values');
    expect(image(at)).toBe('example.io/pairnew:v1');
    expect(at.runtime(PAIR, 'later').valueFile).toBe('later-pairold-values');
  });
});

describe('teardown leaves no label on a node', () => {
  test.each<[string, (at: Harness) => void]>([
    ['of a runtime that is well', () => {}],
    ['of a spec that cannot be planned', (at) => at.edit(PAIR, { masters: 9 })],
    [
      'of a spec that cannot be planned, when nothing says any more which engine it had',
      (at) => {
        at.edit(PAIR, { masters: 9 });
        const object = at.get(PAIR)!;
        at.put({ ...object, status: { ...(object['status'] as object), valueFile: '' } });
      },
    ],
  ])('%s', async (_, before) => {
    const at = await bound();
    at.kill();
    before(at);
    at.delete(PAIR);
    await at.restart();
    await at.quiet();
    expect(workloads(at)).toEqual([]);
    expect(nodeLabels(at)).toEqual(['kubernetes.io/hostname']);
    expect(at.get(PAIR)).toBeUndefined();
  });
});
