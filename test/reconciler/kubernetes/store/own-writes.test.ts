import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { createOwnWrites, isBehind } from '../../../../src/reconciler/kubernetes/store/own-writes.ts';

const object = (resourceVersion: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Dataset',
  metadata: { name: 'demo', uid: 'u', resourceVersion, ...more },
});

describe('the watch is behind what we wrote', () => {
  test.each<[string, KubeObject | undefined, string | undefined, boolean]>([
    ['when it shows an older version (S1)', object('9'), '9', true],
    ['when it does not show the object yet (S1)', undefined, '9', true],
    ['while it has lost touch (S1)', object('9'), undefined, true],
    ['not when it shows this version', object('10'), '10', false],
    ['not when it shows a newer one', object('11'), '11', false],
    ['not when it has passed this version, and shows nothing: the object is gone again (S3)', undefined, '12', false],
    ['not when it has passed this version with another object of the name (S3)', object('4', { uid: 'other' }), '12', false],
  ])('%s', (_, seen, upTo, expected) => expect(isBehind(seen, object('10'), upTo)).toBe(expected));
});

describe('the watch is behind a deletion that a read found', () => {
  const gone = object('10', { gone: true });
  test('while it shows the object (S2)', () => expect(isBehind(object('10'), gone, '20')).toBe(true));
  test('not when it shows another object of the name (S2, S3)', () =>
    expect(isBehind(object('21', { uid: 'other' }), gone, '21')).toBe(false));
  test('while it has not shown its creation (S2)', () => expect(isBehind(undefined, gone, '9')).toBe(true));
  test('not when it shows none (S3)', () => expect(isBehind(undefined, gone, '20')).toBe(false));

  test.each<[string, 'added' | 'changed' | 'deleted', KubeObject, boolean]>([
    ['when it shows its creation', 'added', object('10'), true],
    ['when it shows how others changed it before that', 'changed', object('11', { deletionTimestamp: '2026-11-27T12:00:00Z' }), true],
    ['no more when it shows the deletion', 'deleted', object('12'), false],
    ['no more when it shows another object of the name', 'changed', object('13', { uid: 'other' }), false],
  ])('is known %s (S2, S3)', (_, type, shown, isKnown) => {
    const writes = createOwnWrites((each) => each);
    const watch = (seen: KubeObject | undefined, resourceVersion: string) => ({ get: () => seen, status: { resourceVersion } }) as never;
    writes.forget(object('10'), watch(undefined, '9'));
    const now = type === 'deleted' ? undefined : shown;
    writes.settle(type === 'changed' ? { type, old: object('10'), object: shown } : { type, object: shown }, 'Dataset', watch(now, '9'));
    expect(writes.size).toBe(isKnown ? 1 : 0);
    expect(writes.newest('Dataset', watch(now, shown.metadata.resourceVersion ?? ''), undefined, 'demo')).toBe(isKnown ? undefined : now);
  });
});

test('a list of one namespace says nothing about what was written in another (S1)', () => {
  const writes = createOwnWrites((each) => each);
  const watch = (resourceVersion: string) => ({ get: () => undefined, status: { resourceVersion } }) as never;
  writes.remember(object('9', { namespace: 'ml' }), watch('5'));
  expect(writes.unlisted('Dataset', watch('20'), 'dev')).toEqual([]);
  expect(writes.newest('Dataset', watch('5'), 'ml', 'demo')).toBeDefined();
  expect(writes.unlisted('Dataset', watch('20'), 'ml')).toHaveLength(1);
});

describe('nothing is kept', () => {
  /** A watch that has shown everything up to version 9. */
  const watching = (seen?: KubeObject) =>
    ({ get: () => seen, status: { resourceVersion: '9' } }) as unknown as Parameters<ReturnType<typeof createOwnWrites>['remember']>[1];
  const own = () => createOwnWrites((each) => each);

  test('of an answer that comes after its event (S3)', () => {
    const writes = own();
    writes.remember(object('9'), watching(object('9')));
    expect(writes.size).toBe(0);
  });
  test('of an answer that comes after its object was deleted (S3)', () => {
    const writes = own();
    writes.remember(object('9'), watching());
    expect(writes.size).toBe(0);
  });
  test('of a deletion that is found after the watch has shown it (S3)', () => {
    const writes = own();
    writes.forget(object('9'), watching());
    writes.forget(object('9'), watching(object('9', { uid: 'another' })));
    expect(writes.size).toBe(0);
  });
  test('of an object that is gone, once the watch has passed its creation without it (S3)', () => {
    const writes = own();
    writes.remember(object('10'), watching());
    writes.forget(object('10'), watching());
    expect(writes.size).toBe(1);
    const passed = { get: () => undefined, status: { resourceVersion: '12' } } as unknown as ReturnType<typeof watching>;
    expect(writes.newest('Dataset', passed, undefined, 'demo')).toBeUndefined();
    expect(writes.size).toBe(0);
  });
  test('but of what the watch does not show yet (S1, S2)', () => {
    const writes = own();
    writes.remember(object('10'), watching(object('9')));
    expect(writes.newest('Dataset', watching(object('9')), undefined, 'demo')).toEqual(object('10'));
    writes.forget(object('10'), watching(object('9')));
    expect(writes.newest('Dataset', watching(object('9')), undefined, 'demo')).toBeUndefined();
  });
});

describe('an event is an echo (S4)', () => {
  /** A watch that has shown everything up to version 9. */
  const watching = (resourceVersion?: string) =>
    ({ get: () => object('9'), status: { resourceVersion } }) as unknown as Parameters<ReturnType<typeof createOwnWrites>['remember']>[1];
  const watched = watching('9');
  type Known = readonly ['remember' | 'found', string];
  const echoes = (known: readonly Known[], ...shown: readonly string[]): readonly boolean[] => {
    const writes = createOwnWrites((each) => each);
    for (const [how, version] of known) writes[how](object(version), watched);
    return shown.map((version) => writes.settle({ type: 'changed', old: object('9'), object: object(version) }, 'Dataset', watched).isEcho);
  };
  test.each<[string, readonly Known[], readonly string[], readonly boolean[]]>([
    ['of a write', [['remember', '12']], ['12'], [true]],
    ['not of what others wrote before it', [['remember', '12']], ['11', '12'], [false, true]],
    [
      'of a write that was answered before an older read',
      [
        ['remember', '12'],
        ['found', '11'],
      ],
      ['12'],
      [true],
    ],
    ['not of what a read found: others have written it', [['found', '12']], ['12'], [false]],
    [
      'of a write that a read found again',
      [
        ['remember', '12'],
        ['found', '12'],
      ],
      ['12'],
      [true],
    ],
    [
      'of a write on what a read found, once the watch has shown that',
      [
        ['found', '11'],
        ['remember', '12'],
      ],
      ['11', '12'],
      [false, true],
    ],
  ])('%s', (_, known, shown, expected) => expect(echoes(known, ...shown)).toEqual(expected));

  test('but not where a list shows it: others may have written the version on which it stands', () => {
    const writes = createOwnWrites((each) => each);
    writes.remember(object('12'), watched);
    expect(writes.settle({ type: 'changed', old: object('9'), object: object('12') }, 'Dataset', watching()).isEcho).toBe(false);
  });
  test.each(['remember', 'created'] as const)('where a watch of a label shows a new object: %s', (how) => {
    const writes = createOwnWrites((each) => each);
    writes[how](object('12'), watched);
    // Without the label others may have changed it unseen, until we gave the label to it.
    expect(writes.settle({ type: 'added', object: object('12') }, 'Dataset', watched).isEcho).toBe(how === 'created');
  });
  test('but not of what was found to be deleted', () => {
    const writes = createOwnWrites((each) => each);
    writes.forget(object('12'), watching());
    expect(writes.settle({ type: 'added', object: object('12') }, 'Dataset', watched).isEcho).toBe(false);
  });
});
