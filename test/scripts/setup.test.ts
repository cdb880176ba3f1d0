/** Set-up and node_modules, with an npm that installs nothing, in bad moments too. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** `npm ci` as it ends well: in the folder of `--prefix`, or at the root, whose `prepare` it runs. */
const NPM = `#!/bin/bash
echo "npm $*" >>calls
[ ! -e broken ] || { echo 'npm error network' >&2; exit 1; }
if [ "$2" = --prefix ]; then
  mkdir -p "$3/node_modules/node-any/bin" && ln -s ${process.execPath} "$3/node_modules/node-any/bin/node"
else
  while [ -e held ]; do sleep 0.05; done
  mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json && bash scripts/nodejs.sh
fi
`;
/** A Node that is older than the project needs. */
const OLD = `#!/bin/bash
exec ${process.execPath} --require "$(dirname "$0")/old.cjs" "$@"
`;

test('set-up installs once, and then has nothing to do or to say', async () => {
  const clone = prepared();
  expect(await clone.ended(clone.setup())).toEqual({ code: 0, output: expect.stringMatching(/^setup: installing the packages .*\n$/) });
  expect(await clone.ended(clone.setup())).toEqual({ code: 0, output: '' });
  expect(clone.calls()).toHaveLength(1);
  expect(realpathSync(clone.path('node_modules/.bin/node'))).toBe(realpathSync(process.execPath));
});

test('of two at once one installs, and the other waits', async () => {
  const clone = prepared({ held: '' });
  const both = [clone.setup(), clone.setup()];
  const ends = both.map((child) => clone.ended(child));
  await expect.poll(() => both.some(({ said }) => said().includes('setup: waiting for another set-up'))).toBe(true);
  rmSync(clone.path('held'));
  expect((await Promise.all(ends)).map(({ code }) => code)).toEqual([0, 0]);
  expect(clone.calls()).toHaveLength(1);
});

test.each(['SIGTERM', 'SIGKILL'] as const)('%s in its midst is followed by a second try that works', async (signal) => {
  const clone = prepared({ held: '' });
  const first = clone.setup();
  const end = clone.ended(first);
  await expect.poll(() => clone.calls().length).toBe(1);
  // The whole group, as Ctrl-C does.
  process.kill(-(first.child.pid ?? 0), signal);
  await end;
  rmSync(clone.path('held'));
  expect(await clone.ended(clone.setup())).toMatchObject({ code: 0 });
});

test('killed without its npm, that is waited for', async () => {
  const clone = prepared({ held: '' });
  const first = clone.setup();
  await expect.poll(() => clone.calls().length).toBe(1);
  first.child.kill('SIGKILL');
  const second = clone.setup();
  const end = clone.ended(second);
  await expect.poll(() => second.said()).toContain('setup: waiting for another set-up');
  rmSync(clone.path('held'));
  expect(await end).toMatchObject({ code: 0 });
  expect(clone.calls()).toHaveLength(1);
});

test('without a network it says what failed, and works when there is one', async () => {
  const clone = prepared({ broken: '' });
  const { code, output } = await clone.ended(clone.setup());
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(/npm error network\nsetup: npm ci failed, as it says above\./),
  });
  rmSync(clone.path('broken'));
  expect(await clone.ended(clone.setup())).toMatchObject({ code: 0 });
});

test('on a full disk it says how much is free and needed', async () => {
  const clone = prepared({ broken: '', 'bin/df': '#!/bin/sh\nprintf "Filesystem 1024-blocks Used Available\\nany 1 1 92160\\n"\n' });
  const { code, output } = await clone.ended(clone.setup());
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('setup: this disk has 90 MB free; the packages take 260') });
});

test('a build that fails is said in words, with what works without it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-go-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const go = '#!/bin/sh\n[ "$1" != env ] || { echo go1.26.1; exit; }\necho "dial tcp: network is unreachable" >&2\nexit 1\n';
  writeFileSync(join(dir, 'go'), go, { mode: 0o755 });
  const env = { PATH: `${dir}:/usr/bin:/bin`, SLUICE_CACHE: join(dir, 'cache') };
  const child = spawn(process.execPath, [join(root, 'scripts/tools.ts')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([child.stderr.toArray(), once(child, 'exit')]);
  const text = said.join('');
  expect(code).toBe(1);
  expect(text).toMatch(
    /^setup: go build of .* ended with code 1:\ndial tcp: network is unreachable\nsetup: run this again to go on from here\..*\n$/m,
  );
  expect(text).not.toContain('at ');
});

test('on an old Node it fetches a newer one, which npm scripts find first; once', async () => {
  const clone = prepared({ 'bin/node': OLD, 'bin/old.cjs': oldNode });
  expect(await clone.ended(clone.setup())).toMatchObject({ code: 0, output: expect.stringContaining('is older than this project needs') });
  const own = clone.path('node_modules/.bin/node');
  expect(lstatSync(own).isSymbolicLink()).toBe(true);
  expect(realpathSync(own)).toBe(realpathSync(process.execPath));
  expect(await clone.ended(clone.setup())).toEqual({ code: 0, output: '' });
  expect(clone.calls()).toHaveLength(2);
});

test('a Node that is not there any more is replaced', async () => {
  const clone = prepared();
  await clone.ended(clone.setup());
  rmSync(clone.path('node_modules/.bin/node'));
  symlinkSync('/nonexistent/node', clone.path('node_modules/.bin/node'));
  expect(await clone.ended(clone.setup())).toEqual({ code: 0, output: '' });
  expect(realpathSync(clone.path('node_modules/.bin/node'))).toBe(realpathSync(process.execPath));
});

const oldNode = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });
Object.defineProperty(process, 'version', { value: 'v20.1.0' });
process.execPath = __dirname + '/node';
`;

interface Running {
  readonly child: ChildProcess;
  said(): string;
}

/** A clone with what set-up reads, and these files. */
function prepared(files: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-setup-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  for (const file of ['scripts/setup.sh', 'scripts/nodejs.sh', 'tools/nodejs', 'package.json', 'package-lock.json'])
    cpSync(join(root, file), join(dir, file), { recursive: true });
  mkdirSync(join(dir, 'bin'));
  if (!('bin/node' in files)) symlinkSync(process.execPath, join(dir, 'bin/node'));
  for (const [file, text] of Object.entries({ 'bin/npm': NPM, ...files })) writeFileSync(join(dir, file), text, { mode: 0o755 });
  const path = (name: string) => join(dir, name);
  return {
    path,
    calls: () => (existsSync(path('calls')) ? readFileSync(path('calls'), 'utf8').trim().split('\n') : []),
    setup(): Running {
      const env = { ...process.env, PATH: `${path('bin')}:/usr/bin:/bin` };
      const child = spawn('bash', ['scripts/setup.sh', 'packages'], { cwd: dir, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      return { child, said: () => text };
    },
    async ended({ child, said }: Running) {
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, output: said() };
    },
  };
}
