/** The object store, as the clients' counters show it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheUse, status } from '../../../runtimes/juicefs/commands.ts';
import { community, planOf } from './given.ts';

const plan = planOf(community());
const client = (start: number, errors: number, answered: number) =>
  [
    'juicefs_blockcache_bytes 0',
    // Also of what is refused.
    `juicefs_object_request_data_bytes_PUT ${1_000_000 * (errors + answered)}`,
    `juicefs_object_request_durations_histogram_seconds_GET_total ${answered}`,
    `juicefs_object_request_durations_histogram_seconds_PUT_total ${errors}`,
    `juicefs_object_request_errors ${errors}`,
    `juicefs_process_start_time_seconds ${start}`,
  ].join('\n');

/** The meaning of the last of these answers, each a list of clients. */
function saidAfter(...answers: readonly (readonly string[])[]): string | null | undefined {
  let before: ReturnType<typeof cacheUse.parse> | undefined;
  for (const answer of answers) before = cacheUse.parse([answer, []], plan, before && { value: before, ageMs: 60_000 });
  const { unavailable } = status(plan, { readyWorkers: 1, ...(before && { cache: before }) });
  return unavailable ? `${unavailable.reason} ${unavailable.message}` : unavailable;
}

test('fails when a client got errors and nothing else', () => {
  expect(saidAfter([client(1, 0, 9)], [client(1, 3, 9)])).toMatch(/^RequestsFail Requests to the object store fail: /);
  expect(saidAfter([client(1, 0, 9), client(2, 0, 9)], [client(1, 0, 99), client(2, 3, 9)])).toBeDefined();
});

test('answers when a request is answered, also after errors', () => {
  expect(saidAfter([client(1, 0, 9)], [client(1, 3, 10)])).toBeUndefined();
  expect(saidAfter([client(1, 0, 9)], [client(1, 3, 9)], [client(1, 4, 10)])).toBeUndefined();
});

test('is as it was known while nobody asks it, and unknown of clients that have come', () => {
  expect(saidAfter([client(1, 0, 9)], [client(1, 3, 9)], [client(1, 3, 9)])).toBeDefined();
  expect(saidAfter([client(1, 0, 9)], [client(1, 3, 9)], [client(2, 7, 0)])).toBeUndefined();
  expect(saidAfter([client(1, 0, 9)], [client(1, 3, 9)], [])).toBeUndefined();
});

test('is not known of errors that may be older than this process, until data comes or does not', () => {
  expect(saidAfter([client(1, 7, 0)])).toBeNull();
  expect(saidAfter([client(1, 7, 0)], [client(1, 7, 0)])).toBeNull();
  expect(saidAfter([client(1, 7, 0)], [client(1, 8, 0)])).toEqual(expect.any(String));
  expect(saidAfter([client(1, 7, 0)], [client(1, 7, 1)])).toBeUndefined();
  expect(saidAfter([client(1, 0, 9)])).toBeUndefined();
});

test('is read from what the real client prints', () => {
  const stats = readFileSync(join(import.meta.dirname, '../../../src/playground/engines/juicefs-recorded/1.4.2/stats'), 'utf8');
  expect(
    saidAfter([stats], [stats.replace('object_request_errors 0', 'object_request_errors 4').replace('_GET_total 6', '_GET_total 10')]),
  ).toBeDefined();
});
