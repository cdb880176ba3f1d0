import { expect, test } from 'vitest';
import { addressOf, type Place, placeOf } from '../../../src/ui/page/state/address.ts';
import { ALL } from '../../../src/ui/page/state/query.ts';

const PLACES: readonly Place[] = [
  { view: 'fleet', query: ALL },
  { view: 'fleet', query: { search: 'a b&c=#?/%', namespace: 'ml', kind: 'ThinRuntime', unwell: true, sort: 'hits', descending: true } },
  { view: 'dataset', namespace: 'ml', name: 'demo', tab: 'picture' },
  { view: 'dataset', namespace: 'ml', name: 'demo', tab: 'history' },
  { view: 'dataset', namespace: 'a/b?', name: '<img onerror=x>%', tab: 'preview' },
  { view: 'operations', search: '' },
  { view: 'operations', search: 'Data Load' },
  { view: 'nodes', search: '' },
  { view: 'nodes', search: 'x', node: 'node/1' },
];

test.each(PLACES.map((place) => [addressOf(place), place] as const))('%s leads back to its place', (address, place) => {
  expect(placeOf(address)).toEqual(place);
});

test('what is as by default is not in the address', () => {
  expect(addressOf({ view: 'fleet', query: ALL })).toBe('#/datasets');
  expect(addressOf({ view: 'dataset', namespace: 'ml', name: 'demo', tab: 'picture' })).toBe('#/dataset/ml/demo');
});

test.each(['', '#', '#/', '#/nothing', '#/dataset', '#/dataset/ml', '#/dataset//x', '#token=abc', '#/datasets?sort=nothing&order=up'])(
  'an address that names no place, %s, is that of the fleet',
  (address) => {
    expect(placeOf(address)).toEqual({ view: 'fleet', query: ALL });
  },
);

test('an address with a lone % is read as it is', () => {
  expect(placeOf('#/dataset/ml/100%')).toMatchObject({ view: 'dataset', name: '100%' });
  expect(placeOf('#/dataset/ml/demo/nothing')).toMatchObject({ tab: 'picture' });
});
