import { expect, test } from 'vitest';
import type { Dataset } from '../../../src/api/index.ts';
import { datasetCounts } from '../../../src/cli/reconcile/counts.ts';
import type { RuntimeObject } from '../../../src/reconciler/world.ts';

const dataset = (name: string, status: object) => ({ metadata: { name, namespace: 'ml' }, status }) as unknown as Dataset;

const runtime = (kind: string, status: 'True' | 'False', reason: string) =>
  ({ object: { kind, status: { conditions: [{ type: 'Synced', status, reason }] } } }) as unknown as { readonly object: RuntimeObject };

test('runtimes that are not as their specs say are counted by kind and reason, whatever reasons a user writes', () => {
  const some = [
    runtime('ThinRuntime', 'False', 'InvalidSpec'),
    runtime('ThinRuntime', 'False', 'InvalidSpec'),
    runtime('JuiceFSRuntime', 'False', 'InvalidSpec'),
    runtime('JuiceFSRuntime', 'True', 'Synced'),
    { object: { kind: 'ThinRuntime' } as RuntimeObject },
  ];
  expect(datasetCounts([], some).notSynced).toEqual([
    { kind: 'ThinRuntime', reason: 'InvalidSpec', count: 2 },
    { kind: 'JuiceFSRuntime', reason: 'InvalidSpec', count: 1 },
  ]);
  const many = Array.from({ length: 1000 }, (_, i) => runtime('ThinRuntime', 'False', `Reason${i}`));
  const { notSynced } = datasetCounts([], many);
  expect(notSynced).toHaveLength(101);
  expect(notSynced.at(-1)).toEqual({ kind: 'ThinRuntime', reason: 'Other', count: 900 });
});

test('datasets are counted by phase, and by what is known of their data', () => {
  const counts = datasetCounts(
    [
      dataset('a', { phase: 'Bound', ufsTotal: '1.50GiB', fileNum: '7' }),
      dataset('b', { phase: 'Bound', ufsTotal: '[Calculating]', fileNum: '[Calculating]' }),
      dataset('c', {}),
    ],
    [],
  );
  expect(counts).toEqual({
    byPhase: new Map([
      ['Bound', 2],
      ['', 1],
    ]),
    notSynced: [],
    unavailable: [],
    ufs: [{ dataset: 'ml/a', bytes: 1.5 * 2 ** 30, files: 7 }],
  });
});

test('datasets whose readers get no answer are counted by the reason', () => {
  const conditions = (status: string, reason: string) => ({
    conditions: [{ type: 'DataUnavailable', status, reason, message: 'm' }],
  });
  const some = ['ReadsFail', 'ReadsFail', 'RequestsFail'].map((reason, i) => dataset(`d${i}`, conditions('True', reason)));
  expect(datasetCounts([...some, dataset('well', {}), dataset('was', conditions('False', 'ReadsFail'))], []).unavailable).toEqual([
    { reason: 'ReadsFail', count: 2 },
    { reason: 'RequestsFail', count: 1 },
  ]);
});
