/** The scripts in real shells, and the arguments of the programs that they call. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { envFile, tellNews } from '../../src/fuse/index.ts';
import { clients, realigning, script } from './given.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-fuse-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const target = join(folder, 'mnt');
/** Every shell that a vendor's image may have, of those that are here; dash is Debian's sh, busybox Alpine's. */
const SHELLS = [['dash'], ['busybox', 'sh'], ['bash', '--norc', '--posix'], ['bash', '--norc']].filter(
  ([name]) => spawnSync('which', [name ?? '']).status === 0,
);

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}
function run(text: string, shell: readonly string[] = ['sh'], environment: Readonly<Record<string, string>> = {}): Ran {
  const [command = '', ...args] = shell;
  const env = { PATH: process.env['PATH'] ?? '', TMPDIR: folder, ...environment };
  return spawnSync(command, [...args, '-c', text], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
const words = ({ stdout, stderr, status }: Ran) => (status === 0 ? stdout.split('\0').slice(0, -1) : stderr);

/** Puts what config.json says to be in the Secret's files where the script finds it. */
function withSecrets(text: string): string {
  return text.replaceAll('/etc/fluid/secrets/', `${folder}/secrets/`);
}
function secretFile(key: string, text: string): string {
  const path = join(folder, 'secrets/s', key);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return `/etc/fluid/secrets/s/${key}`;
}

/** Text as users write it, and as those write it who mean harm. No argument of a program can hold NUL. */
const hostile = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.string({ unit: fc.constantFrom(...'\'"\\$`!*?[]{}()<>|&;#~=%^ \t\n\r-a1'), maxLength: 8 }),
    fc.constantFrom('$(id)', '`id`', "'; rm -rf / #", '${HOME}', '-n', '--', '~root', '\\', "'", '\n', '${', '{a,b}', '2>x'),
  )
  .map((value) => value.replaceAll('\0', ''));
const printed = (args: readonly string[]) => ({ program: 'printf', args: ['%s\\0', ...args] });

describe.each(SHELLS.map((shell) => [shell.join(' '), shell] as const))('%s', (_, shell) => {
  test('gives the client each value as one argument, to the letter', () =>
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 12 }), (values) => {
        const options = Object.fromEntries(values.map((value, i) => [`o${i}`, value]));
        const { text } = script(printed(values.map((_value, i) => `x\${mount.options.o${i}}`)), mounted(options));
        expect(words(run(text, shell))).toEqual(values.map((value) => `x${value}`));
      }),
      { numRuns: 15 },
    ));
  test('gives the client secrets in its environment, to the letter but for newlines at the end', () =>
    fc.assert(
      fc.property(hostile, hostile, (before, value) => {
        const { text } = script(
          { program: 'printenv', args: ['-0', 'TOKEN'], env: { TOKEN: `${before.replaceAll('${', () => '$${')}/\${secret.t}` } },
          mounted({ t: secretFile('t', `${value}\n\n`) }),
        );
        expect(words(run(withSecrets(text), shell))).toEqual([`${before}/${value.replace(/\n+$/, '')}`]);
      }),
      { numRuns: 15 },
    ));
  test('gives the client secrets in files, to the letter, that only its user can read', () =>
    fc.assert(
      fc.property(hostile, hostile, (id, value) => {
        const { text } = script(
          {
            program: 'sh',
            args: ['-c', 'stat -c %a "$1"; cat "$1"', 'sh', '${file.passwd}'],
            files: { passwd: '${secret.id}:${secret.key}' },
          },
          mounted({ id: secretFile('id', id), key: secretFile('key', value) }),
        );
        expect(run(withSecrets(text), shell).stdout).toBe(`600\n${id.replace(/\n+$/, '')}:${value.replace(/\n+$/, '')}`);
      }),
      { numRuns: 10 },
    ));
  test('takes names from its environment, and texts if they do not exist', () => {
    const { text } = script(printed(['${env.A}', '${env.B:-it\'s "$(id)" `id`}', '-o', '${env.C:-ro,noatime}']), mounted({}));
    expect(words(run(text, shell, { A: '$(id) \'"', C: '' }))).toEqual(['$(id) \'"', 'it\'s "$(id)" `id`', '-o', 'ro,noatime']);
    expect(run(text, shell).stderr).toContain('A: is not set');
  });
  test('gives its place to the client, so that signals reach it', async () => {
    const { text } = script({ program: 'sh', args: ['-c', 'echo $$; exec sleep 60'] }, mounted({}));
    const [command = '', ...args] = shell;
    const child = spawn(command, [...args, '-c', text], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = (await once(child.stdout, 'data')) as [Buffer];
    expect(Number(pid)).toBe(child.pid);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });
  test('stops at the first thing that goes wrong', () => {
    const { text } = script({ program: 'true', env: { T: '${secret.t}' } }, mounted({ t: '/etc/fluid/secrets/s/not-there' }));
    expect(run(text, shell).status).not.toBe(0);
  });
  test('runs a client for each mount, starts one again that ends, and ends with all of them', { timeout: 180_000 }, async () => {
    const own = several();
    await using child = started(shell, script(own.template, own.config({ a: '', "it's b": '' })).text);
    await expect.poll(own.log, { timeout: 60_000 }).toEqual(['start a', "start it's b"]);
    expect(existsSync(join(own.folder, "mnt/it's b"))).toBe(true);
    own.kill('a');
    await expect.poll(own.log, { timeout: 60_000 }).toEqual(['start a', 'start a', "start it's b"]);
    await child.end();
    expect(own.log()).toEqual(['end a', "end it's b", 'start a', 'start a', "start it's b"]);
  });
  test('ends and begins what news say has changed, and nothing else', { timeout: 180_000 }, async () => {
    const own = several();
    const change = async (options: Readonly<Record<string, string>>) => {
      const { text, files } = realigning(own.template, own.config(options), own.folder);
      for (const [path, content] of Object.entries(files)) writeFileSync(path, content);
      await tellNews(own.folder);
      return text;
    };
    await using child = started(shell, await change({ stays: '', changes: '', goes: '' }));
    await expect.poll(own.log, { timeout: 60_000 }).toEqual(['start changes', 'start goes', 'start stays']);
    const before = own.pidOf('stays');
    expect(await change({ comes: '', stays: '', changes: 'x' })).toBe(await change({ comes: '', stays: '', changes: 'x' }));
    await expect
      .poll(own.log, { timeout: 60_000 })
      .toEqual(['end changes', 'end goes', 'start changes', 'start changesx', 'start comes', 'start goes', 'start stays']);
    expect(own.pidOf('stays')).toBe(before);
    await change({});
    await expect.poll(() => own.log().filter((line) => line.startsWith('end')).length, { timeout: 60_000 }).toBe(5);
    await change({ stays: '' });
    await expect.poll(() => own.log().filter((line) => line === 'start stays').length, { timeout: 60_000 }).toBe(2);
    await child.end();
    expect(own.log().filter((line) => line === 'end stays').length).toBe(2);
  });
  // A shell that has just been forked still has its parent's traps, and forgets a signal.
  test('ends on a signal that comes while it starts to read its clients again', { timeout: 180_000 }, async () => {
    for (let round = 0; round < 8; round++)
      await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const own = several();
          const { text, files } = realigning({ program: 'sleep', args: ['180'] }, own.config({ b: '' }), own.folder);
          for (const [path, content] of Object.entries(files)) writeFileSync(path, content);
          await using child = started(shell, text);
          await expect.poll(child.children, { timeout: 60_000, interval: 5 }).toHaveLength(2);
          for (const each of child.children()) process.kill(each, 'SIGKILL');
          await setTimeout((i * 8 + round) / 32);
          await child.end();
        }),
      );
  });
});

/** Clients that write into one file when they start and end; the first takes its time to end. */
function several() {
  const own = mkdtempSync(join(folder, 'several-'));
  // The trap first: a client that has started can be ended. It sits in `wait`, since a signal just before a `read` is only seen after it.
  const client = `trap 'kill $!; [ "$1" != a ] || sleep 1; echo "end $1$3" >> "$2/log"; exit 0' TERM; echo "start $1$3" >> "$2/log"; wait $!`;
  const args = [
    '-c',
    `sleep 180 > /dev/null 2>&1 & echo $$ > "$2/$1.pid"; echo $! > "$2/$1.sleep"; ${client}`,
    'sh',
    '${mount.bucket}',
    '${mount.options.log}',
    '${mount.options.mark}',
  ];
  const pid = (file: string) => Number(readFileSync(join(own, file), 'utf8'));
  return {
    folder: own,
    template: { program: 'sh', each: 'mounts', args },
    config: (marks: Readonly<Record<string, string>>) => ({
      mounts: Object.entries(marks).map(([name, mark]) => ({ mountPoint: `s3://${name}`, name, options: { log: own, mark } })),
      targetPath: join(own, 'mnt'),
    }),
    /** Sorted, since the order of clients is not defined. */
    log: () => (existsSync(join(own, 'log')) ? readFileSync(join(own, 'log'), 'utf8').split('\n').slice(0, -1) : []).toSorted(),
    pidOf: (name: string) => pid(`${name}.pid`),
    kill(name: string): void {
      for (const each of [pid(`${name}.pid`), pid(`${name}.sleep`)]) process.kill(each, 'SIGKILL');
    },
  };
}

function started([command = '', ...args]: readonly string[], text: string) {
  // A group of its own, so that nothing of it is left when a test fails.
  const child = spawn(command, [...args, '-c', text], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    return await ended;
  };
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  return { end, children, [Symbol.asyncDispose]: kill };
}

describe('a script', () => {
  const inline = mounted({ key: 'hunter2', url: 'u' });
  const of = { program: 'client', args: ['${mount.options.url}'], env: { KEY: '${secret.key}' } };
  test('has no secret in it that stands in config.json, and no other user can read where it is', () => {
    const { text, files } = script(of, inline, '/run/mount');
    expect(text).not.toContain('hunter2');
    const [path = ''] = Object.keys(files);
    expect(files).toEqual({ [path]: 'hunter2' });
    expect(path).toMatch(/^\/run\/mount\/secret-\w+$/);
    expect(text).toContain(`sluice_secret_1=$(cat ${path})`);
  });
  test('is refused where there is no place for such a secret, without printing it', () => {
    expect(() => script(of, inline)).toThrow(
      'options["key"]: expected the path of a file of a Secret, or a directory to put the secret in',
    );
    expect(() => script(of, inline)).not.toThrow('hunter2');
  });
  test('reads well where nothing is special', () =>
    expect(
      script({ program: 's3fs', args: ['${mount.bucket}', '${mount.target}', '-f'] }, mounted({}))
        .text.split('\n')
        .slice(-4),
    ).toEqual([expect.stringMatching(/^detach \S+ \S+$/), `mkdir -p ${target}`, `exec s3fs bucket ${target} -f`, '']));
});

test('an env file is read by a shell as it is meant', () =>
  fc.assert(
    fc.property(hostile, hostile, (plain, secret) => {
      const [client] = clients({ env: { A: '${mount.options.a}', B: 'x${secret.b}' } }, mounted({ a: plain, b: secretFile('b', secret) }));
      if (!client) throw new Error('no client');
      const path = join(folder, 'mount.env');
      writeFileSync(path, withSecrets(envFile(client).text));
      expect(words(run(`. "${path}"; exec printenv -0 A B`))).toEqual([plain, `x${secret.replace(/\n+$/, '')}`]);
      expect(statSync(path).size).toBeGreaterThan(0);
    }),
    { numRuns: 20 },
  ));

function mounted(options: Readonly<Record<string, string>>) {
  return { mounts: [{ mountPoint: 's3://bucket', name: 'a', options }], targetPath: target };
}
