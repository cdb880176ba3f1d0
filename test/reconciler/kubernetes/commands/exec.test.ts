import { systemClock } from '../../../../src/kube/clock.ts';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answers, Command, Role } from '../../../../src/constructs/index.ts';
import { type KubeObject, silent } from '../../../../src/kube/types.ts';
import type { PodExec } from '../../../../src/kube/exec.ts';
import { askProbe, canRun, type PodChoice, runCommands } from '../../../../src/reconciler/kubernetes/commands/exec.ts';
import { createJobs, type Jobs } from '../../../../src/reconciler/kubernetes/commands/jobs.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a job', () => {
  let clock: number;
  let jobs: Jobs;
  let ended: string[];
  let running: { name: string; resolve: (value: unknown) => void; reject: (error: Error) => void }[];
  beforeEach(() => {
    clock = 1000;
    jobs = createJobs({ ...systemClock, monotonic: () => clock }, silent);
    ended = [];
    running = [];
  });
  const ask = (name: string, version = '1', everyMs = Infinity, namespace = 'ml') =>
    jobs.ask(
      name,
      { namespace, version, everyMs },
      () => new Promise((resolve, reject) => running.push({ name, resolve, reject })),
      () => ended.push(name),
    );
  async function end(how: unknown): Promise<void> {
    await turn();
    const [job] = running.splice(0, 1);
    if (how instanceof Error) job?.reject(how);
    else job?.resolve(how);
    await turn();
  }

  test('runs beside who asks, and wakes them when it ends', async () => {
    expect(ask('u/a')).toMatchObject({ running: true });
    await end('value');
    expect(ended).toEqual(['u/a']);
    expect(ask('u/a')).toMatchObject({ running: false, value: 'value' });
  });
  test('is one at a time, whichever runtime asks', async () => {
    ask('u/a');
    ask('u/a');
    await turn();
    expect(running).toHaveLength(1);
  });
  test('is done again when it has become old, and keeps its value meanwhile', async () => {
    ask('u/a', '1', 500);
    await end('old');
    clock += 500;
    expect(ask('u/a', '1', 500)).toMatchObject({ running: true, value: 'old' });
  });
  test('of another version is another job, which has no value yet', async () => {
    ask('u/a', '1');
    await end('first');
    expect(ask('u/a', '2')).toMatchObject({ running: true });
    expect(ask('u/a', '2')).not.toHaveProperty('value');
  });
  test('of another version waits for the one that runs, whose value it does not get', async () => {
    ask('u/a', '1');
    expect(ask('u/a', '2')).toEqual({ running: true });
    await end('first');
    expect(running).toHaveLength(0);
    expect(ask('u/a', '2')).not.toHaveProperty('value');
    await turn();
    expect(running).toHaveLength(1);
  });
  test('that fails says why, and is done again when it is time', async () => {
    ask('u/a', '1', 500);
    await end(new Error('it broke'));
    expect(ask('u/a', '1', 500)).toMatchObject({ running: false, error: 'it broke' });
    expect(ended).toEqual(['u/a']);
    clock += 500;
    expect(ask('u/a', '1', 500).running).toBe(true);
  });
  test('counts its attempts', async () => {
    expect(jobs.state('u/clean')).toEqual({ attempts: 0, running: false, done: false, failures: 0 });
    ask('u/clean', '1');
    expect(jobs.state('u/clean')).toMatchObject({ attempts: 1, running: true, done: false });
    await end(new Error('no'));
    expect(jobs.state('u/clean')).toEqual({ attempts: 1, running: false, done: false, error: 'no', failures: 1 });
    ask('u/clean', '2');
    await end(undefined);
    expect(jobs.state('u/clean')).toMatchObject({ attempts: 2, running: false, done: true });
  });
  test('that was dropped requeues no key', async () => {
    ask('u/a');
    ask('v/a');
    jobs.drop('u');
    await end('x');
    await end('y');
    expect(ended).toEqual(['v/a']);
    expect(jobs.state('u/a').attempts).toBe(0);
  });
  test('waits for its turn when eight of its sort are under way', async () => {
    for (let i = 0; i < 10; i++) ask(`u${i}/ufs`);
    await turn();
    expect(running).toHaveLength(8);
    await end('x');
    expect(running.map(({ name }) => name).at(-1)).toBe('u8/ufs');
  });
  test('of another namespace waits for one, however many of the first wait', async () => {
    for (let i = 0; i < 100; i++) ask(`u${i}/mounts`);
    ask('other/mounts', '1', Infinity, 'other');
    ask('third/mounts', '1', Infinity, 'third');
    ask('other2/mounts', '1', Infinity, 'other');
    await end('x');
    await end('x');
    await end('x');
    await end('x');
    expect(running.slice(-4).map(({ name }) => name)).toEqual(['u8/mounts', 'other/mounts', 'third/mounts', 'u9/mounts']);
    await end('x');
    expect(running.at(-1)?.name).toBe('other2/mounts');
  });
  test('that takes long gives up its turn, and goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let i = 0; i < 10; i++) ask(`u${i}/mounts`);
    await turn();
    vi.advanceTimersByTime(10_000);
    await turn();
    expect(running).toHaveLength(10);
    await end('late');
    expect(ask('u0/mounts')).toMatchObject({ running: false, value: 'late' });
  });
  test('does not wait for those of another sort, however slow they are', async () => {
    for (let i = 0; i < 10; i++) ask(`u${i}/ufs`);
    ask('u0/mounts');
    await turn();
    expect(running.at(-1)?.name).toBe('u0/mounts');
  });
});

describe('commands', () => {
  const pod = (name: string, ready = true): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, ready, container: 'main' });
  const choice = (...pods: readonly KubeObject[]): PodChoice => ({
    namespace: 'ml',
    pods: (role: Role) => (role === 'worker' ? pods : []),
  });
  const command = (on: Command['on'], more: Partial<Command> = {}): Command => ({ in: 'worker', on, argv: ['df', on], ...more });
  const calls: string[] = [];
  const exec: PodExec = async ({ namespace, pod: name, container }, argv, timeoutMs, mostBytes) => {
    calls.push(`${namespace}/${name}/${container} ${argv.join(' ')} ${timeoutMs}${mostBytes === undefined ? '' : ` ${mostBytes}`}`);
    return `answer of ${name}`;
  };
  beforeEach(() => void calls.splice(0));

  test('run in one, in the first, or in every pod that is ready', async () => {
    const pods = choice(pod('w-2', false), pod('w-1'), pod('w-0'));
    expect(await runCommands(exec, pods, [command('one'), command('first'), command('every')], 100)).toEqual([
      ['answer of w-1'],
      ['answer of w-0'],
      ['answer of w-1', 'answer of w-0'],
    ]);
  });
  test('have twenty seconds, or what they ask for', async () => {
    await runCommands(exec, choice(pod('w-0')), [command('one'), command('one', { timeoutSeconds: 1500 })]);
    expect(calls).toEqual(['ml/w-0/main df one 20000', 'ml/w-0/main df one 1500000']);
  });
  test('run one after the other, and stop at the first that fails', async () => {
    const failing: PodExec = async (_, [name]) => {
      calls.push(name ?? '');
      throw new Error('no space');
    };
    await expect(runCommands(failing, choice(pod('w-0')), [command('one'), command('every')])).rejects.toThrow('no space');
    expect(calls).toHaveLength(1);
  });
  test('without a pod say so', async () =>
    expect(runCommands(exec, choice(pod('w-0', false)), [command('every')])).rejects.toThrow('no ready worker pod to run df in'));
  test('of every client run in no pod while no client runs', async () => {
    expect(await runCommands(exec, choice(), [command('every', { in: 'fuse' })])).toEqual([[]]);
    await expect(runCommands(exec, choice(), [command('one', { in: 'fuse' })])).rejects.toThrow('no ready fuse pod to run df in');
  });
  test.each<[Command['on'], readonly KubeObject[], boolean]>([
    ['one', [pod('w-1')], true],
    ['every', [pod('w-1')], true],
    ['first', [pod('w-1')], false],
    ['first', [pod('w-0')], true],
    ['one', [pod('w-0', false)], false],
    ['one', [], false],
  ])('that go to %s pod of %j can run: %s', (on, pods, can) => expect(canRun(choice(...pods), [command(on)])).toBe(can));
  const probe = { mostBytes: 1 << 20, parse: (answers: Answers) => answers.flat().length };
  test('of a probe are read together', async () =>
    expect(await askProbe(exec, choice(pod('w-0')), { ...probe, commands: [command('one'), command('first')] })).toBe(2));
  test('of a probe may print as much as it says', async () => {
    await askProbe(exec, choice(pod('w-0')), { ...probe, commands: [command('one')] });
    expect(calls).toEqual([`ml/w-0/main df one 20000 ${1 << 20}`]);
  });
  test('of a probe fail when all pods together print more than 4 MiB, before anything is read', async () => {
    const pods = choice(...Array.from({ length: 5 }, (_, i) => pod(`w-${i}`)));
    const parse = vi.fn<() => number>();
    const asked = askProbe(async () => 'x'.repeat(1 << 20), pods, { ...probe, parse, commands: [command('every')] });
    await expect(asked).rejects.toThrow('pods printed more than 4194304 bytes together');
    expect(parse).not.toHaveBeenCalled();
  });
  test('whose output nobody reads keep none of it', async () =>
    expect(await runCommands(exec, choice(pod('w-0')), [command('one')])).toEqual([['']]));
});

test('a probe sees its last answer, also after one that failed, but none of another version', async () => {
  const jobs = createJobs(systemClock, silent);
  const seen: unknown[] = [];
  const ask = (answer: number | Error, version = '') =>
    new Promise<void>((resolve) => {
      const work = async (before?: { value: number }) => {
        seen.push(before?.value);
        if (answer instanceof Error) throw answer;
        return answer;
      };
      jobs.ask('uid/cache', { namespace: 'ml', version, everyMs: 0 }, work, resolve);
    });
  for (const answer of [1, new Error('no'), 2]) await ask(answer);
  await ask(3, 'new');
  expect(seen).toEqual([undefined, 1, 1, undefined]);
});
