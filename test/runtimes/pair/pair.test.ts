import { expect, test } from 'vitest';
import { conformance, planInput } from '../../../src/testing/index.ts';
import pair from '../../support/pair-runtime/index.ts';

const old = { env: { PAIR_ENGINE_TYPE: 'old' } };

conformance(pair, {
  new: planInput(),
  old: planInput({ settings: old, spec: { masters: 1 } }),
});

test('has the engine that the installation chooses, unless it lives and has another', () => {
  const engineOf = (given: Parameters<typeof planInput>[0]) => pair.bind(planInput(given)).plan.engine;
  expect(engineOf({})).toBe('pairnew');
  expect(engineOf({ settings: old })).toBe('pairold');
  expect(engineOf({ settings: old, facts: { engine: 'pairnew' } })).toBe('pairnew');
});
test('an engine that there is not is a defect of the definition', () =>
  expect(() => pair.bind(planInput({ facts: { engine: 'other' } }))).toThrow(
    'runtime pair: expected one of the engines pairold, pairnew, found "other"',
  ));
test('knows the names of its workloads without a plan', () =>
  expect(pair.workloads('demo')).toEqual({ master: 'demo-pairfs-master', worker: 'demo-pairfs-worker', fuse: 'demo-client' }));
