/** The script that changes mounts, as bash runs it with stubs for the command lines of Jindo. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import jindo from '../../../runtimes/jindo/index.ts';
import { bucket, fsx, given, planOf } from './given.ts';

function run(input: ReturnType<typeof given>, change: { unmount: string[]; mount: { path: string; source: string }[] }, answer = '') {
  const [command] = jindo.bind(input).mounts?.change(change) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'sluice-jindo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const program of ['jindo', 'jindocache']) {
    writeFileSync(
      join(folder, program),
      `#!/bin/bash\nprintf '%s|' "$0" "$@" | sed 's,.*/${program}|,${program}|,' >> "${folder}/calls"\nall="$*"\n${answer}\n`,
    );
    chmodSync(join(folder, program), 0o755);
  }
  writeFileSync(join(folder, 'calls'), '');
  const { status, stderr } = spawnSync(command?.argv[0] ?? '', command?.argv.slice(1) ?? [], {
    env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder },
    encoding: 'utf8',
    // With a socket as its input, bash thinks that it was called over a network.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').replaceAll(folder, '/tmp');
  const file = (name: string) => readFileSync(join(folder, name), 'utf8');
  const listed = spawnSync('bash', ['-c', jindo.bind(input).mounts?.list.commands[0]?.argv[2] ?? ''], {
    env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, stderr, calls, file, listed: listed.stdout };
}
const change = {
  unmount: ['/a', '/a/b'],
  mount: [
    { path: '/x/y', source: 'oss://b/2' },
    { path: '/x', source: "oss://b/$(id)'" },
  ],
};
test('is changed from the inside out, and then the sets are read', () => {
  expect(run(given(), change)).toMatchObject({
    status: 0,
    stderr: '',
    calls:
      "jindocache|-unmount|/a/b|jindocache|-unmount|/a|jindocache|-mount|/x|oss://b/$(id)'|jindocache|-mount|/x/y|oss://b/2|jindocache|-refreshCacheSet|-path|/tmp/cacheset.xml|",
  });
  expect(run(fsx(), change).calls).toMatch(/^jindo\|admin\|-unmount\|\/a\/b\|.*jindo\|admin\|-mount\|\/x\/y\|oss:\/\/b\/2\|$/);
});
test('a mount that exists already is none that failed', () =>
  expect(run(given(), change, "[[ $all != -mount* ]] || { echo 'ERROR: Mount point already exists'; exit 1; }").status).toBe(0));
test('a mount that fails stops no other, and says why', () => {
  const { status, stderr, calls } = run(given(), change, "[[ $all != '-mount /x '* ]] || { echo 'no such bucket'; exit 3; }");
  expect([status, stderr]).toEqual([3, 'no such bucket\n']);
  expect(calls).toContain('jindocache|-mount|/x/y|');
  expect(calls).toContain('-refreshCacheSet');
});
test('the sets are those of the spec, not those that the master started with, and a list tells so once Jindo has them', () => {
  const mounts = [
    { ...bucket, name: "a'%s$(id)&<" },
    { ...bucket, mountPoint: 'oss://b/', name: 'b', options: { ...bucket.options, metaPolicy: 'ALWAYS' } },
  ];
  const input = given({ mounts });
  const { file, listed } = run(input, change);
  expect(file('cacheset.xml')).toBe(planOf(input).files.data['cacheset.xml']);
  expect(listed).toMatch(/^cache sets \w+\n$/);
  const refused = run(input, change, '[[ $all != -refresh* ]] || { echo no such bucket >&2; exit 3; }');
  expect([refused.status, refused.stderr, refused.listed]).toEqual([3, 'no such bucket\n', '']);
});
test('a worker empties its directories but for the metadata of a master, which empties that', () => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-jindo-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [a, b] = ['a', 'b'].map((name) => join(root, name, 'ml/demo/jindocache'));
  for (const directory of [a, b]) {
    mkdirSync(join(directory ?? '', 'server'), { recursive: true });
    for (const name of ['.hidden', 'block', 'server/journal']) writeFileSync(join(directory ?? '', name), '');
  }
  const level = { mediumtype: 'SSD' as const, path: `${root}/a,${root}/b,${root}/none`, quota: '3Gi' };
  const [, ofWorker, ofMaster] = jindo.bind(given({ spec: { tieredstore: { levels: [level] } } })).cleanup?.commands(undefined) ?? [];
  const left = () => [a, b].map((directory) => readdirSync(directory ?? ''));
  const by = (command: typeof ofWorker) => spawnSync(command?.argv[0] ?? '', command?.argv.slice(1) ?? [], { stdio: 'ignore' }).status;
  expect([by(ofWorker), left()]).toEqual([0, [['server'], []]]);
  expect([by(ofMaster), left()]).toEqual([0, [[], []]]);
});
