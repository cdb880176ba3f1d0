import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import juicefs from '../../../runtimes/juicefs/index.ts';
import { community, enterprise, scriptOf, secret, workload } from './given.ts';

const shells = ['sh', 'bash'];
const RUNS = { numRuns: 20 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-script-'));
  // Each call leaves a file of its own with its arguments, separated by NUL, which no argument can contain.
  for (const program of ['juicefs', 'mount.juicefs', 'umount']) {
    const stub = join(folder, program);
    writeFileSync(
      stub,
      `#!/bin/sh\nn=0; while [ -e "${folder}/calls/$n" ]; do n=$((n+1)); done\nfor arg in ${program} "$@"; do printf '%s\\0' "$arg"; done > "${folder}/calls/$n"\n`,
    );
    chmodSync(stub, 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Run {
  readonly calls: readonly (readonly string[])[];
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
}

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const calls = join(folder, 'calls');
  const work = join(folder, 'work');
  for (const each of [calls, work]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each);
  }
  const [program = '', ...args] = argv;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: work,
    encoding: 'utf8',
    env: { ...env, PATH: `${folder}:/usr/bin:/bin` },
  });
  const files = readdirSync(calls).toSorted((a, b) => Number(a) - Number(b));
  // For every value, only the stubs may have run.
  expect(readdirSync(work), stderr).toEqual([]);
  return {
    code: status,
    output: stdout,
    errors: stderr,
    calls: files.map((file) => readFileSync(join(calls, file), 'utf8').split('\0').slice(0, -1)),
  };
}

/** The script with stubs for JuiceFS' programs, which must be in it under their own paths. */
function runScript(shell: string, script: string, env: Readonly<Record<string, string>>, programs: readonly string[]): Run {
  const replaced = programs.reduce((text, program) => {
    const call = new RegExp(`(^|^exec |^if ! |\\|\\| )${program} `, 'm');
    expect(text).toMatch(call);
    return text.replace(call, (_, before: string) => `${before}${folder}/${program.split('/').at(-1)} `);
  }, script);
  const file = join(folder, 'script.sh');
  writeFileSync(file, replaced);
  return run([shell, file], env);
}

const PIECES = [
  "'",
  '"',
  '`touch x`',
  '$(touch x)',
  '$HOME',
  '${IFS}',
  '*',
  '?',
  '[a-z]',
  '~',
  ' ',
  '\t',
  '\n',
  '\\',
  ';',
  '&',
  '|',
  '>x',
  '<',
  '#',
  '!',
  '-',
  '--x',
  'ü',
  '漢字',
  '🧊',
  '{',
  '}',
  'a',
  '%s',
  ')',
];
/** Values by which a user could break a script. */
const hostile = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: 'grapheme', maxLength: 3 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((pieces) => pieces.join('').replaceAll('\0', ''));
const option = hostile.filter((text) => text !== '' && !text.includes(',') && !text.includes('='));
const directory = option.filter((text) => !text.includes(':') && !`/${text}/`.includes('/../')).map((text) => `/${text}`);
const name = hostile.filter((text) => text !== '' && !text.includes('/') && !text.startsWith('-') && text !== '.' && text !== '..');
const filled = hostile.filter((text) => text.trim() !== '');

const pairs = fc.dictionary(
  option.map((text) => `k${text}`),
  option,
  { maxKeys: 3 },
);
const list = (options: Readonly<Record<string, string>>) =>
  Object.keys(options)
    .toSorted()
    .map((key) => (options[key] ? `${key}=${options[key]}` : key))
    .join(',');
const mountPath = '/runtime-mnt/juicefs/ml/demo/juicefs-fuse';

const failing = (shell: string, role: 'worker' | 'fuse') =>
  runScript(
    shell,
    scriptOf(community({ mount: { options: { storage: 's3', bucket: 'b' } } }), role).replace(
      /^\/usr\/local\/bin\/juicefs format .*?(?= \|\| echo|$)/m,
      'false',
    ),
    { METAURL: 'r' },
    ['/bin/mount.juicefs'],
  );

describe.each(shells)('under %s', (shell) => {
  test('community programs are given exactly what the user wrote', () => {
    fc.assert(
      fc.property(
        fc.record({
          name,
          storage: filled,
          bucket: filled,
          subPath: directory,
          cacheDir: directory,
          configs: fc.array(filled, { maxLength: 2 }),
          dataset: pairs,
          settings: fc.dictionary(fc.constantFrom('block-size', 'compress', 'trash-days'), option),
          worker: pairs,
          fuse: pairs,
        }),
        fc.record({ METAURL: filled, ACCESS_KEY: hostile, SECRET_KEY: hostile, session_token: hostile }),
        (user, secrets) => {
          const input = community({
            mount: {
              name: user.name,
              mountPoint: `juicefs://${user.subPath}`,
              options: { ...user.dataset, ...user.settings, storage: user.storage, bucket: user.bucket, quota: '10Gi' },
              encryptOptions: [secret('metaurl'), secret('access-key'), secret('secret-key'), secret('session-token')],
            },
            spec: {
              configs: user.configs,
              worker: { options: { ...user.worker, 'cache-dir': user.cacheDir } },
              fuse: { options: { ...user.fuse, 'cache-dir': user.cacheDir } },
            },
          });
          const format = [
            'juicefs',
            'format',
            ...user.configs.map((config) => `--${config.trim()}`),
            `--access-key=${secrets.ACCESS_KEY}`,
            `--secret-key=${secrets.SECRET_KEY}`,
            `--storage=${user.storage}`,
            `--bucket=${user.bucket}`,
            ...Object.entries(user.settings)
              .map(([key, value]) => `--${key}=${value}`)
              .toSorted(),
            `--session-token=${secrets.session_token}`,
            secrets.METAURL,
            user.name,
          ];
          const common = { subdir: user.subPath, 'cache-dir': user.cacheDir };
          const mount = (options: Readonly<Record<string, string>>) => ['mount.juicefs', secrets.METAURL, mountPath, '-o', list(options)];
          const worker = runScript(shell, scriptOf(input, 'worker'), secrets, ['/usr/local/bin/juicefs', '/bin/mount.juicefs']);
          expect(worker.calls).toEqual([format, mount({ ...user.worker, ...common, metrics: '0.0.0.0:14001' })]);
          const fuse = runScript(shell, scriptOf(input, 'fuse'), secrets, [
            '/usr/local/bin/juicefs',
            '/usr/local/bin/juicefs',
            '/bin/mount.juicefs',
          ]);
          expect(fuse.calls).toEqual([
            format,
            ['juicefs', 'quota', 'set', secrets.METAURL, '--path', user.subPath, '--capacity', '10', '--create'],
            mount({
              ...user.dataset,
              ...user.fuse,
              ...common,
              metrics: '0.0.0.0:14002',
              ro: '',
              'attr-cache': '7200',
              'entry-cache': '7200',
            }),
          ]);
        },
      ),
      RUNS,
    );
  });

  test('enterprise programs are given exactly what the user wrote', () => {
    fc.assert(
      fc.property(
        fc.record({
          name,
          bucket: filled,
          bucket2: option,
          subPath: directory,
          configs: fc.array(filled, { maxLength: 2 }),
          worker: pairs,
          group: option,
        }),
        fc.record({ TOKEN: hostile, ACCESS_KEY: hostile, SECRET_KEY: hostile, access_key2: hostile, secret_key2: hostile }),
        (user, secrets) => {
          const input = enterprise({
            mount: {
              name: user.name,
              mountPoint: `juicefs://${user.subPath}`,
              options: { bucket: user.bucket, bucket2: user.bucket2, quota: '1Ti' },
              encryptOptions: ['token', 'access-key', 'secret-key', 'access-key2', 'secret-key2'].map((each) => secret(each)),
            },
            spec: { configs: user.configs, worker: { options: { ...user.worker, 'cache-group': user.group } } },
          });
          const auth = [
            'juicefs',
            'auth',
            ...user.configs.map((config) => `--${config.trim()}`),
            `--token=${secrets.TOKEN}`,
            `--accesskey=${secrets.ACCESS_KEY}`,
            `--secretkey=${secrets.SECRET_KEY}`,
            `--bucket=${user.bucket}`,
            `--bucket2=${user.bucket2}`,
            `--access-key2=${secrets.access_key2}`,
            `--secret-key2=${secrets.secret_key2}`,
            user.name,
          ];
          const common = { subdir: user.subPath, 'cache-dir': '/var/jfsCache', foreground: '', 'no-update': '' };
          const mount = (options: Readonly<Record<string, string>>) => ['mount.juicefs', user.name, mountPath, '-o', list(options)];
          const worker = runScript(shell, scriptOf(input, 'worker'), secrets, ['/usr/bin/juicefs', '/sbin/mount.juicefs']);
          expect(worker.calls).toEqual([auth, mount({ ...user.worker, ...common, 'cache-group': user.group })]);
          const fuse = runScript(shell, scriptOf(input, 'fuse'), secrets, ['/usr/bin/juicefs', '/usr/bin/juicefs', '/sbin/mount.juicefs']);
          const reading = { ro: '', attrcacheto: '7200', entrycacheto: '7200', 'no-sharing': '', 'cache-group': 'ml-demo' };
          expect(fuse.calls).toEqual([
            auth,
            ['juicefs', 'quota', 'set', user.name, '--path', user.subPath, '--capacity', '1024', '--create'],
            mount({ ...common, ...reading }),
          ]);
        },
      ),
      RUNS,
    );
  });

  test('says before each step what it does and when', () => {
    const input = community({ mount: { mountPoint: 'juicefs:///dir', options: { quota: '1Gi', storage: 's3', bucket: 'b' } } });
    const { output } = runScript(shell, scriptOf(input, 'fuse'), { METAURL: 'redis://r' }, [
      '/usr/local/bin/juicefs',
      '/usr/local/bin/juicefs',
      '/bin/mount.juicefs',
    ]);
    const lines = output.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d{3} /, ''))).toEqual([
      'juicefs format start.',
      'juicefs set quota start.',
      'juicefs mount start.',
    ]);
  });

  test('a reader stops where it cannot log in; a worker goes on and says so, as its file system may have been formatted long ago', () => {
    expect(failing(shell, 'fuse')).toMatchObject({ code: 1, calls: [] });
    const worker = failing(shell, 'worker');
    expect(worker).toMatchObject({ code: 0, calls: [['mount.juicefs', 'r', mountPath, '-o', expect.any(String)]] });
    expect(worker.errors).toContain('This worker serves the volume that is there');
  });
});

test('without a place for objects, no client starts where there is no volume, and the log names what is missing', () => {
  const script = scriptOf(community({ mount: { options: { bucket: 'http://minio/b' } } }), 'fuse');
  const none = runScript('sh', script.replace(/^if ! .*;/m, 'if ! false;'), { METAURL: 'r' }, ['/bin/mount.juicefs']);
  expect(none).toMatchObject({ code: 1, calls: [] });
  const found = runScript('sh', script, { METAURL: 'r' }, ['/usr/local/bin/juicefs', '/bin/mount.juicefs']);
  expect(found.calls.map(([program]) => program)).toEqual(['juicefs', 'mount.juicefs']);
});

test.each<[number, readonly (readonly string[])[]]>([
  [0, []],
  [1, [['juicefs', 'quota', 'set', 'r', '--path', '/dir', '--capacity', '1']]],
])('where creating the directory of a quota ends with %i', (code, tried) => {
  const input = community({ mount: { mountPoint: 'juicefs:///dir', options: { quota: '1Gi', storage: 's3', bucket: 'b' } } });
  const script = scriptOf(input, 'fuse').replace(/^\S+ quota .* --create /m, `sh -c 'exit ${code}' `);
  const programs = ['/usr/local/bin/juicefs', '/usr/local/bin/juicefs', '/bin/mount.juicefs'];
  const { calls } = runScript('sh', script, { METAURL: 'r' }, programs);
  expect(calls.slice(1, -1)).toEqual(tried);
  expect(calls.at(-1)?.[0]).toBe('mount.juicefs');
});

test('cleaning deletes the cache of a volume, but no data that waits to be uploaded', () => {
  const cache = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
  const volumes = ['clean', 'staged', 'strange'].map((name) => join(cache, name));
  for (const each of volumes) for (const part of ['raw/chunks/0/0', 'rawstaging']) mkdirSync(join(each, part), { recursive: true });
  for (const each of volumes) for (const file of ['raw/chunks/0/0/1_0_9', '.lock']) writeFileSync(join(each, file), '');
  writeFileSync(join(volumes[1] ?? '', 'rawstaging/2_0_9'), '');
  writeFileSync(join(volumes[2] ?? '', 'own'), '');
  const [{ argv } = { argv: [] }] = juicefs.bind(enterprise()).cleanup?.commands(undefined) ?? [];
  const { status, stderr } = spawnSync(argv[0] ?? '', [...argv.slice(1, 4), ...volumes, join(cache, 'none')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(cache, { recursive: true }).toSorted()).toEqual([
    'staged',
    'staged/.lock',
    'staged/rawstaging',
    'staged/rawstaging/2_0_9',
    'strange',
    'strange/own',
  ]);
  rmSync(cache, { recursive: true });
});

test('an enterprise pod that has logged in does not log in again', () => {
  const known = scriptOf(enterprise(), 'fuse').replace('/root/.juicefs/vol.conf', '/etc/passwd');
  expect(existsSync('/etc/passwd')).toBe(true);
  expect(runScript('sh', known, {}, ['/usr/bin/juicefs', '/sbin/mount.juicefs']).calls.map(([program]) => program)).toEqual([
    'mount.juicefs',
  ]);
});

test('an enterprise volume without a token is mounted as its image knows it', () => {
  const script = scriptOf(enterprise({ mount: { encryptOptions: [] } }), 'fuse');
  expect(runScript('sh', script, {}, ['/sbin/mount.juicefs']).calls).toHaveLength(1);
  expect(script).not.toContain('auth');
});

test('a mount is unmounted at every path', () => {
  fc.assert(
    fc.property(directory, (mountRoot) => {
      const { command } = workload(community({ settings: { mountRoot } }), 'worker').container.lifecycle.preStop.exec;
      expect(run(command).calls).toEqual([['umount', `${mountRoot}/juicefs/ml/demo/juicefs-fuse`]]);
    }),
    RUNS,
  );
});

test('the metadata engine is asked by its secret address', () => {
  const [ask] = juicefs.bind(community()).cleanup?.ask?.commands ?? [];
  fc.assert(
    fc.property(filled, (METAURL) => {
      expect(run(ask?.argv ?? [], { METAURL }).calls).toEqual([['juicefs', 'status', METAURL]]);
    }),
    RUNS,
  );
});
