/** Each sort of write of a take-over is refused in turn: what serves, serves on, a condition or an event says why, and the end is the same. */
import { expect, test } from 'vitest';
import { isRecord } from '../../../src/api/is-record.ts';
import { type ApiRequest, WRITES } from '../../../src/api-server/index.ts';
import { differencesIn } from '../../../src/planning/diff/compare.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { hasGoldens } from '../../upstream/cases.ts';
import { memoryExec } from '../../support/memory-exec.ts';
import type { Harness } from '../harness.ts';
import { scenes, statusOf, watch } from './scenes.ts';

const REFUSAL = 'the policy of this test refuses it';
const sortOf = ({ verb, kind, subresource }: ApiRequest) => [verb, kind, ...(subresource ? [subresource] : [])].join(' ');
const written = ({ server }: Harness) => server.requestsThat({ verb: WRITES, manager: 'sluice' });

/** A status cannot say that statuses are refused, and an event not that events are. The number of Datasets on a node is of no runtime: the log has it. */
const isUnsayable = (request: ApiRequest): boolean =>
  request.subresource === 'status' ||
  request.kind === 'Event' ||
  JSON.stringify(request.body).startsWith('{"metadata":{"labels":{"fluid.io/dataset-num"');

test.skipIf(!hasGoldens).each(Object.keys(scenes))(
  'a take-over of %s, of which the API server refuses any one sort of write for two minutes',
  async (scene) => {
    const engines = memoryExec();
    const { at: calm } = await scenes[scene]!(engines);
    await calm.quiet();
    const calmly = written(calm);
    const sorts = [...new Set(calmly.map(sortOf))];
    expect(sorts.length).toBeGreaterThan(3);
    const end = stateOf(calm);
    calm.kill();

    const wrong: string[] = [];
    for (const sort of sorts) {
      const { at } = await scenes[scene]!(engines);
      const watched = watch(at);
      const match = { verb: WRITES, manager: 'sluice', when: (request: ApiRequest) => sortOf(request) === sort };
      const rule = at.server.rules.refuse(match, { status: 403, reason: 'Forbidden', message: REFUSAL });
      at.start();
      await at.advance(120_000);
      if (rule.met === 0) wrong.push(`${sort}: was not sent`);
      if (!isSaid(at) && !calmly.filter((request) => sortOf(request) === sort).every(isUnsayable))
        wrong.push(`${sort}: no condition and no event has the refusal`);
      rule.remove();
      // The longest back-off.
      await at.advance(120_000);
      await at.quiet();
      wrong.push(...watched.seen.map((seen) => `${sort}: ${seen}`));
      const now = stateOf(at);
      for (const name of Object.keys({ ...end, ...now }))
        if (now[name] !== end[name]) wrong.push(`${sort}: ${name}: ${differences(end[name], now[name])}`);
      at.kill();
    }
    expect(wrong).toEqual([]);
  },
);

/** Whether a status or an event has the refusal. */
const isSaid = ({ server, events }: Harness): boolean =>
  [...server.all().map((object) => statusOf(object)?.conditions ?? []), events].some((texts) => JSON.stringify(texts).includes(REFUSAL));

/** Each object by name, without what differs from run to run. */
function stateOf({ server }: Harness): Readonly<Record<string, string>> {
  return Object.fromEntries(
    server
      .all()
      .filter(({ kind }) => kind !== 'Event' && kind !== 'Lease')
      .map((object) => [`${object.kind}/${object.metadata.name}`, textOf(object)]),
  );
}

/** Where two texts differ: readable, and short. */
function differences(expected: string | undefined, found: string | undefined): string {
  if (expected === undefined || found === undefined) return expected === undefined ? 'is new' : 'is missing';
  const paths = [
    ...differencesIn(JSON.parse(expected) as object, JSON.parse(found) as object),
    ...differencesIn(JSON.parse(found) as object, JSON.parse(expected) as object),
  ];
  return paths.map(({ path, desired, live }) => `${path} is ${JSON.stringify(live)}, expected ${JSON.stringify(desired)}`).join('; ');
}
const VOLATILE = /^(uid|resourceVersion|generation|observedGeneration|managedFields|ownerReferences|setupDuration|.*Time(stamp)?)$/;
type Conditions = readonly { readonly type: string; readonly status: string }[];
/** Conditions have no order, and one that is False may be absent. */
const settled = (conditions: Conditions) =>
  conditions.filter(({ type, status }) => status === 'True' || type === 'Synced').toSorted((a, b) => (a.type < b.type ? -1 : 1));
const UID = /[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}/g;
const textOf = (object: KubeObject): string =>
  JSON.stringify(object, (key, value: unknown) => {
    if (VOLATILE.test(key)) return undefined;
    if (key === 'conditions') return settled(value as Conditions);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }).replace(UID, 'uid');
