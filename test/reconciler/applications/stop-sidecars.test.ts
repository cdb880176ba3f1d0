import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Occurrence } from '../../../src/kube/events/events.ts';
import { silent } from '../../../src/kube/types.ts';
import { Pod } from '../../../src/planning/kinds.ts';
import { stopSidecars } from '../../../src/reconciler/kubernetes/applications/applications.ts';
import { createApiServer, type ApiServer } from '../../../src/api-server/index.ts';
import { podOf, type PodOptions, preStop } from './pods.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const realImmediate = setImmediate;
const settle = async () => {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => realImmediate(resolve));
};
const advance = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
};

/** @param answer what the command does; it may reject */
async function control(
  answer: (container: string, argv: readonly string[], at: ApiServer) => unknown = () => '',
  prepare?: (server: ApiServer) => void,
) {
  const server = createApiServer({ namespaces: ['ml', 'other'] });
  prepare?.(server);
  const calls: string[] = [];
  const events: Occurrence[] = [];
  const results: string[] = [];
  const lease = new AbortController();
  const stopper = stopSidecars({
    client: server.client({ fieldManager: 'sluice' }),
    exec: async ({ pod, container }, argv) => {
      lease.signal.throwIfAborted();
      calls.push(`${pod}/${container}: ${argv.join(' ')}`);
      return String(await answer(container, argv, server));
    },
    settings: { exceptLabel: 'acme.com/keep' },
    events: { emit: (event) => void events.push(event) },
    log: silent,
    signal: lease.signal,
    onStop: (result) => void results.push(result),
  });
  onTestFinished(() => {
    // A wait between a command and its check would last as long as the clock stands still.
    lease.abort();
    return stopper.stop();
  });
  await settle();
  return { server, calls, events, results, lease, stopper, put: async (options?: PodOptions) => (server.put(podOf(options)), settle()) };
}

/** A command that hangs: it ends with the test. */
function hanging(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  onTestFinished(() => resolve(''));
  return promise;
}

const RUNS = { states: { 'fluid-fuse-0': 'running', main: 'running' } } as const;
const UNMOUNT = 'job-x/fluid-fuse-0: sh -c umount "/a b"; rmdir /c';
const ended: PodOptions = { phase: 'Succeeded', states: { 'fluid-fuse-0': 0, main: 0 } };

describe('the sidecars of a Job', () => {
  test('are stopped once, when its container has ended', async () => {
    const at = await control((_, __, server) => void server.put(podOf(ended)));
    await at.put(RUNS);
    expect(at.calls).toEqual([]);
    await at.put();
    await advance(600_000);
    expect([at.calls, at.results, at.events]).toEqual([[UNMOUNT], ['stopped'], []]);
  });
  test('get a signal if they run on after the unmount', async () => {
    const at = await control();
    await at.put();
    expect(at.calls).toEqual([UNMOUNT]);
    await advance(4_000);
    expect(at.calls).toHaveLength(1);
    await advance(2_000);
    expect(at.calls).toEqual([UNMOUNT, 'job-x/fluid-fuse-0: sh -c kill -TERM 1']);
    await at.put(ended);
    await advance(600_000);
    expect([at.calls.length, at.results]).toEqual([2, ['stopped']]);
  });
  test('are stopped though one of them fails, which is retried with back-off and reported', async () => {
    const at = await control((container) => {
      if (container === 'fluid-fuse-1') throw new Error('umount in ml/job-x ended with exit code 32: target is busy');
    });
    const fields = { 'fluid-fuse-0': preStop('first'), 'fluid-fuse-1': preStop('second') };
    await at.put({ states: { 'fluid-fuse-1': 'running', 'fluid-fuse-0': 'running', main: 0 }, fields });
    expect(at.calls.toSorted()).toEqual(['job-x/fluid-fuse-0: first', 'job-x/fluid-fuse-1: second']);
    await at.put({ states: { 'fluid-fuse-1': 'running', 'fluid-fuse-0': 0, main: 0 }, fields });
    await advance(3_000);
    expect(at.calls.filter((call) => call.endsWith('second')).length).toBeGreaterThan(1);
    await advance(3_600_000);
    // Every five minutes at the least often.
    expect(at.calls.length).toBeGreaterThan(12);
    expect(at.calls.length).toBeLessThan(50);
    expect(at.events[0]).toMatchObject({
      regarding: { kind: 'Pod', namespace: 'ml', name: 'job-x' },
      type: 'Warning',
      reason: 'SidecarNotStopped',
      note: expect.stringContaining('fluid-fuse-1 still runs: umount in ml/job-x ended with exit code 32: target is busy'),
    });
    expect(at.results.filter((result) => result === 'stopped')).toHaveLength(1);
  });
  test.each(['umount: /a: not mounted.', 'sh in ml/job-x ended with exit code 137', 'container not found ("fluid-fuse-0")'])(
    'are not reported when a command says: %s',
    async (said) => {
      const at = await control(() => {
        throw new Error(said);
      });
      await at.put();
      expect([at.calls.length, at.events]).toEqual([1, []]);
    },
  );
  test('are not reported when the container ended under the command', async () => {
    const at = await control((_, __, server) => {
      server.put(podOf(ended));
      throw new Error('the connection was closed before it ended');
    });
    await at.put();
    await advance(10_000);
    expect([at.events, at.results]).toEqual([[], ['stopped']]);
  });
  test('are reported when the kubelet starts them again', async () => {
    const at = await control();
    const restarted = podOf({ restartPolicy: 'OnFailure' });
    server(restarted, 'containerd://fluid-fuse-0-2');
    await at.put({ restartPolicy: 'OnFailure' });
    at.server.put(restarted);
    await settle();
    expect(at.events.map(({ note }) => note)).toEqual([
      expect.stringContaining('it ended with exit code 143, and the kubelet started it again'),
    ]);
    await advance(6_000);
    expect(at.calls).toEqual([UNMOUNT, UNMOUNT]);

    function server(pod: ReturnType<typeof podOf>, containerID: string) {
      const [client] = (pod['status'] as { containerStatuses: object[] }).containerStatuses;
      Object.assign(client ?? {}, { containerID, lastState: { terminated: { exitCode: 143 } } });
    }
  });
  test('are left alone when another pod of that name has begun, though the watch does not show it yet', async () => {
    const at = await control();
    await at.put();
    at.server.hold('Pod');
    at.server.delete('Pod', 'ml', 'job-x');
    await at.put();
    await advance(60_000);
    expect(at.calls).toEqual([UNMOUNT]);
    at.server.release('Pod');
    await settle();
    expect(at.calls).toEqual([UNMOUNT, UNMOUNT]);
  });
  test('of another pod of that name begin anew, without what was done and said about the first', async () => {
    const first = Promise.withResolvers<string>();
    let runs = 0;
    const at = await control(() => (runs++ === 0 ? first.promise : ''));
    await at.put();
    at.server.remove('Pod', 'ml', 'job-x');
    const second = podOf();
    const [client] = (second['status'] as { containerStatuses: object[] }).containerStatuses;
    Object.assign(client ?? {}, { containerID: 'containerd://second' });
    at.server.put(second);
    await settle();
    first.resolve('');
    await settle();
    // At once, and with an unmount first.
    expect([at.calls, at.events, at.results]).toEqual([[UNMOUNT, UNMOUNT], [], []]);
  });
  test('are counted as stopped when their pod is over, though nothing is reported of its containers', async () => {
    const at = await control();
    await at.put();
    at.server.put({ ...podOf(), status: { phase: 'Failed', reason: 'Evicted' } });
    await settle();
    expect([at.calls, at.results]).toEqual([[UNMOUNT], ['stopped']]);
  });
  test.each<[string, (server: ApiServer) => unknown]>([
    ['whose pod was deleted', (server) => server.remove('Pod', 'ml', 'job-x')],
    ['whose pod is being deleted', (server) => server.put(podOf({ deletionTimestamp: '2026-01-01T00:00:00Z' }))],
    ['whose pod was exempted', (server) => server.put(podOf({ labels: { 'acme.com/keep': '' } }))],
  ])('%s are not counted as stopped', async (_, change) => {
    const at = await control();
    await at.put();
    change(at.server);
    await settle();
    await advance(60_000);
    expect([at.calls, at.results]).toEqual([[UNMOUNT], []]);
  });
  test('that no signal can reach are reported with that reason, and no other', async () => {
    const at = await control((_, argv) => {
      if (argv.includes('kill -TERM 1') || argv.includes('kill -TERM -1')) throw new Error('exec: "sh": executable file not found');
    });
    await at.put();
    await advance(600_000);
    expect(at.events.length).toBeGreaterThan(2);
    for (const { note } of at.events) expect(note).toContain('executable file not found');
  });
  test.each(['hostPID', 'shareProcessNamespace'])(
    'get no signal in a pod with %s, where it would reach others; that is reported',
    async (field) => {
      const at = await control();
      await at.put({ spec: { [field]: true }, states: { 'fluid-fuse-0': 'running', 'fluid-fuse-1': 'running', main: 0 } });
      await advance(60_000);
      expect(new Set(at.calls)).toEqual(new Set([UNMOUNT]));
      const notes = at.events.map(({ note }) => note).join('\n');
      for (const container of ['fluid-fuse-0', 'fluid-fuse-1'])
        expect(notes).toContain(`${container} still runs: its pod shares a process namespace`);
    },
  );
  test('are stopped at once though two hundred pods of their namespace have sidecars whose commands hang', async () => {
    const at = await control((_, argv) => (argv.includes('healthy') ? '' : hanging()));
    for (let i = 0; i < 200; i++) at.server.put(podOf({ name: `hung-${i}` }));
    await settle();
    await at.put({ fields: { 'fluid-fuse-0': preStop('healthy') } });
    for (let second = 0; second < 60; second++) await advance(1_000);
    expect(at.calls).toContain('job-x/fluid-fuse-0: healthy');
    // One command each, of those that have not ended.
    expect(at.calls.filter((call) => call.startsWith('hung-'))).toHaveLength(200);
  });
  test('get their next command when one that took long has ended', async () => {
    const first = Promise.withResolvers<string>();
    let runs = 0;
    const at = await control(() => (runs++ === 0 ? first.promise : ''));
    await at.put();
    await advance(20_000);
    expect(at.calls).toEqual([UNMOUNT]);
    first.resolve('');
    await advance(6_000);
    expect(at.calls).toEqual([UNMOUNT, 'job-x/fluid-fuse-0: sh -c kill -TERM 1']);
    await at.put(ended);
    expect(at.results).toEqual(['stopped']);
  });
  test('get their next command though one that took long ended while the end of another sidecar was read', async () => {
    const first = Promise.withResolvers<string>();
    let runs = 0;
    const at = await control((container) => (container === 'fluid-fuse-0' && runs++ === 0 ? first.promise : ''));
    const fields = { 'fluid-fuse-0': preStop('first'), 'fluid-fuse-1': preStop('second') };
    await at.put({ states: { 'fluid-fuse-1': 'running', 'fluid-fuse-0': 'running', main: 0 }, fields });
    await advance(3_000);
    const reads = at.server.rules.hold({ kind: 'Pod', verb: 'get' });
    await at.put({ states: { 'fluid-fuse-1': 0, 'fluid-fuse-0': 'running', main: 0 }, fields });
    first.resolve('');
    await settle();
    reads.release();
    await advance(6_000);
    expect(at.results).toEqual(['stopped']);
    expect(at.calls.slice(2)).toEqual(['job-x/fluid-fuse-0: sh -c kill -TERM 1']);
  });
  test('count as stopped when they end under a command that hangs', async () => {
    const at = await control(hanging);
    await at.put();
    await advance(5_000);
    await at.put(ended);
    await advance(5_000);
    expect([at.calls, at.results, at.events]).toEqual([[UNMOUNT], ['stopped'], []]);
  });
  test('get no command after the lease has ended', async () => {
    const at = await control();
    at.lease.abort(new Error('no longer the leader'));
    await at.put();
    await at.stopper.stop();
    await advance(60_000);
    expect([at.calls, at.events]).toEqual([[], []]);
  });
  test('are stopped by a controller that starts when the container has ended already', async () => {
    const at = await control(
      () => '',
      (server) => void server.put(podOf()),
    );
    expect(at.calls).toEqual([UNMOUNT]);
  });
});

describe('a prefetcher', () => {
  const states = { 'fluid-fuse-0': 'running', 'fluid-file-prefetcher': 'running', main: 0 } as const;
  const SIGNAL = 'job-x/fluid-file-prefetcher: sh -c kill -TERM 1';
  test('ends first, since it reads the mount that has to go', async () => {
    const at = await control((container, _, server) => {
      if (container === 'fluid-file-prefetcher') server.put(podOf({ states: { ...states, 'fluid-file-prefetcher': 0 } }));
    });
    await at.put({ states });
    expect(at.calls).toEqual([SIGNAL, UNMOUNT]);
  });
  test('that does not end delays the unmount by seconds only, and is reported', async () => {
    const at = await control();
    await at.put({ states });
    expect(at.calls).toEqual([SIGNAL]);
    await advance(6_000);
    expect(at.calls).toContain(UNMOUNT);
    await advance(20_000);
    expect(at.calls).toContain('job-x/fluid-file-prefetcher: sh -c kill -TERM -1');
    expect(at.events.map(({ note }) => note).join()).toContain('fluid-file-prefetcher still runs: its processes do not end on SIGTERM');
  });
});

test('the watch asks for running pods with sidecars only', async () => {
  const at = await control();
  await at.put();
  const lists = at.server.requestsThat({ kind: Pod.kind }).filter(({ verb }) => verb === 'list' || verb === 'watch');
  expect(lists.length).toBeGreaterThan(0);
  for (const request of lists) expect(JSON.stringify(request)).toContain('done.sidecar.fluid.io/inject=true');
});
