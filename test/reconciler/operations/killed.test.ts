/** The cluster is the only memory: a process that ends at any request leaves nothing that the next one does not finish. */
import { describe, expect, test } from 'vitest';
import type { Harness } from '../harness.ts';
import { bound, ended, load, ON_DEMO, statusOf } from './given.ts';

const NAMES = ['a', 'b', 'c'];

/** Three loads in the line, created one after the other, until all are complete. Returns every Job that was seen, by UID. */
async function worked(at: Harness): Promise<ReadonlyMap<string, string>> {
  const jobs = new Map<string, string>();
  at.start();
  for (const name of NAMES) {
    at.put(load(ON_DEMO, name));
    await observed(at, jobs);
  }
  for (const name of NAMES) {
    for (let seconds = 0; statusOf(at, name).phase !== 'Executing' && seconds < 120; seconds++) await observed(at, jobs);
    await ended(at, 'Succeeded', '', name);
    await observed(at, jobs);
  }
  return jobs;
}
/** A second later, what the Dataset says is true. */
async function observed(at: Harness, jobs: Map<string, string>): Promise<void> {
  await at.advance(1000);
  for (const { metadata } of at.server.all('Job')) jobs.set(metadata.uid ?? '', metadata.name);
  const running = NAMES.filter((name) => statusOf(at, name).phase === 'Executing');
  expect(at.dataset().operationRef).toEqual(running.length > 0 ? { DataLoad: running.join(',') } : undefined);
  expect(running.length).toBeLessThan(2);
}

/** Kills the process at a request of the controller, and starts another one at once. */
function killedAt(at: Harness, point: number, when: 'before' | 'after'): { readonly requests: () => number } {
  let requests = 0;
  at.server.rules.add(
    {},
    {
      [when]() {
        if (requests++ !== point) return;
        at.kill();
        setTimeout(() => void at.restart(), 0);
        throw new Error('killed');
      },
    },
  );
  return { requests: () => requests };
}

describe('killed at any of its requests, before the server has it or before the answer comes back', () => {
  // Writes and reads for three loads, beside those of watches.
  const points = Array.from({ length: 25 }, (_, i) => i).flatMap((i) => [[i, 'before'] as const, [i, 'after'] as const]);
  test.each(points)('request %d, %s: each load has one Job, and the Dataset names the one that runs', async (point, when) => {
    const at = await bound();
    const { requests } = killedAt(at, point, when);
    const jobs = await worked(at);
    expect(requests()).toBeGreaterThan(point);
    expect(NAMES.map((name) => statusOf(at, name).phase)).toEqual(['Complete', 'Complete', 'Complete']);
    expect([...jobs.values()].toSorted()).toEqual(NAMES.map((name) => `${name}-loader-job`));
  });
});
