import { Registry } from 'prom-client';
import { beforeEach, describe, expect, test } from 'vitest';
import { type KubeObject, type Log, silent } from '../../../src/kube/types.ts';
import { createValidations } from '../../../src/webhook/server/validate.ts';
import { validationMetrics } from '../../../src/webhook/server/validation-metrics.ts';
import type { Judge, Judged, Judgement } from '../../../src/webhook/validation/judge.ts';
import type { ReadOther } from '../../../src/webhook/watches/other-halves.ts';
import { aMoment, manualClock } from '../../support/manual-clock.ts';

const dataset = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'Dataset',
  metadata: { name: 'demo', namespace: 'ml', ...metadata },
  spec,
});
const FAULT = { path: 'spec.replicas', expected: 'an integer', found: '"secret"' };
const CLEAN: Judgement = { faults: [], warnings: [] };

let registry: Registry;
let judged: Judged[];
let lines: (readonly [string, object])[];
let clock: ReturnType<typeof manualClock>;
beforeEach(() => {
  registry = new Registry();
  judged = [];
  lines = [];
  clock = manualClock();
});
function validations(judge: Judge = async () => CLEAN, read: ReadOther = () => undefined) {
  const note = (fields: object, message?: string) => void lines.push([message ?? '', fields]);
  const log: Log = { ...silent, info: note, warn: note, error: note };
  const metrics = validationMetrics(registry);
  return createValidations({ judge: (each, find) => (judged.push(each), judge(each, find)), read, metrics, log, clock });
}
const review = (object: unknown, more: object = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', namespace: 'ml', operation: 'CREATE', object, ...more },
  });
const answerOf = async (asked: Promise<{ readonly status: number; readonly body: string }>) => {
  const { status, body } = await asked;
  expect(status).toBe(200);
  return (JSON.parse(body) as { response: object }).response;
};
async function counted(): Promise<Readonly<Record<string, number>>> {
  const values = (await registry.getSingleMetric('sluice_webhook_validations_total')?.get())?.values ?? [];
  return Object.fromEntries(values.flatMap(({ labels, value }) => (value > 0 ? [[labels['outcome'], value]] : [])));
}

describe('a validation', () => {
  test('denies faults of the object as the API server denies those of a schema, and logs no value', async () => {
    const validate = validations(async () => ({ faults: [FAULT], warnings: ['a doubt'] }));
    expect(await answerOf(validate(review(dataset())))).toEqual({
      uid: 'u',
      allowed: false,
      warnings: ['a doubt'],
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'spec.replicas: expected an integer, found "secret"',
        details: {
          group: 'data.fluid.io',
          kind: 'Dataset',
          name: 'demo',
          causes: [{ reason: 'FieldValueInvalid', field: 'spec.replicas', message: 'expected an integer, found "secret"' }],
        },
      },
    });
    expect(lines).toEqual([['denied an object', { kind: 'Dataset', namespace: 'ml', name: 'demo', fields: ['spec.replicas'] }]]);
    expect(await counted()).toEqual({ denied: 1 });
  });
  test('allows the object with warnings of doubts', async () => {
    const validate = validations(async () => ({ faults: [], warnings: ['a doubt'] }));
    expect(await answerOf(validate(review(dataset())))).toEqual({ uid: 'u', allowed: true, warnings: ['a doubt'] });
    expect(await counted()).toEqual({ warned: 1 });
  });
  test('allows what has neither', async () => {
    expect(await answerOf(validations()(review(dataset())))).toEqual({ uid: 'u', allowed: true });
    expect(await counted()).toEqual({ allowed: 1 });
  });
  test('judges an edit of the spec, beside the object that is stored', async () => {
    const [object, oldObject] = [dataset({ mounts: [] }), dataset()];
    await answerOf(validations()(review(object, { operation: 'UPDATE', oldObject })));
    expect(judged).toEqual([{ object, before: oldObject }]);
  });
  test.each<readonly [string, unknown, object]>([
    ['its status, by the subresource', dataset({ a: 1 }), { operation: 'UPDATE', oldObject: dataset(), subResource: 'status' }],
    [
      'its metadata and its status alone, whatever the spec has',
      { ...dataset({ a: [1] }, { labels: { b: 'c' } }), status: { phase: 'Bound' } },
      { operation: 'UPDATE', oldObject: dataset({ a: [1] }) },
    ],
    ['an object that is being deleted', dataset({ a: 1 }, { deletionTimestamp: 'now' }), { operation: 'UPDATE', oldObject: dataset() }],
    ['a deletion', null, { operation: 'DELETE', oldObject: dataset() }],
    ['an object of another group', { ...dataset(), apiVersion: 'example.com/v1' }, {}],
    ['what is no object', 'x', {}],
  ])('does not judge %s', async (_, object, more) => {
    const validate = validations(async () => ({ faults: [FAULT], warnings: [] }));
    expect(await answerOf(validate(review(object, more)))).toEqual({ uid: 'u', allowed: true });
    expect(judged).toEqual([]);
    expect(await counted()).toEqual({ unjudged: 1 });
  });
  test('allows what it cannot judge, and counts it', async () => {
    const validate = validations(() => Promise.reject(new TypeError('of undefined')));
    expect(await answerOf(validate(review(dataset())))).toEqual({ uid: 'u', allowed: true });
    expect(await counted()).toEqual({ failed: 1 });
    expect(lines.map(([message]) => message)).toEqual(['an object could not be judged and was allowed; this is a defect of Sluice']);
  });
  test('rejects requests that are too large or no reviews: the API server then allows the object', async () => {
    const validate = validations();
    expect((await validate('{}')).status).toBe(400);
    expect((await validate(review(dataset({ mounts: Array.from({ length: 10_000 }, () => 0) })))).status).toBe(413);
    expect(judged).toEqual([]);
  });
});

describe('other objects', () => {
  const runtime = { ...dataset(), kind: 'ThinRuntime' } as KubeObject;
  const reads: Judge = async (_, find) => {
    const found = [await find('ThinRuntime', 'ml', 'demo'), await find('ThinRuntime', 'ml', 'demo')];
    return { faults: [], warnings: found.map((each) => each?.kind ?? 'none') };
  };
  test('are read once', async () => {
    let count = 0;
    const validate = validations(reads, () => async () => (count++, runtime));
    expect(await answerOf(validate(review(dataset())))).toMatchObject({ warnings: ['ThinRuntime'] });
    expect(count).toBe(1);
  });
  test('that cannot be read count as none', async () => {
    const validate = validations(reads, () => () => Promise.reject(new Error('forbidden')));
    expect(await answerOf(validate(review(dataset())))).toEqual({ uid: 'u', allowed: true, warnings: ['none'] });
    expect(lines).toEqual([['an object is judged without another', { kind: 'ThinRuntime', namespace: 'ml', error: 'forbidden' }]]);
  });
  test('that are not read within a second count as none, and so does all after them', async () => {
    const validate = validations(reads, () => () => new Promise(() => {}));
    const answer = answerOf(validate(review(dataset()), 3_000));
    await aMoment();
    clock.advance(1_000);
    expect(await answer).toEqual({ uid: 'u', allowed: true, warnings: ['none'] });
  });
  test('are read by half a second before the API server no longer waits', async () => {
    const validate = validations(reads, () => () => new Promise(() => {}));
    const answer = answerOf(validate(review(dataset()), 1_000));
    await aMoment();
    clock.advance(500);
    expect(await answer).toMatchObject({ allowed: true });
  });
  test('are at most sixteen', async () => {
    let count = 0;
    const many: Judge = async (_, find) => {
      for (let i = 0; i < 20; i++) await find('ThinRuntime', 'ml', `r${i}`);
      return CLEAN;
    };
    await answerOf(validations(many, () => async () => void count++)(review(dataset())));
    expect(count).toBe(16);
  });
  test('are waited for outside of the turn, which is taken again', async () => {
    let turns = 0;
    const turn = async () => (turns++, true);
    await answerOf(validations(reads, () => async () => runtime)(review(dataset()), 3_000, turn));
    expect(turns).toBe(1);
  });
});
