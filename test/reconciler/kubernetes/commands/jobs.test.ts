import { systemClock } from '../../../../src/kube/clock.ts';
import { expect, test } from 'vitest';
import type { Command } from '../../../../src/constructs/index.ts';
import { type KubeObject, silent } from '../../../../src/kube/types.ts';
import type { PodExec } from '../../../../src/kube/exec.ts';
import { runCommands } from '../../../../src/reconciler/kubernetes/commands/exec.ts';
import { createJobs } from '../../../../src/reconciler/kubernetes/commands/jobs.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const master: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'm-0' }, ready: true, container: 'c' };
const choice = { namespace: 'ml', pods: () => [master] };
const command = (...argv: string[]): Command => ({ in: 'master', on: 'one', argv });

/** Thirty runtimes change a mount each: eight at a time, the others wait for their turn. */
function busy() {
  const leading = new AbortController();
  const begun: string[] = [];
  const woken: string[] = [];
  const warnings: string[] = [];
  const running: { resolve: (out: string) => void; reject: (error: unknown) => void }[] = [];
  const exec: PodExec = (_, argv) => {
    leading.signal.throwIfAborted();
    begun.push(argv.join(' '));
    return new Promise((resolve, reject) => running.push({ resolve, reject }));
  };
  const jobs = createJobs(systemClock, { ...silent, warn: (_, message) => void warnings.push(message) }, leading.signal);
  for (let i = 0; i < 30; i++)
    jobs.ask(
      `u${i}/run`,
      { namespace: 'ml', version: 'v', everyMs: 1000 },
      () => runCommands(exec, choice, [command('unmount', `/${i}`), command('mount', `/${i}`)]),
      () => woken.push(`u${i}`),
    );
  return { leading, begun, woken, warnings, running, jobs };
}

test('commands that wait for their turn are never begun once the lease is lost', async () => {
  const { leading, begun, running } = busy();
  await turn();
  expect(begun).toHaveLength(8);
  leading.abort(new Error('no longer leading'));
  for (const { resolve } of running) resolve('');
  await turn();
  expect(begun).toHaveLength(8);
});

test('a job that ran when the lease was lost requeues no key and is no failure', async () => {
  const { leading, woken, warnings, running } = busy();
  await turn();
  leading.abort(new Error('no longer leading'));
  for (const { reject } of running) reject(leading.signal.reason);
  await turn();
  expect([woken, warnings]).toEqual([[], []]);
});

test('commands for a runtime that is gone leave the line', async () => {
  const { begun, running, jobs } = busy();
  jobs.drop('u29');
  for (let i = 0; i < 60; i++) {
    await turn();
    running.shift()?.resolve('');
  }
  expect(begun.filter((line) => line.endsWith('/28'))).toHaveLength(2);
  expect(begun.filter((line) => line.endsWith('/29'))).toEqual([]);
});

test('commands that throw before they wait for anything leave their turns to the next', async () => {
  const jobs = createJobs(systemClock, silent);
  const ended = Promise.withResolvers<void>();
  const broken = () => {
    throw new Error('broken');
  };
  const due = { namespace: 'ml', version: 'v', everyMs: 1000 };
  for (let i = 0; i < 9; i++) jobs.ask(`u${i}/run`, due, broken, () => {});
  jobs.ask('u9/run', due, async () => 'done', ended.resolve);
  await ended.promise;
  expect([jobs.state('u0/run').error, jobs.state('u9/run').done]).toEqual(['broken', true]);
}, 2_000);
