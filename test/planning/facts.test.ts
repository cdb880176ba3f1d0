import { describe, expect, test, vi } from 'vitest';
import type { ClaimFact, Needs, ReferenceFact, Runtime, RuntimeInput } from '../../src/constructs/index.ts';
import { type FactSources, gatherFacts } from '../../src/planning/facts.ts';
import { exampleInput } from '../reconciler/worlds.ts';

const asking = (needs: (input: RuntimeInput<unknown>) => Needs): Runtime =>
  ({ needs: vi.fn(needs), resource: { kind: 'ThinRuntime' } }) as unknown as Runtime;
const secrets: Record<string, Record<string, string>> = { here: { k: 'dg==' } };
// The cast: its content is not read here.
const reference = { volume: {} } as ReferenceFact;
const claim: ClaimFact = { uid: 'c', volume: 'v', mountOptions: [] };
const sources = (more: Partial<FactSources> = {}): FactSources => ({
  port: () => 24000,
  secret: async ({ name, namespace, inline }) => {
    const data = secrets[namespace ? `${namespace}/${name}` : name];
    return data ? { data: inline ? data : {} } : { missing: true, retryMs: 700 };
  },
  claim: async () => claim,
  object: (_, name) => (name === 'there' ? { spec: {} } : undefined),
  keys: async () => ['a', 'b'],
  pods: (role) => [{ name: `${role}-0`, uid: `u-${role}`, ip: '10.0.0.1', node: 'n' }],
  reference: async () => reference,
  ...more,
});
const gather = (needs: (input: RuntimeInput<unknown>) => Needs, more: Partial<FactSources> = {}) =>
  gatherFacts(asking(needs), exampleInput(), sources(more));

describe('gathering facts', () => {
  test('asks nothing for a runtime without needs', async () => {
    const runtime = asking(() => ({}));
    expect(await gatherFacts(runtime, exampleInput(), sources())).toEqual({
      facts: { ports: {}, secrets: {}, claims: {}, objects: {}, configMaps: {}, pods: {} },
      missingSecrets: [],
    });
    expect(runtime.needs).toHaveBeenCalledTimes(1);
  });
  test('answers each kind of need', async () => {
    const needs: Needs = {
      ports: [{ name: 'p', range: [1, 2], in: 'worker', portName: 'p' }],
      claims: ['c'],
      secrets: [{ name: 'here', inline: true }],
      objects: [{ kind: 'Profile', name: 'there' }],
      configMaps: ['m'],
      pods: ['worker'],
      masters: true,
      reference: { namespace: 'ml', name: 'other' },
    };
    expect(await gather(() => needs, { fuse: { image: 'i', generation: 1 }, masters: 3 })).toMatchObject({
      facts: {
        ports: { p: 24000 },
        claims: { c: claim },
        reference,
        secrets: { here: { k: 'dg==' } },
        objects: { 'Profile/there': { spec: {} } },
        fuse: { image: 'i', generation: 1 },
        masters: 3,
      },
    });
    expect(await gather(() => ({}), { masters: 3 })).not.toHaveProperty('facts.masters');
  });
  test('asks the runtime again with each answer, until it has no new need', async () => {
    const secret = vi.fn(sources().secret);
    const needs = ({ facts }: RuntimeInput<unknown>): Needs => ({
      objects: [{ kind: 'Profile', name: 'there' }],
      ...(facts.objects['Profile/there'] ? { secrets: [{ name: 'here' }] } : {}),
    });
    expect(await gather(needs, { secret })).toMatchObject({ missingSecrets: [] });
    expect(secret).toHaveBeenCalledTimes(1);
  });
  test('ends with a runtime that has new needs each time', async () => {
    let n = 0;
    expect(await gather(() => ({ claims: [`c${n++}`] }))).toHaveProperty('facts');
    expect(n).toBeLessThan(10);
  });
  test('takes no contents of a Secret whose existence is enough', async () =>
    expect(await gather(() => ({ secrets: [{ name: 'here' }] }))).toMatchObject({ facts: { secrets: {} } }));
  test('names missing Secrets, and the time of the next try', async () =>
    expect(await gather(() => ({ secrets: [{ name: 'a' }, { name: 'here' }, { name: 'b' }] }))).toMatchObject({
      missingSecrets: [{ name: 'a' }, { name: 'b' }],
      secretRetryMs: 700,
    }));
  test('is held by a missing Secret whose contents are needed', async () =>
    expect(await gather(() => ({ secrets: [{ name: 's', namespace: 'other', inline: true }] }))).toEqual({
      reason: 'SecretNotFound',
      message: 'waiting for Secret other/s',
      afterMs: 700,
    }));
  test('counts a Secret as existing where the answer is that it is assumed', async () =>
    expect(await gather(() => ({ secrets: [{ name: 'a' }] }), { secret: async () => 'assumed' })).toMatchObject({ missingSecrets: [] }));
  test.each<[string, Needs, Partial<FactSources>]>([
    ['an object that does not exist', { objects: [{ kind: 'Profile', name: 'p' }] }, {}],
    ['a claim that is not bound', { claims: ['c'] }, { claim: async () => ({ reason: 'ClaimNotBound', message: 'no' }) }],
    [
      'a port range that is used up',
      { ports: [{ name: 'p', range: [1, 1], in: 'worker', portName: 'p' }] },
      { port: () => ({ reason: 'PortsExhausted', message: 'no' }) },
    ],
  ])('is held by %s', async (_, needs, more) =>
    expect(await gather(() => needs, more)).toMatchObject({ reason: /NotFound|NotBound|Exhausted/, message: expect.any(String) }),
  );
});
