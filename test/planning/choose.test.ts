import { expect, test } from 'vitest';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import { choose } from '../../src/planning/choose.ts';
import { worldOf } from '../reconciler/worlds.ts';

const { dataset, runtime: object } = worldOf();
const candidate = (definition: typeof thin, creationTimestamp: string, more: object = {}) => ({
  definition,
  object: {
    ...object,
    kind: definition.resource.kind,
    metadata: { ...object.metadata, uid: `uid-of-${definition.type}`, creationTimestamp, ...more },
  },
});
const older = candidate(thin, '2026-01-01T00:00:00Z');
const younger = candidate(juicefs, '2026-01-01T00:00:01Z');
const servedBy = (type: string) => ({
  ...dataset,
  status: { phase: 'Bound' as const, conditions: [], runtimes: [{ name: 'demo', namespace: 'ml', type }] },
});

test('the older of two serves', () => expect(choose(dataset, [younger, older])).toEqual({ chosen: older, others: [younger] }));
test('the one that serves already goes on', () => expect(choose(servedBy('juicefs'), [older, younger]).chosen).toBe(younger));
test('the one that served and is being deleted does not', () => {
  const leaving = candidate(juicefs, '2026-01-01T00:00:01Z', { deletionTimestamp: '2026-01-02T00:00:00Z' });
  expect(choose(servedBy('juicefs'), [older, leaving])).toEqual({ chosen: older, others: [] });
});
test('of two from the same second the UID decides, whatever their order', () => {
  const twins = [candidate(thin, '2026-01-01T00:00:00Z'), candidate(juicefs, '2026-01-01T00:00:00Z')];
  expect(choose(dataset, twins).chosen).toBe(choose(dataset, twins.toReversed()).chosen);
});
test('none is chosen of none', () => expect(choose(undefined, [])).toEqual({ others: [] }));
