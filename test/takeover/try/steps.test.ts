import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import { ownedKinds } from '../../../src/planning/kinds.ts';
import { namespacesIn, type PodView } from '../../../src/takeover/steps/pod-view.ts';
import { inWords, type Seen, type Step } from '../../../src/takeover/steps/step.ts';
import { Binding, fenceObjects, Policy } from '../../../src/takeover/try/policies.ts';
import { NARROWER, OFF, WIDER } from '../../../src/takeover/try/steps.ts';
import type { TryController, TryWorld } from '../../../src/takeover/try/world.ts';

const USERS = ['system:serviceaccount:fluid-system:dataset-controller'];
const pod = (name: string, namespaces: readonly string[]): PodView => ({
  name,
  uid: name,
  namespaces,
  isRunning: true,
  isReady: true,
  isEnding: false,
});
const serving = (namespaces: readonly string[], leader = 'sluice-controller-1_a'): TryController => ({
  deployment: { namespaces },
  pods: [pod('sluice-controller-1', namespaces)],
  leader,
});
const NONE: TryController = { pods: [], leader: '' };
const policiesOf = (...namespaces: readonly string[]): readonly Seen[] =>
  fenceObjects({ namespaces, users: USERS }).map(({ kind, metadata: { name } }) => ({
    type: kind === Policy.kind ? Policy : Binding,
    name,
    uid: `${kind}/${name}`,
  }));
const APPLY = 'apply the manifests of the admission policies';

/** A cluster after a try of these namespaces. */
function world(namespaces: readonly string[], more: Partial<TryWorld> = {}, back: readonly string[] = []): TryWorld {
  return {
    target: { system: 'fluid-system', users: USERS, namespaces, back, runtimes: [], crds: [], controller: [] },
    fence: { namespaces, users: USERS },
    policies: policiesOf(...namespaces),
    inForce: new Set(namespaces),
    controller: serving(namespaces),
    objects: [],
    untouched: [],
    datasets: [],
    run: { applied: new Set(['crds', 'policies', 'controller']), deleted: new Set() },
    ...more,
  };
}
/** The need of the first step that is not done. */
function asked(steps: readonly Step<TryWorld>[], of: TryWorld) {
  for (const step of steps) {
    const need = step.of(of);
    if (need) return need.actions?.map(inWords) ?? need.waitsFor;
  }
  return 'done';
}
/** The namespaces of the policies that the first step applies. */
function fencedBy(steps: readonly Step<TryWorld>[], of: TryWorld): readonly string[] {
  const [action] = steps.flatMap((step) => step.of(of) ?? [])[0]?.actions ?? [];
  const names = action?.do === 'apply' ? action.manifests.map(({ metadata }) => metadata.name) : [];
  return names.flatMap((name) => /^sluice-takeover-try-nodes-(.+)$/.exec(name)?.[1] ?? []);
}

describe('a try', () => {
  test('is done when Sluice serves the namespaces and Fluid is kept off', () => expect(asked(WIDER, world(['dev', 'ml']))).toBe('done'));
  test.each<[string, Partial<TryWorld>, unknown]>([
    [
      'applies the custom resources first',
      { run: { applied: new Set(), deleted: new Set() } },
      ['apply the manifests of the custom resources'],
    ],
    ['keeps Fluid off before the controller serves', { fence: undefined, controller: NONE }, [APPLY]],
    ['adds users of Fluid that the policy does not name', { fence: { namespaces: ['dev', 'ml'], users: [] } }, [APPLY]],
    ['waits until the API server refuses', { inForce: new Set(['ml']), controller: NONE }, 'the policy is in force in dev'],
    ['then applies the controller', { controller: NONE }, ["apply the manifests of Sluice's controller"]],
    ['applies it again for more namespaces', { controller: serving(['ml']) }, ["apply the manifests of Sluice's controller"]],
    [
      'waits for the end of pods that serve others',
      { controller: { ...serving(['dev', 'ml']), pods: [pod('sluice-controller-1', ['dev', 'ml']), pod('sluice-controller-0', ['ml'])] } },
      'pods of other namespaces end: sluice-controller-0',
    ],
    ['waits until a pod leads', { controller: serving(['dev', 'ml'], 'sluice-controller-0_a') }, 'a pod of sluice-controller leads'],
    ['waits until the runtimes are adopted', { untouched: ['ThinRuntime ml/a'] }, 'Sluice reports on ThinRuntime ml/a'],
  ])('%s', (_, more, expected) => expect(asked(WIDER, world(['dev', 'ml'], more))).toEqual(expected));
  test('leaves namespaces in the policy that Sluice still serves', () =>
    expect(fencedBy(WIDER, world(['dev', 'ml'], { fence: { namespaces: ['web'], users: USERS } }))).toEqual(['dev', 'ml', 'web']));
});

describe('giving all namespaces back', () => {
  const off = (more: Partial<TryWorld>) =>
    asked(OFF, world([], { fence: { namespaces: ['ml'], users: USERS }, policies: policiesOf('ml'), controller: NONE, ...more }, ['ml']));
  const ALL_DELETED = policiesOf('ml').map(({ type, name }) => `delete ${type.kind} ${name}`);
  test('removes the controller first, and waits for the end of its pods', () => {
    const account = { type: ownedKinds.ServiceAccount, namespace: 'fluid-system', name: 'sluice-controller', uid: 'u' };
    expect(off({ controller: serving(['ml']), objects: [account] })).toEqual(['delete ServiceAccount fluid-system/sluice-controller']);
    expect(off({ controller: { ...NONE, pods: [pod('sluice-controller-1', ['ml'])] } })).toBe('pod sluice-controller-1 ends');
  });
  test('then prepares Datasets that are not bound, and then lets Fluid write', () => {
    const status = { phase: 'NotBound', conditions: [{ type: 'Ready', status: 'False' }] };
    const dataset = { kind: 'Dataset', metadata: { namespace: 'ml', name: 'a' }, status } as unknown as KubeObject;
    expect(off({ datasets: [dataset] })).toEqual(['remove the conditions of Dataset ml/a']);
    expect(off({})).toEqual(ALL_DELETED);
  });
  test('removes a policy that was changed, too', () => expect(off({ fence: undefined })).toEqual(ALL_DELETED));
  test('is done when neither is left', () => expect(off({ fence: undefined, policies: [] })).toBe('done'));
});

test('a namespace is given back only once no pod serves it', () => {
  const [fence, policies] = [{ namespaces: ['dev', 'ml'], users: USERS }, policiesOf('dev', 'ml')];
  const narrower = (controller: TryController) => asked(NARROWER, world(['dev'], { fence, policies, controller }, ['ml']));
  expect(narrower(serving(['dev', 'ml']))).toEqual(["apply the manifests of Sluice's controller"]);
  expect(narrower({ ...serving(['dev']), pods: [pod('sluice-controller-1', ['dev']), pod('old', ['dev', 'ml'])] })).toContain('old');
  const removal = 'delete ValidatingAdmissionPolicyBinding sluice-takeover-try-nodes-ml';
  expect(narrower(serving(['dev']))).toEqual([APPLY, removal]);
  // A run that ended between the two.
  expect(asked(NARROWER, world(['dev'], { policies }, ['ml']))).toEqual([removal]);
});

test.each<[string, readonly string[], readonly string[] | undefined]>([
  ['by a flag with a value', ['reconcile', '--namespaces', 'ml,dev'], ['dev', 'ml']],
  ['by a flag and a value in one', ['reconcile', '--namespaces=ml'], ['ml']],
  ['by the last one, as the program reads them', ['--namespaces', 'a', '--namespaces', 'b'], ['b']],
  ['all without a flag', ['reconcile'], undefined],
])('the namespaces of a pod are read from its arguments: %s', (_, args, expected) =>
  expect(namespacesIn({ containers: [{ name: 'controller', args }] })).toEqual(expected),
);
