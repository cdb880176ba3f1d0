import { describe, expect, test } from 'vitest';
import { EMPTY, nextTable } from '../../../src/csi/mounts/table.ts';
import { watchMounts } from '../../../src/csi/mounts/watch.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { line } from '../given.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;

/** A watch on a table that the test writes. */
function given(...points: readonly string[]) {
  let text = '';
  let before = EMPTY;
  let mounts: ReturnType<typeof mountsOf> = [];
  let readings = 0;
  let broken = false;
  const mountsOf = () => before.lines.flatMap(({ mount }) => mount ?? []);
  const clock = manualClock();
  const write = (...mountPoints: readonly string[]) => {
    text = mountPoints.map((mountPoint, i) => `${line({ id: i, mountPoint })}\n`).join('');
  };
  const read = () => {
    readings++;
    if (broken) throw new Error('EMFILE');
    if (text === before.bytes.toString()) return { mounts, changed: [] };
    before = nextTable(before, Buffer.from(text));
    mounts = mountsOf();
    return { mounts, changed: before.changed };
  };
  write(...points);
  return {
    clock,
    write,
    breakDown(is: boolean) {
      broken = is;
    },
    watch: watchMounts({ read, clock, log }),
    get readings() {
      return readings;
    },
  };
}

describe('the watch of the mount table', () => {
  test('reads once for concurrent callers, and again for a later caller', async () => {
    const table = given('/', '/m');
    const all = await Promise.all(Array.from({ length: 100 }, () => table.watch.now()));
    expect(new Set(all).size).toBe(1);
    expect(table.readings).toBe(1);
    table.write('/');
    expect(await table.watch.now()).toHaveLength(1);
    expect(table.readings).toBe(2);
  });

  test('wakes those around whose path something changed, and no others, by one reading', async () => {
    const table = given('/');
    const mounts = await table.watch.now();
    const woken: string[] = [];
    const wait = (path: string) =>
      table.watch.changed(mounts, path, { everyMs: 50, ms: 60_000, signal: never }).then((is) => woken.push(`${path} ${is}`));
    const waiting = ['/m/a', '/m/a/sub', '/m', '/m/ab', '/n'].map(wait);
    table.write('/', '/m/a');
    table.clock.advance(50);
    await Promise.all(waiting.slice(0, 3));
    expect(woken).toEqual(['/m/a true', '/m/a/sub true', '/m true']);
    expect(table.readings).toBe(2);
    table.clock.advance(60_000);
    await Promise.all(waiting);
    expect(woken.slice(3)).toEqual(['/m/ab false', '/n false']);
  });

  test('wakes a waiter by a reading that another caller asked for, and reads no more often than one of them needs', async () => {
    const table = given('/');
    const mounts = await table.watch.now();
    const slow = table.watch.changed(mounts, '/s', { everyMs: 250, ms: 60_000, signal: never });
    const quick = table.watch.changed(mounts, '/q', { everyMs: 50, ms: 60_000, signal: never });
    table.clock.advance(49);
    expect(table.readings).toBe(1);
    table.write('/', '/q');
    await table.watch.now();
    expect(await quick).toBe(true);
    table.clock.advance(240);
    expect(table.readings).toBe(2);
    table.write('/', '/q', '/s');
    table.clock.advance(10);
    expect(await slow).toBe(true);
    expect(table.readings).toBe(3);
  });

  test('does not miss what happened between a reading and the wait', async () => {
    const table = given('/');
    const mounts = await table.watch.now();
    table.write('/', '/m');
    await table.watch.now();
    const patience = { everyMs: 50, ms: 60_000, signal: never };
    expect(await table.watch.changed(mounts, '/m', patience)).toBe(true);
    const other = table.watch.changed(mounts, '/n', { ...patience, ms: 10 });
    table.clock.advance(10);
    expect(await other).toBe(false);
  });

  test('reads nothing while no caller waits', async () => {
    const table = given('/');
    const mounts = await table.watch.now();
    const over = new AbortController();
    const waiting = table.watch.changed(mounts, '/m', { everyMs: 50, ms: 60_000, signal: over.signal });
    over.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(table.watch.changed(mounts, '/m', { everyMs: 50, ms: 60_000, signal: over.signal })).rejects.toThrow('gone');
    expect(table.clock.waits).toEqual([]);
  });

  test('calls a reading recent for a while, but not where something was touched since', async () => {
    const table = given('/');
    expect(table.watch.recent('/m')).toBeUndefined();
    const mounts = await table.watch.now();
    expect(table.watch.recent('/m')).toBe(mounts);
    table.watch.touch('/m/a');
    expect([table.watch.recent('/m'), table.watch.recent('/m/a/b'), table.watch.recent('/n')]).toEqual([undefined, undefined, mounts]);
    await table.watch.now();
    expect(table.watch.recent('/m')).toBe(mounts);
    table.clock.advance(301);
    expect(table.watch.recent('/m')).toBeUndefined();
  });

  test('goes on after a reading that failed', async () => {
    const table = given('/');
    const mounts = await table.watch.now();
    const waiting = table.watch.changed(mounts, '/m', { everyMs: 50, ms: 60_000, signal: never });
    table.breakDown(true);
    await expect(table.watch.now()).rejects.toThrow('EMFILE');
    table.clock.advance(50);
    table.breakDown(false);
    table.write('/', '/m');
    table.clock.advance(50);
    expect(await waiting).toBe(true);
  });
});
