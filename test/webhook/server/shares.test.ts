import { expect, test } from 'vitest';
import { namespaceIn } from '../../../src/webhook/server/caller.ts';
import { createShares } from '../../../src/webhook/server/shares.ts';

const as = (namespace: string, peer = 'api') => ({ peer, namespace });
function most(shares: ReturnType<typeof createShares>, caller: ReturnType<typeof as>): number {
  let count = 0;
  while (shares.take(caller, 1)) count++;
  return count;
}

test('a namespace that takes all that it can leaves room for the next ones, of its address and of others', () => {
  const shares = createShares(100, 200);
  expect(most(shares, as('a'))).toBe(50);
  expect(most(shares, as('b'))).toBe(25);
  expect(most(shares, as('c'))).toBe(12);
  expect(most(shares, as('a', 'another'))).toBe(50);
});
test('a share that was given back is there for others', () => {
  const shares = createShares(100);
  expect(most(shares, as('a'))).toBe(50);
  shares.give(as('a'), 50);
  expect(most(shares, as('b'))).toBe(50);
});
test('an address that invents namespaces has no more than one that does not', () => {
  const shares = createShares(100, 200);
  let taken = 0;
  for (let i = 0; i < 1000; i++) if (shares.take(as(`n${i}`, 'forger'), 1)) taken++;
  expect(taken).toBe(99);
  expect(shares.take(as('a'), 50)).toBe(true);
});

const request = { uid: 'u', kind: { group: '', version: 'v1', kind: 'Pod' }, name: 'p', namespace: 'ml' };
const review = (of: object) => JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: of });
test.each([
  ['as API servers write it', review({ ...request, object: { metadata: { namespace: 'other' } } }), 'ml'],
  ['not in a text', review({ ...request, name: '","namespace":"other","x":"' }), 'ml'],
  ['not in the beginning', review({ ...request, name: 'x'.repeat(200_000) }), ''],
  ['no review', 'x', ''],
])('the namespace of a request: %s', (_, text, namespace) => expect(namespaceIn(text)).toBe(namespace));
