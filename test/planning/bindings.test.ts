import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import juicefs from '../../runtimes/juicefs/index.ts';
import { InvalidSpec } from '../../src/api/index.ts';
import { PARTS, type Runtime, type RuntimeInput, type Observation } from '../../src/constructs/index.ts';
import { createBindings } from '../../src/planning/bindings.ts';
import { canRun } from '../../src/reconciler/kubernetes/commands/exec.ts';
import { differences } from '../../src/planning/diff/mount-change.ts';
import { planInput } from '../../src/testing/given.ts';
import example from '../support/example-runtime/index.ts';
import pair from '../support/pair-runtime/index.ts';

/** Counts how often a plan was computed. */
function scene(runtime: Runtime, spec: object = { replicas: 2 }) {
  let count = 0;
  const counted: Runtime = {
    ...runtime,
    bind(input) {
      count++;
      return runtime.bind(input);
    },
  };
  const given = planInput({
    spec,
    mounts: [{ mountPoint: 'juicefs:///', name: 'data', options: { metaurl: 'redis://r:6379/1' } }],
  });
  const { settings, ...input } = { ...given, facts: { ...given.facts, ports: { master: 24001, worker: 24002, fuse: 24003 } } };
  const bindings = createBindings(settings);
  const whole = runtime.bind({ ...input, settings });
  /** As a pass does that finds all as it should be. */
  function pass(changes: Partial<RuntimeInput<unknown>> = {}, seen: Observation<unknown> = { readyWorkers: 2 }) {
    const binding = bindings.bind(counted, { ...input, facts: structuredClone(input.facts), ...changes });
    const desiredObjects = PARTS.flatMap((part) => binding.desiredObjects(part).map(({ kind, name, hash }) => `${kind}/${name} ${hash}`));
    const states = binding.plan.status(seen);
    bindings.settled(input.uid);
    return { ...binding, desiredObjects, desiredOf: binding.desiredObjects, states };
  }
  return { pass, whole, bindings, counted, count: () => count };
}

test.each([juicefs, example])('$type: a plan is computed once for the same input', (runtime) => {
  const { pass, whole, count } = scene(runtime);
  const first = pass();
  expect(count()).toBe(1);
  const second = pass();
  expect(count()).toBe(1);
  expect(second.desiredObjects).toEqual(first.desiredObjects);
  expect(second.plan.base).toBe(first.plan.base);
  expect(whole.plan).toMatchObject(second.plan.base);
  expect([second.plan.roles, second.states]).toEqual([whole.roles, whole.status({ readyWorkers: 2 })]);
});

test.each([juicefs, example])('$type: what is not in the digest is computed when it is needed', (runtime) => {
  const { pass, whole, count } = scene(runtime);
  pass();
  const { plan } = pass();
  expect(PARTS.map((part) => plan.synth(part))).toEqual(PARTS.map((part) => whole.synth(part)));
  expect(plan.probes.cache?.commands).toEqual(whole.probes.cache?.commands);
  expect(plan.probes.ufs?.commands).toEqual(whole.probes.ufs?.commands);
  expect(plan.cleanup?.commands('uuid')).toEqual(whole.cleanup?.commands('uuid'));
  expect(plan.mounts?.wanted).toEqual(whole.mounts?.wanted);
  const seen = { readyWorkers: 1, cache: { cachedBytes: 2 ** 20 } };
  expect(plan.status(seen)).toEqual(whole.status(seen));
  expect(count()).toBe(2);
});

test('answers of probes are reported without the whole plan, until they change', () => {
  const { pass, whole, count } = scene(juicefs);
  const seen = { readyWorkers: 2, cache: { cachedBytes: 2 ** 20 }, ufs: { totalBytes: 2 ** 30 } };
  for (let i = 0; i < 3; i++) expect(pass({}, { ...seen }).states).toEqual(whole.status(seen));
  expect(pass({}, seen).plan.probes.cache?.where).toEqual(whole.probes.cache?.commands.map(({ in: role, on }) => ({ in: role, on })));
  expect(count()).toBe(1);
  const more = { ...seen, cache: { cachedBytes: 2 ** 21 } };
  expect(pass({}, more).states).toEqual(whole.status(more));
  expect(count()).toBe(2);
});

test('a size in the status is read from it each time, and reported without the whole plan', () => {
  const { pass, whole, count } = scene(juicefs);
  const seen = () => ({ readyWorkers: 2, ufs: { totalBytes: 3000 } });
  for (let i = 0; i < 3; i++) expect(pass({}, seen()).states).toEqual(whole.status(seen()));
  expect(count()).toBe(1);
});

test('a list of mounts that is as it should be is compared once', () => {
  const { pass, whole, count } = scene(example);
  const mounted = structuredClone(whole.mounts?.wanted ?? []);
  for (let i = 0; i < 3; i++) expect(differences(pass().plan.mounts!, mounted)).toEqual({ unmount: [], mount: [] });
  expect(pass().plan.mounts?.list.where).toEqual([{ in: 'master', on: 'first' }]);
  expect(count()).toBe(1);
  const other = [{ path: '/other' }];
  for (let i = 0; i < 2; i++) expect(differences(pass().plan.mounts!, other)).toEqual({ unmount: ['/other'], mount: whole.mounts?.wanted });
  expect(count()).toBe(3);
});

test('which pods to ask for the leader is known without the whole plan', () => {
  const { pass, whole, count } = scene(pair, { shards: 2 });
  pass();
  const { leader } = pass().plan;
  expect(canRun({ namespace: 'ml', pods: () => [], leader }, [{ in: 'master', on: 'leader' }])).toBe(false);
  expect(count()).toBe(1);
  expect(leader?.commands).toEqual(whole.leader?.commands);
});

test.each(['spec', 'facts', 'dataset'] as const)('another %s leads to another plan', (field) => {
  const { pass, count } = scene(juicefs);
  const before = pass();
  const { spec, facts, dataset } = before.input;
  const changes = {
    spec: { spec: { ...(spec as object), replicas: 3 } },
    facts: { facts: { ...facts, fuse: { image: 'older', generation: 7 } } },
    dataset: { dataset: { ...dataset, identity: { ...dataset.identity, collides: true } } },
  };
  const after = pass(changes[field]);
  expect(count()).toBe(2);
  expect(after.desiredObjects).not.toEqual(before.desiredObjects);
});

test('changes of the number of workers are reported without the whole plan', () => {
  const { pass, whole, count } = scene(juicefs);
  pass();
  const { plan } = pass();
  expect(plan.status({ readyWorkers: 0 })).toEqual(whole.status({ readyWorkers: 0 }));
  expect(plan.status({ readyWorkers: 2 })).toEqual(whole.status({ readyWorkers: 2 }));
  expect(count()).toBe(2);
});

test('a question that waits for its turn keeps no whole plan in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { pass, count } = scene(example);
  const { plan } = pass();
  expect(count()).toBe(1);
  await setImmediate();
  collect();
  expect(plan.probes.cache?.commands).toHaveLength(1);
  expect(count()).toBe(2);
});

test('an invalid spec throws each time, and the plan before it is still known', () => {
  const { pass, count } = scene(juicefs);
  const before = pass();
  const { dataset } = before.input;
  // The cast: no schema lets it pass.
  const broken = { dataset: { ...dataset, spec: { ...dataset.spec, accessModes: ['Nonsense' as 'ReadOnlyMany'] } } };
  expect(() => pass(broken)).toThrow(InvalidSpec);
  expect(() => pass(broken)).toThrow(InvalidSpec);
  expect(pass().desiredObjects).toEqual(before.desiredObjects);
  expect(count()).toBe(3);
});

test('of an object that a plan had before it is known that it existed, and of no other', () => {
  const { pass } = scene(example);
  for (const { finding } of pass().desiredOf('worker')) finding.found = {};
  const known = (changes: object) =>
    pass(changes)
      .desiredOf('worker')
      .map(({ finding }) => finding.made === true);
  expect(known({ spec: { replicas: 3 } })).not.toContain(false);
  // Nothing was found out of the plan between the two.
  expect(known({ spec: { replicas: 4 } })).not.toContain(false);
  expect(
    pass({ spec: { replicas: 5 } })
      .desiredOf('fuse')
      .map(({ finding }) => finding.made === true),
  ).not.toContain(true);
});
