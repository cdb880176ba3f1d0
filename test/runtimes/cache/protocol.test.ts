import { describe, expect, test } from 'vitest';
import { cache, mounts } from '../../../runtimes/cache/protocol.ts';
import { given, plainClass, planOf } from './given.ts';

const executionEntries = { mountUFS: { command: ['mount'], timeout: 30 }, reportSummary: { command: ['report'] } };
const { master = {}, worker = {} } = plainClass.topology ?? {};
const plan = planOf(given({ type: { topology: { master: { ...master, executionEntries }, worker } } }));
const config = plan.mountUFS?.config ?? '';

describe('mountUFS', () => {
  const parse = (output: string, seen = config) => mounts.list.parse([[seen], [output]], plan);

  test('prints the paths that are mounted', () => {
    expect(parse('{"mounted":["/data"]}')).toEqual([{ path: '/data' }]);
    expect(mounts.wanted(plan)).toEqual([{ path: '/data' }]);
    expect(mounts.list.commands(plan).map(({ argv, timeoutSeconds }) => [argv, timeoutSeconds])).toEqual([
      [['cat', '/etc/fluid/config/runtime.json'], 20],
      [['mount'], 30],
    ]);
  });
  test.each(['', 'done', '[]', 'null', '{"mounted":"/data"}', '{"mounted":[1]}', '{}', `"${'x'.repeat(2_000_000)}"`])(
    'is wrong, and quoted in part: %.20s',
    (output) => {
      let message = '';
      try {
        parse(output);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(/^mountUFS: expected /);
      expect(message.length).toBeLessThan(600);
    },
  );
  test('of an older runtime.json says nothing about the mounts that are wanted now', () =>
    expect(() => parse('{"mounted":["/data"]}', '{}')).toThrow('the pod does not have the new runtime.json yet'));
  test('is not run by workers alone, as in Fluid', () => {
    const alone = planOf(given({ type: { topology: { worker: { ...worker, executionEntries } } } }));
    expect(mounts.list.commands(alone)).toEqual([]);
    expect(mounts.wanted(alone)).toEqual([]);
    expect(cache.commands(alone)).toMatchObject([{ in: 'worker', argv: ['report'] }]);
  });
  test('need not mount what Kubernetes mounts', () => {
    const mixed = given({
      type: { topology: { master: { ...master, executionEntries }, worker } },
      mounts: [
        { mountPoint: 's3://b', name: 'b' },
        { mountPoint: 'local:///mnt', name: 'l' },
      ],
    });
    expect(mounts.wanted(planOf(mixed))).toEqual([{ path: '/b' }]);
  });
});

describe('reportSummary', () => {
  const parse = (output: string) => cache.parse([[output]], plan);

  test('prints texts, and numbers where it will', () => {
    expect(parse('{"cached":"1GiB","cachedPercentage":7,"other":[]}')).toEqual({
      cacheStates: { cached: '1GiB', cachedPercentage: '7' },
      data: {},
    });
    expect(cache.commands(plan)).toMatchObject([{ in: 'master', on: 'first', argv: ['report'], timeoutSeconds: 20 }]);
  });
  test('prints size and number of files of the data, with names in any case, as Fluid reads them', () =>
    expect(parse('{"FileNum":1000,"ufsTotal":"100GiB"}').data).toEqual({ fileNum: '1000', ufsTotal: '100GiB' }));
  test.each([`{"cached":"${'x'.repeat(257)}"}`, '{"cached":null}', '{"cached":{}}', 'x', ''])('is wrong: %.20s', (output) =>
    expect(() => parse(output)).toThrow(/^reportSummary: expected /),
  );
  test('of a pod that did not answer says nothing', () => expect(cache.parse([], plan)).toEqual({}));
});
