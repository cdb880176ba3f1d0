import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/kube/errors.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { fenceOf, type FencePair, isInForce, whyOpen } from '../../../src/takeover/try/fence.ts';
import { FENCE, fenceObjects } from '../../../src/takeover/try/policies.ts';

const DATASET = 'system:serviceaccount:fluid-system:dataset-controller';
const THIN = 'system:serviceaccount:fluid-system:thinruntime-controller';
const FENCED = { namespaces: ['dev', 'ml'], users: [DATASET, THIN] };

/** As an API server returns them, with fields that it adds. */
function found(of = FENCED, change: (object: { spec: Record<string, unknown> }) => object = (object) => object): FencePair {
  const [policy, binding] = fenceObjects(of)
    .filter(({ metadata }) => metadata.name === FENCE)
    .map((object) => {
      const copy = structuredClone(object) as KubeObject & { spec: Record<string, unknown> };
      copy.spec['auditAnnotations'] = [];
      return change(copy) as KubeObject;
    });
  return { policy, binding };
}

describe('the policy of a try, as it is in a cluster', () => {
  test('says which users it keeps off which namespaces', () => {
    expect(fenceOf(found())).toEqual(FENCED);
    expect(fenceOf(found({ namespaces: ['ml'], users: [DATASET] }))).toEqual({ namespaces: ['ml'], users: [DATASET] });
  });
  test.each<[string, (spec: Record<string, unknown>) => object]>([
    ['warns and does not refuse', () => ({ validationActions: ['Warn'] })],
    ['lets faults pass', () => ({ failurePolicy: 'Ignore' })],
    ['refuses nothing', () => ({ validations: [{ expression: 'true', reason: 'Forbidden' }] })],
    ['refuses only creations', (spec) => ({ matchConstraints: { ...(spec['matchConstraints'] as object), resourceRules: [] } })],
    [
      'has another condition',
      () => ({ matchConditions: [{ name: 'by-fluid', expression: `request.userInfo.username in ["${DATASET}"]` }] }),
    ],
  ])('is none if it %s', (_, changed) => {
    const field = (spec: Record<string, unknown>, key: string) => key in spec;
    const edited = found(FENCED, ({ spec, ...rest }) => {
      const change = Object.entries(changed(spec)).filter(([key]) => field(spec, key));
      return { ...rest, spec: { ...spec, ...Object.fromEntries(change) } };
    });
    expect(fenceOf(edited)).toBeUndefined();
    expect(whyOpen(edited, ['ml'], DATASET)).toContain('is not as `sluice takeover try` writes it');
  });
  test.each(['policy', 'binding'] as const)('is none while its %s is missing or is being deleted', (part) => {
    const all = found();
    expect(whyOpen({ ...all, [part]: undefined }, ['ml'], DATASET)).toBe(`there is no ValidatingAdmissionPolicy ${FENCE} with a binding`);
    const going = { ...all[part]!, metadata: { ...all[part]!.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } };
    expect(fenceOf({ ...all, [part]: going })).toBeUndefined();
  });
  test('names the namespaces and the user that it does not know', () => {
    expect(whyOpen(found(), ['ml', 'dev'], DATASET)).toBeUndefined();
    expect(whyOpen(found(), ['ml', 'web', 'ops'], DATASET)).toContain('does not refuse writes in web, ops');
    expect(whyOpen(found(), ['ml'], 'system:serviceaccount:fluid:dataset-controller')).toContain(
      'does not refuse writes of system:serviceaccount:fluid:dataset-controller',
    );
  });
});

describe('whether it is in force', () => {
  const answer = (error?: Error) => ({ create: () => (error ? Promise.reject(error) : Promise.resolve({} as KubeObject)) });
  const refused = (message: string) => new ApiError({ method: 'POST', path: '/' }, 403, message);
  test('is what the API server answers to a dry run', async () => {
    expect(await isInForce(answer(), 'ml')).toBe(false);
    expect(await isInForce(answer(refused(`ValidatingAdmissionPolicy '${FENCE}' with binding '${FENCE}' denied request`)), 'ml')).toBe(
      true,
    );
  });
  test('a namespace that is gone, or is being deleted, does not keep a controller from serving the others', async () => {
    const gone = (status: number, body: object) =>
      answer(new ApiError({ method: 'POST', path: '/' }, status, 'no', { body: { kind: 'Status', ...body } }));
    expect(await isInForce(gone(404, { reason: 'NotFound' }), 'ml')).toBe(true);
    const causes = [{ reason: 'NamespaceTerminating' }];
    expect(await isInForce(gone(403, { reason: 'Forbidden', details: { causes } }), 'ml')).toBe(true);
  });
  test('is not known if the API server refuses the dry run for another reason', async () => {
    await expect(isInForce(answer(refused('User "a" cannot create resource "configmaps"')), 'ml')).rejects.toThrow('cannot create');
  });
});

test('each policy has a binding, and each name begins with that of the fence', () => {
  const objects = fenceObjects(FENCED);
  const names = (kind: string) => objects.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
  expect(names('ValidatingAdmissionPolicy')).toEqual([FENCE, `${FENCE}-volumes`, `${FENCE}-nodes`]);
  expect(names('ValidatingAdmissionPolicyBinding')).toEqual([FENCE, `${FENCE}-volumes`, `${FENCE}-nodes-dev`, `${FENCE}-nodes-ml`]);
});
