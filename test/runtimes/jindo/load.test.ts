/** Options of a DataLoad by Jindo. */
import { expect, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import { given } from './given.ts';

const loaded = (options: Readonly<Record<string, string>>) =>
  jindo
    .bind(given())
    .operations.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec: { options }, facts: { pods: {} } });

test('a number of threads is read with a filter, and only then refused', () => {
  expect(() => loaded({ threadNum: 'many' })).not.toThrow();
  expect(() => loaded({ threadNum: 'many', filter: '*.csv' })).toThrow('spec.options[threadNum]: expected a number of threads');
});
