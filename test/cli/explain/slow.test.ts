import { describe, expect, test } from 'vitest';
import { secondsOf, slowExitCode, slowLines } from '../../../src/cli/explain/slow.ts';
import { plain } from '../../../src/cli/terminal.ts';
import { diagnose } from '../../../src/explain/slow/diagnose.ts';
import { client, evidence, GIB, MIB } from '../../explain/slow/given.ts';

const cold = diagnose(evidence({ pods: [client({ bytes: { local: 100 * MIB, store: 300 * MIB } })] }));
const well = diagnose(evidence());

test('a report has the bytes, each cause with what it rests on and what to do, and what was looked at', () => {
  expect(plain(slowLines([cold]))).toMatchInlineSnapshot(`
    "Dataset ml/images, JuiceFSRuntime ml/images: 1 cause
      read in 10 s: 400.00MiB, 25.0% from the local cache, 0.0% from remote caches, 75.0% from the store
      read since the start: 800.00MiB, 25.0% from the local cache, 0.0% from remote caches, 75.0% from the store
      Cold: 75.0% of what readers got in 10 s came from the store: 300.00MiB; it was not cached, and is read for the first time
        0 blocks left the cache in 10 s
        the cache of 1 pod holds 1.00GiB of 2.00GiB
        to do: load it before it is read: a DataLoad with spec.dataset.name images, and in spec.target the paths that are read; or wait: the second read comes from the cache
      looked at: counters of 1 of 1 fuse pods; readiness of 1 worker, and the nodes of readers and workers; media and sizes of the cache; options of the client
    "
  `);
});

test('a report without a cause says so, and what was looked at', () => {
  const [title, ...rest] = plain(slowLines([well]))
    .trimEnd()
    .split('\n');
  expect(title).toBe('Dataset ml/images, JuiceFSRuntime ml/images: nothing found that makes reads slow');
  expect(rest.at(-1)).toMatch(/^ {2}looked at: counters of 1 of 1 fuse pods; /);
});

test('without counters, the shares are those of the status', () => {
  const report = diagnose(evidence({ pods: [], status: { hits: 0.4, localHits: 0.3, cachedBytes: GIB, capacityBytes: 8 * GIB } }));
  expect(report).toMatchObject({ basis: 'status', causes: [{ reason: 'Cold' }] });
  const text = plain(slowLines([report]));
  expect(text).toContain('reads by the last status: 30.0% from the local cache, 10.0% from remote caches, 60.0% from the store');
  expect(text).toContain('Cold: 60.0% of reads were not answered by the cache, by the last status');
});

test('texts of tenants reach no terminal as they are', () => {
  const report = { ...cold, unknown: ['pod x did not answer: \u001b[31mred'] };
  expect(plain(slowLines([report]))).not.toContain('\u001b');
});

describe('the time between readings', () => {
  test.each([
    ['10s', 10],
    ['2m', 120],
    ['30', 30],
    ['1.5s', 1.5],
  ])('%s', (text, seconds) => expect(secondsOf(text)).toBe(seconds));
  test.each(['0', '0s', '500ms', '1h', '-1s', 'soon', ''])('%j is none', (text) =>
    expect(() => secondsOf(text)).toThrow(`--for: expected a time from 1s to 10m, such as 30s, found ${text}`),
  );
});

test('the exit code is 1 with a cause, or with an object that is not well', () => {
  const ill = { object: 'Dataset ml/images', phase: 'NotBound', healthy: false, causes: [], details: [] };
  expect([slowExitCode([well], []), slowExitCode([well, cold], []), slowExitCode([well], [ill])]).toEqual([0, 1, 1]);
});
