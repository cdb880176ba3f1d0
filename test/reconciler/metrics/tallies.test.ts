import { expect, test } from 'vitest';
import type { DatasetStatus } from '../../../src/api/index.ts';
import type { OperationObject } from '../../../src/reconciler/operations/world.ts';
import { dataset, operation, runtime, scraped, shown } from './given.ts';

const synced = (name: string, status: 'True' | 'False', reason: string) =>
  runtime(name, { conditions: [{ type: 'Synced', status, reason }] } as object);

test('runtimes that are not as their specs say are counted by kind and reason, whatever reasons a user writes', async () => {
  const some = [synced('a', 'False', 'InvalidSpec'), synced('b', 'False', 'InvalidSpec'), synced('c', 'True', 'Synced'), runtime('d')];
  expect(shown(await scraped({ runtimes: some }), 'sluice_runtimes_not_synced')).toEqual(['{kind=JuiceFSRuntime,reason=InvalidSpec} 2']);
  const many = Array.from({ length: 1000 }, (_, i) => synced(`r${i}`, 'False', `Reason${i}`));
  const lines = shown(await scraped({ runtimes: many }), 'sluice_runtimes_not_synced');
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe('{kind=JuiceFSRuntime,reason=Other} 900');
});

test('datasets are counted by phase, and by why their readers get no answer', async () => {
  const unavailable = (status: string, reason: string) =>
    ({ phase: 'Bound', conditions: [{ type: 'DataUnavailable', status, reason, message: 'm' }] }) as Partial<DatasetStatus>;
  const series = await scraped({
    datasets: [
      dataset('a', unavailable('True', 'ReadsFail')),
      dataset('b', unavailable('True', 'ReadsFail')),
      dataset('c', unavailable('False', 'ReadsFail')),
      dataset('d'),
    ],
  });
  expect(shown(series, 'sluice_datasets')).toEqual(['{phase=Bound} 3', '{phase=None} 1', '_unavailable{reason=ReadsFail} 2']);
});

test('operations are counted by kind and phase, and those that wait by what for, with the longest wait', async () => {
  const waits = (name: string, reason: string, lastTransitionTime = '2026-01-02T03:04:00Z') =>
    operation('DataLoad', name, 'a', { phase: 'Pending', conditions: [{ type: 'Complete', status: 'False', reason, lastTransitionTime }] });
  const series = await scraped({
    operations: [
      operation('DataLoad', 'a', 'a', {}),
      waits('b', 'WaitingForTurn'),
      waits('c', 'WaitingForTurn', '2026-01-02T03:03:05Z'),
      waits('d', 'RuntimeNotReady', 'long ago'),
      operation('DataMigrate', 'e', 'a', { phase: 'Complete' }),
    ],
  });
  expect(shown(series, 'sluice_operations')).toEqual([
    '{kind=DataLoad,phase=None} 1',
    '{kind=DataLoad,phase=Pending} 3',
    '{kind=DataMigrate,phase=Complete} 1',
    '_waiting{kind=DataLoad,reason=WaitingForTurn} 2',
    '_waiting{kind=DataLoad,reason=RuntimeNotReady} 1',
    '_longest_wait_seconds{kind=DataLoad,reason=WaitingForTurn} 60',
    '_longest_wait_seconds{kind=DataLoad,reason=RuntimeNotReady} 0',
  ]);
});

test('for all words of other writers of a status, there are few series', async () => {
  const many = Array.from({ length: 1000 }, (_, i) => operation('DataLoad', `o${i}`, 'a', { phase: `Phase${i}` }) as OperationObject);
  const lines = shown(await scraped({ operations: many }), 'sluice_operations{'.slice(0, -1));
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe('{kind=DataLoad,phase=Other} 900');
  const phases = Array.from({ length: 1000 }, (_, i) => dataset(`d${i}`, { phase: `Phase${i}` } as object));
  expect(shown(await scraped({ datasets: phases }), 'sluice_datasets')).toHaveLength(101);
  expect(shown(await scraped({ datasets: phases }, { limit: 10 }), 'sluice_dataset_phase')).toEqual([
    '{namespace=ml,kind=,phase=Other} 1000',
  ]);
});

test('two texts that a label shows alike are one series', async () => {
  const long = 'x'.repeat(128);
  const phases = ['\u0000', '\u0001', '\ud800', `${long}a`, `${long}b`].map((phase, i) => dataset(`d${i}`, { phase } as object));
  expect(shown(await scraped({ datasets: phases }, { limit: 0 }), 'sluice_datasets')).toEqual(['{phase=\ufffd} 3', `{phase=${long}} 2`]);
});
