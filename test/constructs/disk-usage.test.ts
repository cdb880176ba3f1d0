import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BasePlan, basePlan, diskUsage } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { namesOf } from '../support/names.ts';

const plan: BasePlan = basePlan({ ...planInput(), runtime: namesOf('thin', 'ThinRuntime') }, { mountType: 'x', mountDir: 'thin-fuse' });
const { commands, parse } = diskUsage('fuse');
const df = (mountedOn: string) =>
  `Filesystem     1B-blocks  Used Available Use% Mounted on\ns3fs 1125899906842624 4096   1   1% ${mountedOn}\n`;

test('gives the path to a script as an argument, never as a part of it', () => {
  const [both] = commands({ ...plan, mountPath: '/mnt/$(reboot)' });
  expect(both?.argv).toEqual(['sh', '-c', expect.not.stringContaining('reboot'), 'sh', '/mnt/$(reboot)']);
});
test('reads bytes in use and the number of files', () =>
  expect(parse([[`${df(plan.mountPath)}12\n`]], plan)).toEqual({ totalBytes: 4096, files: 12 }));
test('reports the size alone if files were not counted', () => expect(parse([[df(plan.mountPath)]], plan)).toEqual({ totalBytes: 4096 }));
test("does not take the node's disk for the file system when that is gone", () =>
  expect(() => parse([[`${df('/')}3\n`]], plan)).toThrow(`df does not show ${plan.mountPath}`));
test('counts the files of a directory as the script does', () => {
  const dir = mkdtempSync(join(tmpdir(), "disk'usage"));
  try {
    for (const name of ['a', 'b c', '-n']) writeFileSync(join(dir, name), '');
    const [{ argv } = { argv: [] }] = commands({ ...plan, mountPath: dir });
    const answer = execFileSync(argv[0] ?? '', argv.slice(1), { encoding: 'utf8' });
    expect(answer.trimEnd().split('\n').at(-1)?.trim()).toBe('3');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
test.each(['/usr/bin/df', '/usr/bin/busybox df'].filter((program) => existsSync(program.split(' ')[0] ?? '')))(
  'asks %s as it can be asked',
  (program) => {
    const [{ argv } = { argv: [] }] = commands({ ...plan, mountPath: '/' });
    const script = argv[2]?.replace(/^df\b/, program).replace(/;.*/s, '') ?? '';
    const answer = execFileSync('sh', ['-c', script, 'sh', '/'], { encoding: 'utf8' });
    expect(parse([[answer]], { ...plan, mountPath: '/' }).totalBytes).toBeGreaterThan(4096);
  },
);
test('throws when no pod answered', () => expect(() => parse([], plan)).toThrow('no answer'));
