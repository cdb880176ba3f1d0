import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startBuilds } from '../../harness/demo/builds.ts';
import { bar, createJobs, duration, type Job, secondsHere, secondsLeft } from '../../harness/tools/jobs.ts';
import { firstNeeds } from '../../harness/tools/needs.ts';
import { wantedTools } from '../../harness/tools/tools.ts';

const never = new AbortController().signal;
const forgetful = { line: () => {}, status: () => {} };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** One that takes so many seconds, and says how far it is each second. */
const job = (name: string, seconds: number, takes = seconds): Job => ({
  name,
  seconds,
  async run(report, signal) {
    for (let at = 0; at < takes; at++) {
      signal.throwIfAborted();
      report(at / takes, 'works');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    return '';
  },
});

describe('the time left', () => {
  test('is the recorded one at first, and then follows the pace', () => {
    expect(secondsLeft(300, { expected: 0, elapsed: 0 })).toBe(300);
    expect(secondsLeft(200, { expected: 85, elapsed: 185 })).toBe(400);
    expect(secondsLeft(0, { expected: 300, elapsed: 30 })).toBe(0);
  });

  test('is that of two cores on two cores, and less on more', () => {
    const [two = 0, one = 0, eight = 0] = [2, 1, 8].map((cores) => secondsHere([{ seconds: 100 }], cores));
    expect(two).toBeCloseTo(100);
    expect(one).toBeGreaterThan(150);
    expect(eight).toBeGreaterThan(25);
    expect(eight).toBeLessThan(50);
  });

  // Each program takes more or less than its seconds say, by a fifth, on a machine that is faster or slower.
  test.each([0.4, 0.7, 1, 1.5, 2])('is true within a third, one minute after the start, on a machine %f times as slow', (pace) => {
    const tools = wantedTools('node').map(({ seconds }, index) => ({ seconds, takes: pace * seconds * (index % 2 === 0 ? 0.8 : 1.2) }));
    const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
    const total = sum(tools.map(({ takes }) => takes));
    for (let elapsed = 60; elapsed < total - 60; elapsed += 10) {
      const ends = tools.map((_, index) => sum(tools.slice(0, index + 1).map(({ takes }) => takes)));
      const at = ends.findIndex((end) => end > elapsed);
      const { seconds = 0, takes = 1 } = tools[at] ?? {};
      const expected = sum(tools.slice(0, at).map((tool) => tool.seconds)) + seconds * (1 - ((ends[at] ?? 0) - elapsed) / takes);
      const left = secondsLeft(sum(tools.map((tool) => tool.seconds)) - expected, { expected, elapsed });
      expect(Math.abs(left - (total - elapsed)) / (total - elapsed), `after ${elapsed} s`).toBeLessThan(1 / 3);
    }
  });

  test('is shown in seconds, and then in minutes, behind a bar', () => {
    expect([duration(40), duration(330)]).toEqual(['40 s', '6 min']);
    expect([0, 0.5, 1, 7, -1].map(bar)).toEqual([0, 10, 20, 20, 0].map((full) => '━'.repeat(full) + '╌'.repeat(20 - full)));
  });

  test('knows from the jobs before how fast the machine is', async () => {
    const said: string[] = [];
    const work = createJobs({ ...forgetful, status: (text) => said.push(text) }, never);
    const began = secondsHere([{ seconds: 60 }]);
    const both = work([job('slow', 60, 3 * began)]).then(() => work([job('next', 600)]));
    await vi.advanceTimersByTimeAsync(3_000_000);
    await both;
    expect(said[0]).toBe(`${bar(0)} about ${duration(began)} left: slow, works`);
    const [, minutes] = said.flatMap((text) => /about (\d+) min left: next/.exec(text)?.[1] ?? []).map(Number);
    expect(minutes).toBeGreaterThan((2 * secondsHere([{ seconds: 600 }])) / 60);
  });
});

describe('the builds of the demo', () => {
  const parts = { first: () => [job('etcd', 2), job('kwok', 3)], rest: () => [job('kubelet', 4)] };

  test('are first what the API server needs', () => {
    expect(wantedTools('node').slice(0, 6)).toEqual(wantedTools('control plane'));
    expect(wantedTools('control plane').map(({ name }) => name)).toContain('kwok');
    expect(firstNeeds()).toMatchObject({ wheels: [], jars: false, debs: [] });
  });

  test('go on unseen while the first part is shown', async () => {
    const said: string[] = [];
    const note = (text: string) => void said.push(text.replace(/^[━╌]+ about .* left: /, '').trim());
    const builds = startBuilds(parts, { line: note, status: note }, never);
    await Promise.all([builds.first(), vi.advanceTimersByTimeAsync(5_000)]);
    expect(said.at(-1)).toMatch(/^kwok +3 s$/);
    said.length = 0;
    await vi.advanceTimersByTimeAsync(2_500);
    expect(said).toEqual([]);
    await Promise.all([builds.rest(), vi.advanceTimersByTimeAsync(2_000)]);
    expect(said).toEqual(['kubelet, works', expect.stringMatching(/^kubelet +4 s$/)]);
  });

  test('end soon after Ctrl-C', async () => {
    const interrupt = new AbortController();
    const builds = startBuilds(parts, forgetful, interrupt.signal);
    await Promise.all([builds.first(), vi.advanceTimersByTimeAsync(6_000)]);
    interrupt.abort(new Error('interrupted'));
    await Promise.all([builds.ended(), vi.advanceTimersByTimeAsync(1_000)]);
    await expect(builds.rest()).rejects.toThrow('interrupted');
  });

  test('end with what a job threw', async () => {
    const broken: Job = { name: 'broken', seconds: 1, run: () => Promise.reject(new Error('no disk')) };
    const builds = startBuilds({ first: () => [broken, job('kwok', 1)], rest: () => [] }, forgetful, never);
    await expect(builds.first()).rejects.toThrow('no disk');
  });
});
