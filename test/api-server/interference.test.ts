import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { KubeObject, WatchEvent } from '../../src/kube/types.ts';
import { type ApiServer, createApiServer } from '../../src/api-server/index.ts';
import { kinds } from '../support/kinds.ts';
import { configMap, refusal } from './suite/objects.ts';

const { ConfigMap, Dataset } = kinds;
const namespace = 'default';
const at = { namespace, name: 'a' };
/** Comes after everything that can happen now. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let server: ApiServer;
let client: KubeClient;
beforeEach(() => {
  server = createApiServer();
  client = server.client({ fieldManager: 'me' });
});
const make = (name: string) => client.create(ConfigMap, configMap(namespace, name, { x: '1' }));

/** A watch, what it has said, and how it ended. */
function watch(resourceVersion: string, type = ConfigMap) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen: WatchEvent[] = [];
  const ended = (async () => {
    for await (const event of client.watch(type, { namespace, resourceVersion, timeoutSeconds: 60, signal: stop.signal })) seen.push(event);
    return 'ended';
  })().catch((error: unknown) => error);
  return { ended, names: () => seen.map(({ type: kind, object }) => `${kind} ${object.metadata.name ?? ''}`), seen };
}
const nowAt = async () => (await client.list(ConfigMap)).resourceVersion;

describe('watches', () => {
  test('that are held deliver no event until they are released, while lists are current', async () => {
    const { names } = watch(await nowAt());
    server.hold('ConfigMap');
    await make('a');
    await turn();
    expect(names()).toEqual([]);
    expect((await client.list(ConfigMap)).items).toHaveLength(1);
    server.release('ConfigMap');
    await turn();
    expect(names()).toEqual(['ADDED a']);
  });
  test('of other kinds go on meanwhile', async () => {
    const { names } = watch(await nowAt());
    server.hold('Secret');
    await make('a');
    await turn();
    expect(names()).toEqual(['ADDED a']);
  });
  test('that begin while their kind is held back are held back too', async () => {
    const from = await nowAt();
    server.hold('ConfigMap');
    await make('a');
    const { names } = watch(from);
    await turn();
    expect(names()).toEqual([]);
  });
  test('end when the server says so, or with an ERROR event', async () => {
    const [plain, gone] = [watch(await nowAt()), watch(await nowAt())];
    await turn();
    server.endWatches('ConfigMap', { code: 410, reason: 'Expired', message: 'too old' });
    expect(await gone.ended).toMatchObject({ status: 410, reason: 'Expired' });
    expect(await plain.ended).toMatchObject({ status: 410 });
    const another = watch(await nowAt());
    await turn();
    server.endWatches('ConfigMap');
    expect(await another.ended).toBe('ended');
  });
  test('get a bookmark', async () => {
    const { seen } = watch(await nowAt());
    await turn();
    server.bookmark('ConfigMap');
    await turn();
    expect(seen).toMatchObject([{ type: 'BOOKMARK', object: { metadata: { resourceVersion: await nowAt() } } }]);
  });
  test('and lists that go on from what was compacted away get 410', async () => {
    const from = await nowAt();
    await make('a');
    await make('b');
    const { continue: token } = await client.list(ConfigMap, { limit: 1 });
    await make('c');
    server.compact();
    expect(await watch(from).ended).toMatchObject({ status: 410, reason: 'Expired' });
    expect(await refusal(client.list(ConfigMap, { limit: 1, continue: token }))).toMatchObject({ status: 410, reason: 'Expired' });
  });
});

describe('rules', () => {
  test('refuse what they match, as often as they say', async () => {
    const rule = server.rules.refuse(
      { verb: 'create', kind: 'ConfigMap', times: 1 },
      { status: 403, reason: 'Forbidden', message: 'not here' },
    );
    expect(await refusal(make('a'))).toMatchObject({
      status: 403,
      reason: 'Forbidden',
      message: expect.stringContaining('not here') as string,
    });
    await make('a');
    expect(rule.met).toBe(1);
    expect(server.requestsThat({ verb: 'create' }).map(({ status }) => status)).toEqual([403, 201]);
  });
  test.each([
    [{ name: 'b' }],
    [{ namespace: 'other' }],
    [{ manager: 'other' }],
    [{ subresource: 'status' }],
    [{ kind: ['Secret'] }],
    [{ when: () => false }],
  ])('leave alone what they do not match: %j', async (match) => {
    server.rules.refuse(match);
    await make('a');
  });
  test('change objects on their way in, and the changes have no owner', async () => {
    server.rules.mutate({ kind: 'ConfigMap' }, (object) => ({ ...object, data: { ...(object['data'] as object), injected: 'yes' } }));
    const made = await make('a');
    expect(made['data']).toEqual({ x: '1', injected: 'yes' });
    expect(JSON.stringify(made.metadata.managedFields)).not.toContain('injected');
    const applied = await client.apply(ConfigMap, configMap(namespace, 'a', { x: '1' }));
    expect(applied['data']).toEqual({ x: '1', injected: 'yes' });
  });
  test('hold requests, or answers to them', async () => {
    const requests = server.rules.hold({ verb: 'create' });
    const made = make('a');
    await turn();
    expect([requests.waiting, server.get('ConfigMap', namespace, 'a')]).toEqual([1, undefined]);
    requests.release();
    await made;
    const answers = server.rules.holdAnswers({ verb: 'delete' });
    const deleted = client.delete(ConfigMap, at);
    await turn();
    expect([answers.waiting, server.get('ConfigMap', namespace, 'a')]).toEqual([1, undefined]);
    answers.release();
    await deleted;
  });
  test('do not bind what is done by hand', () => {
    server.rules.refuse({});
    server.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    expect(server.get('ConfigMap', namespace, 'a')).toBeDefined();
  });
});

describe('a client', () => {
  test('changes nothing that is stored by changing what it was given', async () => {
    const made = (await make('a')) as KubeObject & { data: Record<string, string> };
    made.data['x'] = 'changed';
    expect(server.get('ConfigMap', namespace, 'a')).toMatchObject({ data: { x: '1' } });
  });
  test('sends no write past its deadline', async () => {
    const late = server.client({ deadline: () => 0 });
    await expect(late.create(ConfigMap, configMap(namespace, 'a'))).rejects.toMatchObject({ name: 'NotLeader' });
    await late.list(ConfigMap);
  });
  test('meets a kind as soon as it is installed, and no longer once it is gone', async () => {
    expect(await refusal(client.list(Dataset))).toMatchObject({ status: 404 });
    server.install(Dataset);
    expect((await client.list(Dataset)).items).toEqual([]);
    const { ended } = watch(await nowAt(), Dataset);
    await turn();
    server.uninstall('Dataset');
    expect(await ended).toBe('ended');
    expect(await refusal(client.list(Dataset))).toMatchObject({ status: 404 });
  });
});
