import { describe, expect, test, vi } from 'vitest';
import { imageOfPod } from '../../src/cli/own-image.ts';
import { ApiError, NoAnswer } from '../../src/kube/errors.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { silent } from '../../src/kube/types.ts';

const POD = { MY_POD_NAME: 'sluice-controller-a', MY_POD_NAMESPACE: 'data-system' };
const REQUEST = { method: 'GET', path: '/api/v1/namespaces/data-system/pods/sluice-controller-a' } as const;
const pod = (...containers: readonly object[]) => ({ spec: { containers } });
/** The image that a program finds if the API server answers these, one after the other; and what it was asked and warned of. */
async function found(env: Readonly<Record<string, string>>, ...answers: readonly (object | Error)[]) {
  const get = vi.fn<(...args: readonly unknown[]) => Promise<object>>();
  for (const answer of answers)
    get.mockImplementationOnce(() => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)));
  const warnings: unknown[] = [];
  const log = { ...silent, warn: (fields: object) => void warnings.push(fields) };
  // The cast: it asks for nothing but the pod.
  const image = await imageOfPod({ get } as unknown as KubeClient, env, 'controller', log, new AbortController().signal);
  return { image, warnings, asked: get.mock.calls.map(([, ref]) => ref) };
}

describe('the image of a program’s own pod', () => {
  test('is that of the container of its part', async () =>
    expect(
      await found(POD, pod({ name: 'istio-proxy', image: 'p:1' }, { name: 'controller', image: 'registry.example/sluice:2' })),
    ).toEqual({
      image: 'registry.example/sluice:2',
      warnings: [],
      asked: [{ name: 'sluice-controller-a', namespace: 'data-system' }],
    }));
  test('is that of the first container in manifests of others', async () =>
    expect(await found(POD, pod({ name: 'main', image: 'sluice:3' }, { name: 'proxy', image: 'p:1' }))).toMatchObject({
      image: 'sluice:3',
    }));
  test('is not asked for outside of a pod', async () =>
    expect(await found({ MY_POD_NAMESPACE: 'data-system' })).toEqual({ image: undefined, warnings: [], asked: [] }));
  test('is asked for again when the API server did not answer', async () =>
    expect(
      await found(POD, new NoAnswer(REQUEST, 'refused', { mayHaveArrived: false }), pod({ name: 'controller', image: 'sluice:4' })),
    ).toMatchObject({ image: 'sluice:4' }));
  test('is unknown, with a warning, where the pod may not be read', async () => {
    const { image, warnings } = await found(POD, new ApiError(REQUEST, 403, 'no'));
    expect(image).toBeUndefined();
    expect(warnings).toEqual([{ pod: 'data-system/sluice-controller-a', error: expect.any(String) }]);
  });
});
