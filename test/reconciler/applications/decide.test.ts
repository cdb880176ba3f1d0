import { describe, expect, test } from 'vitest';
import { begun, type StopCommand, decide, ended, nextDueAt, type Progress } from '../../../src/reconciler/applications/decide.ts';
import type { Sidecar } from '../../../src/reconciler/applications/sidecars-to-stop.ts';

const NOW = 100_000;
const UNMOUNT = ['umount', '/a'];
const client = (fields: Partial<Sidecar> = {}): Sidecar => ({
  container: 'client',
  isRunning: true,
  id: 'one',
  hasOwnProcesses: true,
  unmount: UNMOUNT,
  ...fields,
});
const prefetcher: Sidecar = { container: 'fluid-file-prefetcher', isRunning: true, id: 'one', hasOwnProcesses: true };
const done = (fields: Partial<Progress> = {}): Progress => ({
  id: 'one',
  tries: 1,
  signals: 0,
  isUnmounted: false,
  isSignalled: false,
  dueAt: NOW,
  ...fields,
});
const of = (progress?: Progress, container = 'client') => new Map(progress ? [[container, progress]] : []);
/** `<container>: <step>`, with the complaint in brackets. */
const shown = ({ sidecar: { container }, step, complaint }: StopCommand) =>
  `${container}: ${step}${complaint === undefined ? '' : ` (${complaint})`}`;

const SHARED = 'its pod shares a process namespace, in which a signal would reach other processes';

describe('the commands that are due', () => {
  test.each<[string, readonly Sidecar[], ReadonlyMap<string, Progress>, readonly string[]]>([
    ['nothing done yet: an unmount', [client()], of(), ['client: unmount']],
    ['it waits for its restart', [client({ isRunning: false })], of(), []],
    ['a command has not ended', [client()], of(done({ dueAt: Infinity })), []],
    ['its time has not come', [client()], of(done({ dueAt: NOW + 1 })), []],
    ['a third unmount after two that failed', [client()], of(done({ tries: 2 })), ['client: unmount']],
    ['a signal after three', [client()], of(done({ tries: 3 })), ['client: signal']],
    ['an unmount again after the signal', [client()], of(done({ tries: 4, signals: 1 })), ['client: unmount']],
    ['a signal after an unmount that succeeded', [client()], of(done({ isUnmounted: true })), ['client: signal']],
    ['a signal to all after one to process 1', [client()], of(done({ isUnmounted: true, signals: 1 })), ['client: signal-all']],
    [
      'both signals had no effect',
      [client()],
      of(done({ isUnmounted: true, signals: 2, isSignalled: true })),
      ['client: signal (its processes do not end on SIGTERM)'],
    ],
    ['neither signal could be sent, which was reported', [client()], of(done({ isUnmounted: true, signals: 2 })), ['client: signal']],
    ['no signal in a shared process namespace', [client({ hasOwnProcesses: false })], of(done({ tries: 3 })), ['client: unmount']],
    ['nor after the unmount', [client({ hasOwnProcesses: false })], of(done({ isUnmounted: true })), [`client: unmount (${SHARED})`]],
    ['nothing to do', [{ ...prefetcher, container: 'client', hasOwnProcesses: false }], of(), [`client: none (${SHARED})`]],
    ['a prefetcher is stopped first', [prefetcher, client()], of(), ['fluid-file-prefetcher: signal']],
    ['the client waits until it has had its time', [prefetcher, client()], of(done({ dueAt: NOW + 1 }), 'fluid-file-prefetcher'), []],
    ['though once only', [prefetcher, client()], of(done({ tries: 2, dueAt: NOW + 1 }), 'fluid-file-prefetcher'), ['client: unmount']],
  ])('%s', (_, sidecars, known, expected) => {
    expect(decide(sidecars, known, NOW).begin.map(shown)).toEqual(expected);
  });
});

test('a container that was restarted begins anew, with a complaint', () => {
  const { progress, complain, begin } = decide(
    [client({ id: 'two', lastExitCode: 143 })],
    of(done({ isUnmounted: true, signals: 1 })),
    NOW,
  );
  expect(complain).toEqual([{ container: 'client', why: 'it ended with exit code 143, and the kubelet started it again' }]);
  expect([...progress]).toEqual([['client', done({ id: 'two', signals: 1 })]]);
  expect(begin.map(shown)).toEqual(['client: unmount']);
});

test('nothing is kept of a container that is gone', () => {
  expect(decide([], of(done()), NOW)).toEqual({ progress: new Map(), complain: [], begin: [] });
});

describe('a command that ends', () => {
  const random = () => 1;
  const unmount: StopCommand = { sidecar: client(), step: 'unmount', argv: UNMOUNT };
  const running = begun(of(), unmount);
  test('is the only one of its container until then', () => {
    expect(decide([client()], running, NOW).begin).toEqual([]);
    expect(nextDueAt([client()], running)).toBeUndefined();
  });
  test.each<[string, boolean, Partial<Progress>]>([
    ['with effect leaves the client time to end', true, { isUnmounted: true, dueAt: NOW + 5_000 }],
    ['without effect is retried', false, { dueAt: NOW + 1_000 }],
  ])('%s', (_, ok, expected) => {
    const progress = ended(running, unmount, { ok, now: NOW, random });
    expect(progress.get('client')).toEqual(done(expected));
    expect(nextDueAt([client()], progress)).toBe(expected.dueAt);
  });
  test('under a restart of its container counts as tried only', () => {
    const { progress } = decide([client({ id: 'two' })], running, NOW);
    expect(ended(progress, unmount, { ok: true, now: NOW, random }).get('client')).toEqual(done({ id: 'two', dueAt: NOW + 5_000 }));
  });
  test('after its container is gone changes nothing', () => {
    expect(ended(of(), unmount, { ok: true, now: NOW, random })).toEqual(of());
  });
});
