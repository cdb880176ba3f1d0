/** In trouble, another run is one run for every cause: an annotation of the user, or mounts that have changed. */
import { describe, expect, test } from 'vitest';
import type { Harness } from '../harness.ts';
import { annotated, ended, JOB, killedAtWrite, load, MOUNT, ON_DEMO, running, statusOf, writesOfRerun } from './given.ts';

interface Cause {
  readonly cause: string;
  /** A DataLoad that is over. */
  readonly over: () => Promise<Harness>;
  readonly asks: (at: Harness) => Promise<void>;
  /** In the status of the run that follows. */
  readonly observed: object;
}

const CAUSES: readonly Cause[] = [
  {
    cause: 'an annotation',
    async over() {
      const at = await running();
      for (let i = 0; i < 4; i++) await ended(at, 'Failed', 'no such path');
      return at;
    },
    async asks(at) {
      annotated(at, 'warm', { 'data.fluid.io/retry': '1' });
      await at.settle();
    },
    observed: { observedRetry: '1' },
  },
  {
    cause: 'other mounts',
    async over() {
      const at = await running(load({ ...ON_DEMO, policy: 'OnEvent' }));
      await ended(at, 'Succeeded');
      await at.advance(60_000);
      return at;
    },
    async asks(at) {
      at.edit('Dataset', { mounts: [{ ...MOUNT, options: { ...(MOUNT['options'] as object), bucket: 'a' } }] });
      await at.advance(31_000);
    },
    observed: { observedMounts: expect.stringMatching(/^[0-9a-f]{16}$/) as string },
  },
];
const jobsCreated = (at: Harness) => at.written({ verb: 'create', kind: 'Job' }).length;

describe.each(CAUSES)('asked for by $cause', ({ over, asks, observed }) => {
  async function scene(): Promise<Harness> {
    const at = await over();
    expect(statusOf(at).phase).toMatch(/^(Failed|Complete)$/);
    at.forget();
    return at;
  }

  test.each(writesOfRerun)('killed at %s %s %s (%s), it runs once more, and once only', async (...write) => {
    const at = await scene();
    await killedAtWrite(at, write, () => asks(at));
    await at.quiet(40_000);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', ...observed });
    await ended(at, 'Succeeded');
    await at.quiet(60_000);
    expect(statusOf(at).phase).toBe('Complete');
    expect(at.server.all('Job')).toHaveLength(1);
    expect(jobsCreated(at)).toBe(1);
  });
  test('it does not start while the watch still shows the Job of the run before', async () => {
    const at = await scene();
    const { phase } = statusOf(at);
    at.server.hold('Job');
    await asks(at);
    await at.quiet(60_000);
    expect([at.get('Job', JOB), statusOf(at).phase]).toEqual([undefined, phase]);
    at.server.release('Job');
    await at.quiet(60_000);
    expect(statusOf(at).phase).toBe('Executing');
  });
  test('a conflict at its reset is settled by a repetition', async () => {
    const at = await scene();
    at.server.rules.refuse({ verb: 'patch', kind: 'DataLoad', subresource: 'status', times: 1 }, { status: 409, reason: 'Conflict' });
    await asks(at);
    await at.quiet(60_000);
    expect(statusOf(at)).toMatchObject({ phase: 'Executing', ...observed });
    expect(jobsCreated(at)).toBe(1);
  });
});
