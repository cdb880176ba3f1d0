import { describe, expect, test } from 'vitest';
import { FORWARD, NARROWER, OFF, type TryStep } from '../../../src/takeover/try/steps.ts';
import { namespacesIn, type TryController, type TryWorld } from '../../../src/takeover/try/world.ts';

const USERS = ['system:serviceaccount:fluid-system:dataset-controller'];
const pod = (name: string, namespaces: readonly string[] | undefined) => ({ name, uid: name, namespaces });
const serving = (namespaces: readonly string[], leader = 'sluice-controller-1_a'): TryController => ({
  deployment: { uid: 'd', namespaces },
  pods: [pod('sluice-controller-1', namespaces)],
  leader,
});
const NONE: TryController = { pods: [], leader: '' };

/** A cluster after a try of these namespaces. */
function world(namespaces: readonly string[], more: Partial<TryWorld> = {}, back: readonly string[] = []): TryWorld {
  return {
    target: { system: 'fluid-system', users: USERS, namespaces, back, runtimes: [], crds: [], controller: [] },
    fence: { namespaces, users: USERS },
    isFenceLeft: true,
    inForce: new Set(namespaces),
    controller: serving(namespaces),
    untouched: [],
    unbound: [],
    applied: new Set(['crds', 'fence', 'controller']),
    ...more,
  };
}
/** The need of the first step that is not done. */
function asked(steps: readonly TryStep[], of: TryWorld) {
  for (const step of steps) {
    const need = step.of(of);
    if (need) return 'actions' in need ? need.actions : need.waitsFor;
  }
  return 'done';
}

describe('a try', () => {
  test('is done when Sluice serves the namespaces and Fluid is kept off', () => expect(asked(FORWARD, world(['dev', 'ml']))).toBe('done'));
  test.each<[string, Partial<TryWorld>, unknown]>([
    ['applies the custom resources first', { applied: new Set() }, [{ do: 'apply', part: 'crds' }]],
    ['keeps Fluid off before the controller serves', { fence: undefined, controller: NONE }, [{ do: 'fence', namespaces: ['dev', 'ml'] }]],
    [
      'leaves namespaces in the policy that Sluice still serves',
      { fence: { namespaces: ['web'], users: USERS } },
      [{ do: 'fence', namespaces: ['dev', 'ml', 'web'] }],
    ],
    [
      'adds users of Fluid that the policy does not name',
      { fence: { namespaces: ['dev', 'ml'], users: [] } },
      [{ do: 'fence', namespaces: ['dev', 'ml'] }],
    ],
    ['waits until the API server refuses', { inForce: new Set(['ml']), controller: NONE }, 'the policy is in force in dev'],
    ['then applies the controller', { controller: NONE }, [{ do: 'apply', part: 'controller' }]],
    ['applies it again for more namespaces', { controller: serving(['ml']) }, [{ do: 'apply', part: 'controller' }]],
    [
      'waits for the end of pods that serve others',
      { controller: { ...serving(['dev', 'ml']), pods: [pod('sluice-controller-1', ['dev', 'ml']), pod('sluice-controller-0', ['ml'])] } },
      'pods of other namespaces end: sluice-controller-0',
    ],
    ['waits until a pod leads', { controller: serving(['dev', 'ml'], 'sluice-controller-0_a') }, 'a pod of sluice-controller leads'],
    ['waits until the runtimes are adopted', { untouched: ['ThinRuntime ml/a'] }, 'Sluice reports on ThinRuntime ml/a'],
  ])('%s', (_, more, expected) => expect(asked(FORWARD, world(['dev', 'ml'], more))).toEqual(expected));
});

describe('giving all namespaces back', () => {
  const off = (more: Partial<TryWorld>) => asked(OFF, world([], { fence: { namespaces: ['ml'], users: USERS }, ...more }, ['ml']));
  test('removes the controller first, and waits for the end of its pods', () => {
    expect(off({ controller: serving(['ml']) })).toEqual([{ do: 'remove' }]);
    expect(off({ controller: { ...NONE, pods: [pod('sluice-controller-1', ['ml'])] } })).toBe('pods end: sluice-controller-1');
  });
  test('then prepares Datasets that are not bound, and then lets Fluid write', () => {
    const unbound = [{ namespace: 'ml', name: 'a' }];
    expect(off({ controller: NONE, unbound })).toEqual([{ do: 'unbind', dataset: unbound[0] }]);
    expect(off({ controller: NONE })).toEqual([{ do: 'fence', namespaces: [] }]);
  });
  test('removes a policy that was changed, too', () =>
    expect(off({ controller: NONE, fence: undefined })).toEqual([{ do: 'fence', namespaces: [] }]));
  test('is done when neither is left', () => expect(off({ controller: NONE, fence: undefined, isFenceLeft: false })).toBe('done'));
});

test('a namespace is given back only once no pod serves it', () => {
  const fence = { namespaces: ['dev', 'ml'], users: USERS };
  const narrower = (controller: TryController) => asked(NARROWER, world(['dev'], { fence, controller }, ['ml']));
  expect(narrower(serving(['dev', 'ml']))).toEqual([{ do: 'apply', part: 'controller' }]);
  expect(narrower({ ...serving(['dev']), pods: [pod('sluice-controller-1', ['dev']), pod('old', ['dev', 'ml'])] })).toContain('old');
  expect(narrower(serving(['dev']))).toEqual([{ do: 'fence', namespaces: ['dev'] }]);
});

test.each<[string, readonly string[], readonly string[] | undefined]>([
  ['by a flag with a value', ['reconcile', '--namespaces', 'ml,dev'], ['dev', 'ml']],
  ['by a flag and a value in one', ['reconcile', '--namespaces=ml'], ['ml']],
  ['by the last one, as the program reads them', ['--namespaces', 'a', '--namespaces', 'b'], ['b']],
  ['all without a flag', ['reconcile'], undefined],
])('the namespaces of a pod are read from its arguments: %s', (_, args, expected) =>
  expect(namespacesIn({ containers: [{ name: 'controller', args }] })).toEqual(expected),
);
