/** A controller of some namespaces beside Fluid's. */
import { describe, expect, test } from 'vitest';
import { whenOpened, whyOpenNow } from '../../../src/cli/reconcile/fenced.ts';
import { ApiError, NoAnswer } from '../../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';
import { FENCE, fenceObjects } from '../../../src/takeover/try/policies.ts';
import { manualClock } from '../../support/manual-clock.ts';

const USER = 'system:serviceaccount:fluid-system:dataset-controller';
const NAMESPACES = ['ml', 'dev'];
const REQUEST = { method: 'GET', path: '/' };

/** A cluster with the policies, in force in these namespaces. */
function cluster(namespaces: readonly string[] = NAMESPACES) {
  const state = {
    objects: fenceObjects({ namespaces: NAMESPACES, users: [USER] }),
    answers: true,
    get: async ({ kind }: ResourceType, { name }: { readonly name: string }): Promise<KubeObject> => {
      if (!state.answers) throw new NoAnswer(REQUEST, 'refused', { mayHaveArrived: false });
      const found = state.objects.find((each) => each.kind === kind && each.metadata.name === name);
      if (!found) throw new ApiError(REQUEST, 404, 'not found');
      return found;
    },
    create: async (_: ResourceType, object: KubeObject): Promise<KubeObject> => {
      if (namespaces.includes(object.metadata.namespace ?? ''))
        throw new ApiError(REQUEST, 403, `ValidatingAdmissionPolicy '${FENCE}' denied`);
      return object;
    },
  };
  return state;
}
const never = new AbortController().signal;

describe('whether Fluid is kept off the namespaces', () => {
  test('it is when the policy says so and refuses', async () => {
    expect(await whyOpenNow(cluster(), NAMESPACES, USER, never)).toBeUndefined();
  });
  test('it is not while the policy is not in force in one of them', async () => {
    expect(await whyOpenNow(cluster(['ml']), NAMESPACES, USER, never)).toBe('the policy is not in force in dev');
  });
  test('it is not when the policy does not name the controller', async () => {
    expect(await whyOpenNow(cluster(), NAMESPACES, 'system:serviceaccount:fluid:dataset-controller', never)).toContain(
      'does not refuse writes of',
    );
  });
  test('what cannot be read prevents the start', async () => {
    await expect(whyOpenNow({ ...cluster(), get: () => Promise.reject(new Error('no rights')) }, NAMESPACES, USER, never)).rejects.toThrow(
      'cannot check whether Fluid is kept off ml, dev: no rights',
    );
  });
});

describe('while it runs', () => {
  /** Lets 5 s go by, `times` times. */
  async function pass(clock: ReturnType<typeof manualClock>, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await new Promise(setImmediate);
      clock.advance(5_000);
    }
    await new Promise(setImmediate);
  }
  function watched(state = cluster()) {
    const [clock, ended, ends] = [manualClock(), new AbortController(), { error: undefined as Error | undefined, count: 0 }];
    void whenOpened(state, NAMESPACES, ended.signal, clock).then((error) => {
      ends.error = error;
      ends.count++;
    });
    return { state, clock, ended, ends };
  }
  test('it ends soon after the policy is deleted', async () => {
    const { state, clock, ends } = watched();
    await pass(clock, 3);
    expect(ends.count).toBe(0);
    state.objects = [];
    await pass(clock, 1);
    expect(ends.error?.message).toContain('Fluid may write in the namespaces that are served here: there is no ValidatingAdmissionPolicy');
  });
  test('it ends when a namespace is given back to Fluid', async () => {
    const { state, clock, ends } = watched();
    await pass(clock, 1);
    state.objects = fenceObjects({ namespaces: ['ml'], users: [USER] });
    await pass(clock, 1);
    expect(ends.error?.message).toContain('does not refuse writes in dev');
  });
  test('an API server that does not answer ends nothing', async () => {
    const { state, clock, ended, ends } = watched();
    await pass(clock, 1);
    state.answers = false;
    await pass(clock, 20);
    expect(ends.count).toBe(0);
    ended.abort();
    await pass(clock, 1);
    expect(ends).toEqual({ error: undefined, count: 1 });
  });
  test('without a policy from the beginning it goes on: Fluid did not run then', async () => {
    const state = cluster();
    state.objects = [];
    const { clock, ends } = watched(state);
    await pass(clock, 20);
    expect(ends.count).toBe(0);
  });
});
