/** Refuses each sort of write of the controller in turn, and compares what was said, and how it ended, with a run in which all were allowed. */
import { isRecord } from '../../src/api/is-record.ts';
import { type ApiRequest, WRITES } from '../../src/api-server/index.ts';
import { differencesIn } from '../../src/planning/diff/compare.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type MemoryExec, memoryExec } from '../support/memory-exec.ts';
import type { Harness } from '../reconciler/harness.ts';

/** A state of the cluster, and what happens then. */
export interface Story {
  /** The engines remember their mounts. */
  readonly before: (engines: MemoryExec) => Promise<Harness>;
  readonly act: (at: Harness) => void;
  /** Begins to watch for states that nobody may see; returns those that were seen. */
  readonly watch?: (at: Harness) => () => readonly string[];
}

const REFUSAL = 'the policy of this test refuses it';
const sortOf = ({ verb, kind, subresource }: ApiRequest) => [verb, kind, ...(subresource ? [subresource] : [])].join(' ');
const written = ({ server }: Harness) => server.requestsThat({ verb: WRITES, manager: 'sluice' });

/** A status cannot say that statuses are refused, and an event not that events are. The number of Datasets on a node is of no runtime: the log has it. */
const isUnsayable = (request: ApiRequest): boolean =>
  request.subresource === 'status' ||
  request.kind === 'Event' ||
  JSON.stringify(request.body).startsWith('{"metadata":{"labels":{"fluid.io/dataset-num"');

/** All that is wrong when each sort of write that follows is refused for two minutes; and the sorts. */
export async function refusedInTurn({
  before,
  act,
  watch,
}: Story): Promise<{ readonly sorts: readonly string[]; readonly wrong: readonly string[] }> {
  const engines = memoryExec();
  const calm = await before(engines);
  calm.forget();
  act(calm);
  await calm.quiet();
  const calmly = written(calm);
  const sorts = [...new Set(calmly.map(sortOf))];
  const end = stateOf(calm);
  calm.kill();

  const wrong: string[] = [];
  for (const sort of sorts) {
    const at = await before(engines);
    const seen = watch?.(at);
    const match = { verb: WRITES, manager: 'sluice', when: (request: ApiRequest) => sortOf(request) === sort };
    const rule = at.server.rules.refuse(match, { status: 403, reason: 'Forbidden', message: REFUSAL });
    act(at);
    at.start();
    await at.advance(120_000);
    if (rule.met === 0) wrong.push(`${sort}: was not sent`);
    if (!isSaid(at) && !calmly.filter((request) => sortOf(request) === sort).every(isUnsayable))
      wrong.push(`${sort}: no condition and no event has the refusal`);
    rule.remove();
    // The longest back-off.
    await at.advance(120_000);
    await at.quiet();
    wrong.push(...(seen?.() ?? []).map((state) => `${sort}: ${state}`));
    const now = stateOf(at);
    for (const name of Object.keys({ ...end, ...now }))
      if (now[name] !== end[name]) wrong.push(`${sort}: ${name}: ${differences(end[name], now[name])}`);
    at.kill();
  }
  return { sorts, wrong };
}

/** Whether a status or an event has the refusal. */
const isSaid = ({ server, events }: Harness): boolean =>
  [...server.all().map((object) => (object['status'] as { readonly conditions?: Conditions } | undefined)?.conditions ?? []), events].some(
    (texts) => JSON.stringify(texts).includes(REFUSAL),
  );

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
const VOLATILE =
  /^(uid|resourceVersion|generation|observedGeneration|managedFields|ownerReferences|setupDuration|.*[/]manifest-hash|.*[/]f-update-fuse-config|.*Time(stamp)?)$/;
type Conditions = readonly { readonly type: string; readonly status: string }[];
/** Conditions have no order, and one that is False may be absent. */
const settled = (conditions: Conditions) =>
  conditions.filter(({ type, status }) => status === 'True' || type === 'Synced').toSorted((a, b) => (a.type < b.type ? -1 : 1));
/** UIDs and addresses come in the order in which objects were created. */
const ORDERED = /[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}|10[.]0[.]\d+[.]\d+/g;
const textOf = (object: KubeObject): string =>
  JSON.stringify(object, (key, value: unknown) => {
    if (VOLATILE.test(key)) return undefined;
    if (key === 'conditions') return settled(value as Conditions);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }).replace(ORDERED, '<ordered>');
