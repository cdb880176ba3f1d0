/** CronJobs start Jobs by the minute. */
import { expect, test } from 'vitest';
import { createControllers } from '../../src/api-server/controllers/index.ts';
import { isDue, parseSchedule } from '../../src/api-server/cron.ts';
import { createApiServer } from '../../src/api-server/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { createCronJobs } from '../../src/playground/cron-jobs.ts';
import { createKubelets } from '../../src/playground/kubelets.ts';
import { startTurns } from '../../src/playground/turns.ts';
import { manualClock } from '../support/manual-clock.ts';

const MINUTE_MS = 60_000;
const cronJob = (spec: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', namespace: 'ml' },
  spec: {
    schedule: '*/5 * * * *',
    jobTemplate: {
      metadata: { labels: { app: 'n' } },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    },
    ...spec,
  },
});

function playing(spec: object = {}) {
  const clock = manualClock(Date.parse('2026-01-02T03:04:05Z'));
  const server = createApiServer({ namespaces: ['ml'], now: clock.wall });
  const { pods: _, ...controllers } = createControllers(server).tasks;
  server.put({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
  server.put(cronJob(spec));
  const tasks = [createCronJobs(server, clock), ...Object.values(controllers), ...createKubelets(server, clock)];
  const turns = startTurns(server, tasks, clock, (error) => expect.fail(String(error)));
  const status = () => server.get('CronJob', 'ml', 'nightly')?.['status'];
  return { clock, server, turns, status, jobs: () => server.all('Job').map(({ metadata }) => metadata.name) };
}
const nameAt = (time: string): string => `nightly-${Date.parse(time) / MINUTE_MS}`;

test('a Job starts when the schedule is due, once, and its end is in the status', () => {
  const { clock, server, turns, status, jobs } = playing();
  clock.advance(50_000);
  expect(jobs()).toEqual([]);
  clock.advance(6_000);
  const name = nameAt('2026-01-02T03:05:00Z');
  expect(jobs()).toEqual([name]);
  const annotations = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-02T03:05:00Z' };
  const ownerReferences = [{ kind: 'CronJob', name: 'nightly', controller: true }];
  expect(server.get('Job', 'ml', name)?.metadata).toMatchObject({ labels: { app: 'n' }, annotations, ownerReferences });
  expect(status()).toMatchObject({ lastScheduleTime: '2026-01-02T03:05:00Z', active: [{ kind: 'Job', name }] });
  clock.advance(2 * MINUTE_MS);
  expect(jobs()).toEqual([name]);
  expect(status()).toEqual({
    lastScheduleTime: '2026-01-02T03:05:00Z',
    lastSuccessfulTime: expect.stringMatching(/^2026-01-02T03:05/) as string,
  });
  turns.stop();
});

test('the last three Jobs stay, and none starts while the schedule is suspended', () => {
  const { clock, server, turns, jobs } = playing({ schedule: '* * * * *' });
  clock.advance(6 * MINUTE_MS);
  expect(jobs()).toEqual(['08', '09', '10'].map((minute) => nameAt(`2026-01-02T03:${minute}:00Z`)));
  server.put(cronJob({ schedule: '* * * * *', suspend: true }));
  clock.advance(3 * MINUTE_MS);
  expect(jobs()).toContain(nameAt('2026-01-02T03:10:00Z'));
  expect(jobs()).not.toContain(nameAt('2026-01-02T03:11:00Z'));
  turns.stop();
});

test.each([
  ['Forbid', ['05']],
  ['Replace', ['06']],
  ['Allow', ['05', '06']],
])('a Job that has not ended when the next one is due: %s', (concurrencyPolicy, left) => {
  const [template] = [{ spec: { restartPolicy: 'Never', nodeSelector: { no: 'such' }, containers: [{ name: 'c', image: 'i' }] } }];
  const { clock, turns, jobs } = playing({ schedule: '* * * * *', concurrencyPolicy, jobTemplate: { spec: { template } } });
  clock.advance(2 * MINUTE_MS);
  expect(jobs()).toEqual(left.map((minute) => nameAt(`2026-01-02T03:${minute}:00Z`)));
  turns.stop();
});

test.each<[string, string, boolean]>([
  ['0 3 * * *', '2026-01-02T03:00:30Z', true],
  ['0 3 * * *', '2026-01-02T03:01:00Z', false],
  ['*/20 1-3 * jan fri', '2026-01-02T03:40:00Z', true],
  ['0 0 1 * mon', '2026-01-01T00:00:00Z', true],
  ['0 0 1 * mon', '2026-01-05T00:00:00Z', true],
  ['0 0 */2 * mon', '2026-01-02T00:00:00Z', false],
  ['0 0 * * mon', '2026-01-02T00:00:00Z', false],
  ['0 0 1 * *', '2026-01-02T00:00:00Z', false],
  ['@weekly', '2026-01-04T00:00:00Z', true],
  ['@every 90s', '2026-01-01T00:01:30Z', true],
  ['@every 90s', '2026-01-01T00:01:29Z', false],
])('%s at %s is due: %s', (schedule, time, due) => {
  const at = Date.parse(time);
  const since = schedule.startsWith('@every') ? Date.parse('2026-01-01T00:00:00Z') : at - 86_400_000;
  expect(isDue(parseSchedule(schedule), at, since, 'UTC')).toBe(due);
});

test('a schedule is in the time zone that is named', () => {
  const at = Date.parse('2026-01-02T02:00:00Z');
  expect(isDue(parseSchedule('0 3 * * *'), at, 0, 'Europe/Berlin')).toBe(true);
  expect(isDue(parseSchedule('0 3 * * *'), at, 0, 'UTC')).toBe(false);
});
