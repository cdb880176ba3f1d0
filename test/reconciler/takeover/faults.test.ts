/** A take-over on an API server that refuses, loses or delays writes: what Fluid's pods serve, they serve on. */
import { expect, test } from 'vitest';
import { type ApiRequest, WRITES } from '../../../src/api-server/index.ts';
import { NoAnswer } from '../../../src/kube/errors.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../support/objects.ts';
import { hasGoldens } from '../../upstream/cases.ts';
import { boundHarness, type Harness } from '../harness.ts';
import { cacheLabels, scenes, statusOf, watch } from './scenes.ts';

type Fault = keyof typeof reasons | 'unsent' | 'lost';
const reasons = { '500': 'InternalError', '503': 'ServiceUnavailable', '504': 'Timeout', '409': 'Conflict' } as const;

/** Lets writes fail that match, until the rule is removed. */
function fail({ server }: Harness, fault: Fault, matches: (request: ApiRequest) => boolean) {
  const match = { verb: WRITES, when: matches };
  const lost = () => Promise.reject(new NoAnswer({ method: 'PATCH', path: '/' }, 'timeout', { code: 'TIMEOUT', mayHaveArrived: true }));
  if (fault === 'lost') return server.rules.add(match, { after: lost });
  if (fault === 'unsent') return server.rules.add(match, { before: lost });
  return server.rules.refuse(match, { status: Number(fault), reason: reasons[fault], message: 'the server is overloaded' });
}

/** The writes that fail, at first for 20 s, then for 20 s of a second process. */
test.skipIf(!hasGoldens).each([
  ['alluxio', '503', 'Pod'],
  ['jindo', '409', 'Pod'],
  ['jindo105', 'lost', 'StatefulSet'],
  ['vineyard', '504', 'StatefulSet'],
  ['cache', '500', 'StatefulSet'],
  ['cache', 'unsent', ''],
] as const)('a take-over of %s whose writes end with %s (%s) loses nothing', async (scene, fault, kind) => {
  const { at } = await scenes[scene]!();
  const watched = watch(at);
  const rule = fail(at, fault, (request) => kind === '' || request.kind === kind);
  at.start();
  await at.advance(20_000);
  expect(rule.met).toBeGreaterThan(0);
  await at.restart();
  await at.advance(70_000);
  rule.remove();
  // The longest back-off.
  await at.advance(90_000);
  await at.quiet();
  expect(watched.seen).toEqual([]);
  const runtimes = at.server.all().filter((object) => object.kind.endsWith('Runtime'));
  const synced = runtimes.flatMap((object) => statusOf(object).conditions?.find(({ type }) => type === 'Synced') ?? []);
  expect(synced.map(({ message }) => message)).not.toEqual([expect.stringMatching(/overloaded|timeout/)]);
  expect(synced).toHaveLength(1);
  expect(at.server.all('Pod').filter(({ metadata }) => !('fluid.io/dataset-id' in (metadata.labels ?? {})))).toEqual([]);
});

test('workers whose StatefulSet lost its label, and cannot get it back, are not gone', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo', { replicas: 2 })]);
  const watched = watch(at);
  const rule = fail(at, '500', ({ kind }) => kind === 'StatefulSet');
  const { resourceVersion: _, ...metadata } = at.get('StatefulSet', 'demo-worker')!.metadata;
  at.server.put({ ...at.get('StatefulSet', 'demo-worker')!, metadata: { ...metadata, labels: {} } });
  at.start();
  await at.advance(30_000);
  expect(rule.met).toBeGreaterThan(0);
  rule.remove();
  await at.quiet();
  expect(watched.seen).toEqual([]);
  expect(cacheLabels(at).length).toBeGreaterThan(0);
});
