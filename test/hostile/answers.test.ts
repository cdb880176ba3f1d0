/**
 * Outputs of pods, which run images of tenants: for every text, a probe of any runtime costs time in proportion to its bytes, and not much.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { infosOf } from '../../src/reconciler/operations/status.ts';
import { lastWords } from '../../src/planning/last-words.ts';
import { texts, tooDear } from './cost.ts';
import { probesOf, RUNTIMES } from './probes.ts';

/** Words of the formats that are read, and of texts in their place. */
const WORDS = [
  '\n',
  ' ',
  '\t',
  '/',
  ':',
  '0',
  'a',
  '"',
  '{',
  '[',
  '\\',
  '=',
  '-',
  '(',
  ')',
  '.',
  '\0',
  'ä',
  '%',
  's3://b0/d on /m0 ',
  's3://b on /p (s3, capacity=-1B, read-only, not shared, properties={a=1, b=2})\n',
  '/m0',
  'properties={',
  ', a=',
  '{"mountPoints":{',
  '"/m0":{"ufsUri":"s3://b0/d"},',
  '{"mounted":[',
  '"/m0",',
  ']}',
  'cacheStrategy\n',
  'Total Disk Capacity: 1.5GB\n',
  'Used MEM Capacity: ',
  '"Cluster.CapacityUsed":{"value":1\n',
  'Cluster.BytesReadLocal (Type: COUNTER, Value: 1MB)\n',
  'blockcache.bytes: 1\n',
  'juicefs_blockcache_hits 12\n',
  '"UUID": "',
  'underfs version: ',
  'f 4096 1024 3072 25% /mnt\n',
  'name=value\n',
]; // prettier-ignore
const answer = fc.array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(1, 2, 1000, Infinity)), { minLength: 1, maxLength: 6 });

/** The drawn words in their order, each as often as drawn; those without a number share what is left of `size`. */
function written(drawn: readonly (readonly [string, number])[], size: number): string {
  const rest = size / Math.max(1, drawn.filter(([, times]) => times === Infinity).length);
  return drawn
    .map(([word, times]) => word.repeat(Math.min(times, Math.ceil(rest / word.length))))
    .join('')
    .slice(0, size);
}
const slashes = (size: number) => `s3:${'/'.repeat(size - 20)}x on /m0\n`;

function reading(read: (text: string) => unknown): (text: string) => void {
  return (text) => {
    try {
      read(text);
    } catch (error) {
      // A senseless output is an error with a text for people; a wrong stack or type is none.
      if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError || error.message.length > 2000)
        throw error;
    }
  };
}
function check(read: (text: string) => unknown, mostBytes: number): void {
  const call = reading(read);
  const dear = [...texts, slashes].map((make) => tooDear(make, call, mostBytes)).filter(Boolean);
  expect(dear).toEqual([]);
  fc.assert(
    fc.property(answer, (drawn) => {
      expect(tooDear((size) => written(drawn, size), call, mostBytes)).toBeUndefined();
    }),
    { numRuns: 40, seed: 34 },
  );
}

const probes = Object.entries(RUNTIMES).flatMap(([name, bound]) => probesOf(bound).map(([what, probe]) => [name, what, probe] as const));
test.each(probes)('%s: %s', (_, _what, probe) =>
  check((text) => probe.parse(probe.commands.map(({ mayFail }) => (mayFail ? [] : [text]))), probe.mostBytes),
);
test('every path that a program lists is looked for once', () => {
  const { list } = RUNTIMES['cache']!.mounts!;
  const listed = (path: string) => (size: number) =>
    JSON.stringify({ mounted: Array.from({ length: size / (path.length + 3) }, () => path) });
  for (const path of ['', '/m2047', '/x'])
    expect(
      tooDear(
        listed(path),
        reading((text) => list.parse([[], [text]])),
        list.mostBytes,
      ),
    ).toBeUndefined();
});

test('the figures of a thousand clients', () => {
  const { cache: probe } = RUNTIMES['juicefs']!.probes;
  check((text) => probe!.parse([Array.from({ length: 1000 }, () => text), []]), 4 << 10);
});
test('a progress file, and the last words of a pod', () => {
  check(infosOf, 64 << 10);
  check((message) => lastWords({ name: 'p', exitCode: 1, message }), 4096);
});

test.each(probes)('%s: %s, whatever each of its pods says to each command', (_, _what, { commands, parse, mostBytes }) => {
  let characters = 0;
  const read = reading((text) => (characters = JSON.stringify(parse(JSON.parse(text) as string[][]))?.length ?? 0));
  fc.assert(
    fc.property(fc.array(fc.array(answer, { maxLength: 2 }), { minLength: commands.length, maxLength: commands.length }), (drawn) => {
      const size = Math.min(mostBytes, 32 << 10);
      characters = 0;
      read(JSON.stringify(drawn.map((pods) => pods.map((words) => written(words, size)))));
      // The kept part of an answer is not larger than the texts that pods printed, but for the escapes of JSON and the names of fields.
      expect(characters).toBeLessThan(16 * size * commands.length);
    }),
    { numRuns: 60, seed: 34 },
  );
});
