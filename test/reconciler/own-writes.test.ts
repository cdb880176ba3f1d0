import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { isBehind } from '../../src/reconciler/kubernetes/own-writes.ts';

const object = (resourceVersion: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Dataset',
  metadata: { name: 'demo', uid: 'u', resourceVersion, ...more },
});

describe('the watch is behind what we wrote', () => {
  test.each<[string, KubeObject | undefined, string | undefined, boolean]>([
    ['when it shows an older version', object('9'), '9', true],
    ['when it does not show the object yet', undefined, '9', true],
    ['while it has lost touch', object('9'), undefined, true],
    ['not when it shows this version', object('10'), '10', false],
    ['not when it shows a newer one', object('11'), '11', false],
    ['not when it has passed this version, and shows nothing: the object is gone again', undefined, '12', false],
    ['not when it has passed this version with another object of the name', object('4', { uid: 'other' }), '12', false],
  ])('%s', (_, seen, upTo, expected) => expect(isBehind(seen, object('10'), upTo)).toBe(expected));
});

describe('the watch is behind a deletion that we found', () => {
  const gone = object('10', { gone: true });
  test('while it shows the object', () => expect(isBehind(object('10'), gone, '20')).toBe(true));
  test('not when it shows another of the name', () => expect(isBehind(object('21', { uid: 'other' }), gone, '21')).toBe(false));
  test('not when it shows none', () => expect(isBehind(undefined, gone, '20')).toBe(false));
});
