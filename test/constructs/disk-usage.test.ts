import { expect, test } from 'vitest';
import { type BasePlan, basePlan, diskUsage } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';

const plan: BasePlan = basePlan(planInput(), { type: 'thin', kind: 'ThinRuntime', mountType: 'x', mountDir: 'thin-fuse' });
const { commands, parse } = diskUsage('fuse');
const df = (mountedOn: string) =>
  `Filesystem     1B-blocks  Used Available Use% Mounted on\ns3fs 1125899906842624 4096   1   1% ${mountedOn}\n`;

test('gives the path to a script as an argument, never as a part of it', () => {
  const [, count] = commands({ ...plan, mountPath: '/mnt/$(reboot)' });
  expect(count?.argv).toEqual(['sh', '-c', 'ls -lR "$1" | grep ^- | wc -l', 'sh', '/mnt/$(reboot)']);
});
test('reads bytes in use and the number of files', () =>
  expect(parse([[df(plan.mountPath)], ['12\n']], plan)).toEqual({ totalBytes: 4096, files: 12 }));
test('tells the size alone where files were not counted', () =>
  expect(parse([[df(plan.mountPath)], []], plan)).toEqual({ totalBytes: 4096 }));
test("does not take the node's disk for the file system when that is gone", () =>
  expect(() => parse([[df('/')], ['3\n']], plan)).toThrow(`df does not show ${plan.mountPath}`));
test('says when nobody answered', () => expect(() => parse([], plan)).toThrow('no answer'));
