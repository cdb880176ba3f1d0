/** The scripts of DataLoads, as bash runs them with the arguments that the kubelet passes, and stubs for kubectl and the engines. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Manifest } from '../../../src/api/index.ts';
import type { LoadSpec } from '../../../src/constructs/index.ts';
import { type Loading, madeFor } from '../../support/operations.ts';

/** Names that a user may write between slashes, and that no shell, kubelet or program may understand otherwise. */
const HOSTILE = [
  '/a b',
  '/-rf',
  '/--',
  "/it's",
  '/"',
  '/$HOME',
  '/$(POD_NAMES)',
  '/$$(POD_NAMES)',
  '/a$$b',
  '/$',
  '/`id`',
  '/*',
  '/a\nb',
  '/a:b',
  '/\\n',
  '/;touch x',
  '/a\n\tFiles Processed: a[$(touch x)]',
];
const RECORDED = join(import.meta.dirname, '../../../src/playground/engines/juicefs-recorded');
const MOUNT = '/runtime-mnt/juicefs/ml/demo/juicefs-fuse';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-load-'));
  // Each call leaves a file of its own with its arguments, separated by NUL. It then does as the test says.
  for (const program of ['kubectl', 'alluxio', 'jindo', 'jindocache']) {
    const stub = join(folder, program);
    writeFileSync(
      stub,
      `#!/bin/bash\nn=$(ls "${folder}/calls" | wc -l)\nprintf '%s\\0' "$@" > "${folder}/calls/$n"\nall="$*"\n. "${folder}/answers"\n`,
    );
    chmodSync(stub, 0o755);
  }
  writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n');
  chmodSync(join(folder, 'sleep'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Pod {
  readonly containers: readonly [{ readonly args: readonly string[]; readonly env: readonly { name: string; value?: string }[] }];
}

/** @param answers what the stubs do, in bash; `$all` are their arguments */
function run(runtime: Loading, spec: LoadSpec, answers = '') {
  const manifests = madeFor(runtime, spec);
  const of = (kind: string) => manifests.find((each) => each.kind === kind) as Manifest;
  const [{ args, env }] = (of('Job')['spec'] as { template: { spec: Pod } }).template.spec.containers;
  // The kubelet expands variables, too.
  const said = Object.fromEntries(env.map(({ name, value = '10.0.0.9' }) => [name, value]));
  const values = Object.fromEntries(Object.entries(said).map(([name, value]) => [name, expanded(value, said)]));
  const calls = join(folder, 'calls');
  const work = join(folder, 'work');
  for (const each of [calls, work]) {
    rmSync(each, { recursive: true, force: true });
    mkdirSync(each);
  }
  writeFileSync(join(folder, 'answers'), answers);
  const [progress, last] = [join(folder, 'progress'), join(folder, 'last')];
  for (const each of [progress, last]) rmSync(each, { force: true });
  const script = (of('ConfigMap')['data'] as Record<string, string>)['load.sh'] ?? '';
  const file = join(folder, 'load.sh');
  writeFileSync(file, script.replaceAll('/tmp/progress', progress).replaceAll('/dev/termination-log', last));
  const { status, stdout, stderr } = spawnSync('bash', [file, ...args.map((arg) => expanded(arg, values))], {
    cwd: work,
    encoding: 'utf8',
    env: { ...values, PATH: `${folder}:/usr/bin:/bin` },
    timeout: 60_000,
  });
  // For every value, only the stubs may have run.
  expect(readdirSync(work), stderr).toEqual([]);
  const files = readdirSync(calls).toSorted((a, b) => Number(a) - Number(b));
  return {
    code: status,
    stdout,
    stderr,
    calls: files.map((name) => readFileSync(join(calls, name), 'utf8').split('\0').slice(0, -1)),
    infos: existsSync(last) ? readFileSync(last, 'utf8') : undefined,
  };
}

/** As the kubelet does it: `$(NAME)` is the variable if there is one, and `$$` is `$`. */
const expanded = (arg: string, env: Readonly<Record<string, string>>): string =>
  arg.replaceAll(/\$\$|\$\(([^)]*)\)/g, (found, name: string | undefined) => (name === undefined ? '$' : (env[name] ?? found)));

describe('JuiceFS', () => {
  const inPod = (...argv: string[]) => ['-n', 'ml', 'exec', 'demo-worker-0', '--', 'timeout', ...argv];
  test('every path and option reaches juicefs as it was written', () => {
    const options = { threads: '50', background: '', 'a b': "c 'd' $(POD_NAMES)", rf: '$$', 'x=y': '"\n`id`' };
    const { code, stderr, calls } = run('juicefs', { target: HOSTILE.map((path) => ({ path })), options: { ...options, timeout: '1.5h' } });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(calls[0]).toEqual(expect.arrayContaining(['get', 'pods', '-l', 'release=demo,role=juicefs-fuse']));
    expect(calls.slice(2, -1)).toEqual(HOSTILE.map((path) => inPod('30s', 'ls', '-d', MOUNT + path)));
    const said = ['--threads=50', '--background', "--a b=c 'd' $(POD_NAMES)", '--rf=$$', '--x=y="\n`id`'];
    expect(calls.at(-1)).toEqual(inPod('1.5h', 'juicefs', 'warmup', ...HOSTILE.map((path) => MOUNT + path), ...said));
  });
  test('a path that does not exist ends it before anything is loaded', () => {
    const { code, stderr, calls } = run('juicefs', { target: [{ path: '/a' }, { path: '/no $(where)' }] }, '[[ $all != *no* ]]');
    expect(code).toBe(1);
    expect(stderr).toContain('path /no $(where) does not exist in the Dataset');
    expect(calls.flat()).not.toContain('warmup');
  });
  test('a pattern that is no path itself is what the client finds for it, of which each is one argument', () => {
    const inClient = 'if [[ $all == *"ls -d"* ]]; then exit 1; fi; [[ $all != *"sh -c"* ]] || printf "%s\\0" "/m/a b" "/m/a\n*"';
    const { code, calls } = run('juicefs', { target: [{ path: '/a*' }] }, inClient);
    expect(code).toBe(0);
    expect(calls.at(-2)?.slice(-2)).toEqual(['sh', `${MOUNT}/a*`]);
    expect(calls.at(-1)).toEqual(inPod('30m', 'juicefs', 'warmup', '/m/a b', '/m/a\n*'));
  });
  test('a pattern that matches nothing, or too much, loads nothing', () => {
    const answer = (count: number) =>
      `if [[ $all == *"ls -d"* ]]; then exit 1; fi; [[ $all != *"sh -c"* ]] || for i in $(seq ${count}); do printf "%s\\0" "$i"; done`;
    for (const [count, message] of [
      [0, 'path /a* does not exist in the Dataset'],
      [1001, 'path /a* matches 1001 paths: expected at most 1000; name their directory'],
    ] as const) {
      const { code, stderr, calls } = run('juicefs', { target: [{ path: '/a*' }] }, answer(count));
      expect(code).toBe(1);
      expect(stderr).toContain(message);
      expect(calls.flat()).not.toContain('warmup');
    }
  });
  test.each([
    ['an older one', 'Successfully warmed up 12 files (345 bytes) [warmup.go:226]', 'Files=12\nBytes=345\n'],
    ['a newer one', 'warmup: 12 files (3.4 MiB bytes) [warmup.go:266]', 'Files=12\nBytes=3.4 MiB\n'],
    ['one in the background', 'warmup for 2 paths in background', ''],
  ])('%s reports what it has loaded', (_, line, infos) => {
    const answer = `[[ $all != *warmup* ]] || echo "2026/11/22 13:13:19.756789 juicefs[42] <INFO>: ${line}" >&2`;
    expect(run('juicefs', {}, answer).infos).toBe(`Progress=1 of 1 clients\n${infos}`);
  });
  test('the progress file is replaced, so that the controller never reads half of it', () => {
    const before = join(folder, 'before');
    rmSync(before, { force: true });
    expect(run('juicefs', {}, `[[ $all != *warmup* ]] || ln "\${0%/*}/progress" "${before}"`).code).toBe(0);
    expect(readFileSync(before, 'utf8')).toBe('Progress=0 of 1 clients\nStep=loading in demo-worker-0\n');
  });
  describe('every client that is ready loads', () => {
    const readers = `case $all in
      *' get pods '*) printf 'demo-fuse-a:demo-fuse-b:' ;;
      *fuse-a*warmup*) exit 1 ;;
    esac`;
    test('and one in which it fails, as it may be gone, is named and no failure', () => {
      const { code, calls, infos, stderr } = run('juicefs', {}, readers);
      expect(calls.filter((call) => call.includes('warmup')).map((call) => call[3])).toEqual([
        'demo-worker-0',
        'demo-fuse-a',
        'demo-fuse-b',
      ]);
      expect([code, infos]).toEqual([0, 'Progress=2 of 3 clients\nSkipped=demo-fuse-a\n']);
      expect(stderr).toContain('pod demo-fuse-a: juicefs warmup failed');
    });
    const beside = `case $all in
      *' get pods '*inject=true*) printf 'app dataset-name.sidecar.fluid.io/fluid-fuse-1 demo\\napp dataset-name.sidecar.fluid.io/fluid-fuse-0 other\\napp a demo\\n' ;;
      *' get pods '*) printf 'demo-fuse-a:' ;;
    esac`;
    const loadedIn = (calls: readonly (readonly string[])[]) =>
      calls.filter((call) => call.some((word) => word.includes('warmup'))).map((call) => call.slice(3, call.indexOf('--')).join(' '));
    test('so does a sidecar, at its own mount', () => {
      const { code, calls, infos } = run('juicefs', { target: [{ path: '/a b' }, { path: '/c' }], options: { threads: '5' } }, beside);
      expect([code, infos]).toEqual([0, 'Progress=3 of 3 clients\n']);
      expect(loadedIn(calls)).toEqual(['demo-worker-0', 'demo-fuse-a', 'app -c fluid-fuse-1']);
      const [script = '', ...words] = (calls.at(-1) ?? []).slice(9);
      expect(words).toEqual(['sh', '30m', MOUNT, '2', '/a b', '/c', '--threads=5']);
      // A sidecar sees the mounts of the other clients of its node, too.
      const pod = mkdtempSync(join(tmpdir(), 'sidecar'));
      onTestFinished(() => rmSync(pod, { recursive: true }));
      writeFileSync(join(pod, 'timeout'), `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 });
      const loadedAt = (...mounts: string[]) => {
        writeFileSync(
          join(pod, 'mounts'),
          ['/', ...mounts].map((at) => `JuiceFS:x ${at} ${at === '/' ? 'overlay' : 'fuse.juicefs'} rw 0 0\n`).join(''),
        );
        const own = script.replace('/proc/self/mounts', join(pod, 'mounts'));
        return execFileSync('sh', ['-c', own, ...words], { encoding: 'utf8', env: { PATH: `${pod}:/usr/bin:/bin` } })
          .split('\n')
          .slice(0, -1);
      };
      for (const mounts of [[MOUNT], ['/fluid-mounts/a', MOUNT], [MOUNT, '/fluid-mounts/a/juicefs-fuse', '/fluid-mounts/juicefs-fuse']])
        expect(loadedAt(...mounts)).toEqual(['30m', 'juicefs', 'warmup', '--threads=5', `${MOUNT}/a b`, `${MOUNT}/c`]);
      expect(loadedAt('/elsewhere').at(-1)).toBe('/elsewhere/c');
    });
    test.each([
      ['fuse', ['demo-fuse-a']],
      ['sidecars, workers', ['demo-worker-0', 'app -c fluid-fuse-1']],
      ['app', ['app -c fluid-fuse-1']],
      ['demo-fuse-a,app', ['demo-fuse-a', 'app -c fluid-fuse-1']],
    ])('those alone that are named: %s', (clients, expected) => {
      const { code, calls } = run('juicefs', { options: { clients } }, beside);
      expect([code, loadedIn(calls)]).toEqual([0, expected]);
    });
    test('a name that no ready client has is said', () => {
      const { code, infos, stderr } = run('juicefs', { options: { clients: 'worker,fuse' } }, beside);
      expect([code, infos]).toEqual([0, 'Progress=1 of 1 clients\nSkipped=worker\n']);
      expect(stderr).toContain('or names of pods whose client is ready, found worker\n');
    });
    test('none of those that are named is ready', () => {
      const { code, stderr } = run('juicefs', { options: { clients: 'demo-fuse-z' } }, beside);
      expect([code, stderr]).toEqual([1, 'no client is ready of those that spec.options.clients names: demo-fuse-z\n']);
      expect(() => madeFor('juicefs', { options: { clients: '$(x)' } })).toThrow('workers, fuse, sidecars or names of pods');
    });
    test('but a worker must', () => {
      expect(run('juicefs', {}, readers.replace('*fuse-a*warmup*', '*worker-0*warmup*')).code).toBe(1);
    });
  });
  describe.each(['1.3.0', '1.4.2'])('juicefs %s', (version) => {
    test('prints what the script reads', () => {
      const warmup = readFileSync(join(RECORDED, version, 'warmup'), 'utf8');
      const answer = `[[ $all != *warmup* ]] || cat >&2 <<'EOF'\n${warmup}EOF`;
      expect(run('juicefs', {}, answer).infos).toBe('Progress=1 of 1 clients\nFiles=3\nBytes=14 MiB\n');
    });
  });
  test('a failed warmup names the pod, and leaves no progress of one that succeeded', () => {
    const { code, stderr, infos } = run('juicefs', {}, '[[ $all != *warmup* ]] || exit 124');
    expect(code).toBe(1);
    expect(stderr).toContain('pod demo-worker-0: juicefs warmup failed');
    expect(infos).toBeUndefined();
  });
  test.each(['file', 'f', 'file=/proc/1/environ'])('the option %s, which prints a file of the worker, is refused', (name) => {
    expect(() => madeFor('juicefs', { options: { [name]: '/proc/1/environ' } })).toThrow('paths in spec.target');
  });
});

describe('Alluxio', () => {
  const NEW = `case $all in
    'fs distributedLoad') echo 'distributedLoad is an unknown command.'; exit 255 ;;
    *--progress) printf 'Progress for loading path:\\n\\tJob State: SUCCEEDED\\n\\tFiles Processed: 2\\n\\tBytes Loaded: 1KB out of 1KB\\n' ;;
  esac`;
  test('every path reaches Alluxio as it was written', () => {
    const { code, stderr, calls, infos } = run(
      'alluxio',
      { target: HOSTILE.map((path) => ({ path, replicas: 2 })), loadMetadata: true },
      `${NEW}\n[[ $all != 'fs ls'* || $ALLUXIO_USER_JAVA_OPTS == *metadata.sync.interval=0 ]]`,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(calls).toEqual([
      ['fs', 'distributedLoad'],
      ...HOSTILE.map((path) => ['fs', 'test', '-e', path]),
      ...HOSTILE.flatMap((path) => [
        ['fs', 'setReplication', '--max', '2', '-R', path],
        ['fs', 'ls', '-R', path],
        ['fs', 'load', path, '--submit'],
        ['fs', 'load', path, '--progress'],
      ]),
    ]);
    expect(infos).toBe(`Progress=${HOSTILE.length} of ${HOSTILE.length} paths\nFiles=${2 * HOSTILE.length}\n`);
  });
  test.each([
    ['512.00KB out of 2.00MB', 'path 1 of 1, 25 %', 'Percent=25\n'],
    ['0B out of 12B', 'path 1 of 1, 0 %', 'Percent=0\n'],
    ['1.50GB out of 1.50GB', 'path 1 of 1, 100 %', 'Percent=100\n'],
    ['512.00KB', 'path 1 of 1', 'Percent=\n'],
    ['0B out of 0B', 'path 1 of 1', 'Percent=\n'],
  ])('while it has loaded %s it reports %s', (loaded, said, percent) => {
    const { infos } = run(
      'alluxio',
      { target: [{ path: '/a' }] },
      `[ "$all" != 'fs distributedLoad' ] || { echo 'distributedLoad is an unknown command.'; exit 255; }
      seen=\${0%/*}/seen
      if [[ $all == *--submit ]]; then rm -f "$seen"; fi
      if [[ $all == *--progress ]]; then
        printf '\tFiles Processed: 3\n\tBytes Loaded: ${loaded}\n\tThroughput: 64.00KB/s\n'
        if [ -f "$seen" ]; then cp "\${0%/*}/progress" "$seen"; echo 'Job State: SUCCEEDED'; else touch "$seen"; echo 'Job State: RUNNING'; fi
      fi`,
    );
    const bytes = loaded.replace(' out of ', ' of ');
    const details = `Files=3\nBytes=${bytes}\n${percent}Rate=64.00KB/s\n`;
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe(`Progress=${said}\nStep=loading /a\n${details}`);
    expect(infos).toBe(`Progress=1 of 1 paths\n${details}`);
  });
  test('files for a new one are listed first, since it loads only files that it has listed', () => {
    const { calls } = run('alluxio', { target: [{ path: '/a' }] }, `${NEW}\n[[ $all != 'fs ls'* || $ALLUXIO_USER_JAVA_OPTS != *sync* ]]`);
    expect(calls.slice(-3)).toEqual([
      ['fs', 'ls', '-R', '/a'],
      ['fs', 'load', '/a', '--submit'],
      ['fs', 'load', '/a', '--progress'],
    ]);
  });
  test('an older one is called by its own command', () => {
    const { code, calls } = run('alluxio', { target: [{ path: '/a b', replicas: 3 }] }, '');
    expect(code).toBe(0);
    expect(calls.at(-1)).toEqual(['fs', 'distributedLoad', '--replication', '3', '/a b']);
  });
  test('a path that does not exist ends it before anything is loaded', () => {
    const { code, stderr, calls } = run('alluxio', { target: [{ path: '/a' }, { path: '/no where' }] }, `${NEW}\n[[ $all != *where* ]]`);
    expect(code).toBe(1);
    expect(stderr).toContain('path /no where does not exist in the Dataset');
    expect(calls.flat()).not.toContain('load');
  });
  test.each([
    ['submit', '[[ $all != *--submit ]]'],
    ['progress', '[[ $all != *--progress ]]'],
    ['state', '[[ $all != *--progress ]] || echo "Job State: FAILED"'],
    ['replication', '[[ $all != *setReplication* ]]'],
    ['metadata', '[[ $all != *fs\\ ls* ]]'],
  ])('it fails when the %s does', (_, answers) => {
    const old = `[ "$all" != 'fs distributedLoad' ] || { echo 'distributedLoad is an unknown command.'; exit 255; }\n`;
    const { code, infos } = run('alluxio', { target: [{ path: '/a' }], loadMetadata: true }, old + answers);
    expect(code).toBe(1);
    expect(infos).toBeUndefined();
  });
});

describe('Jindo', () => {
  const loaded = (path: string, copies: number, ...flags: string[]) => [
    '-load',
    ...flags,
    '-s',
    '-R',
    '-replica',
    String(copies),
    `jindo://${path}`,
  ];
  test('every path reaches Jindo as it was written', () => {
    const { code, stderr, calls, infos } = run('jindo', { target: HOSTILE.map((path) => ({ path, replicas: 2 })), loadMetadata: true });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(calls).toEqual([
      ...HOSTILE.map((path) => ['fs', '-ls', `jindo://${path}`]),
      ...HOSTILE.map((path) => loaded(path, 2, '-meta', '-data')),
    ]);
    expect(infos).toBe(`Progress=${HOSTILE.length} of ${HOSTILE.length} paths\n`);
  });
  test.each([
    ['nothing', {}, ['-data']],
    ['loadMetadataOnly', { loadMetadataOnly: 'true' }, ['-meta']],
    [
      'flags',
      { atomicCache: 'true', dryrun: 'true', forceload: 'true', loadMemorydata: 'true' },
      ['-data', '-atomic', '-m', '-dryrun', '-f'],
    ],
  ])('options: %s', (_, options, flags) => expect(run('jindo', { options }).calls.at(-1)).toEqual(loaded('/', 1, ...flags)));
  test.each(HOSTILE)('a filter reaches Jindo as it was written: %j', (filter) =>
    expect(run('jindo', { options: { filter, threadNum: '7' } }).calls.at(-1)).toEqual([
      ...loaded('/', 1, '-data').slice(0, -1),
      '-filter',
      filter,
      '-thread',
      '7',
      'jindo:///',
    ]),
  );
  test.each([
    ['a path that does not exist', '[[ $all != *where* ]]'],
    ['a path of which Jindo says so and succeeds', "[[ $all != *where* ]] || echo 'No such file or directory'"],
  ])('%s ends it before anything is loaded', (_, answers) => {
    const { code, stderr, calls } = run('jindo', { target: [{ path: '/a' }, { path: '/no where' }] }, answers);
    expect(code).toBe(1);
    expect(stderr).toContain('path /no where does not exist in the Dataset');
    expect(calls.flat()).not.toContain('-load');
  });
  test('a failed load names the path, and leaves no progress of one that succeeded', () => {
    const { code, stderr, infos } = run('jindo', { target: [{ path: '/a' }] }, '[[ $all != *-load* ]]');
    expect(code).toBe(1);
    expect(stderr).toContain('path /a was not loaded');
    expect(infos).toBeUndefined();
  });
  test.each([
    ['url', 'oss://b/list', 'paths in spec.target'],
    ['dryrun', 'yes', 'true or false'],
    ['threadNum', '0', 'a number of threads'],
  ])('the option %s=%s is refused: %s', (name, value, expected) =>
    expect(() => madeFor('jindo', { options: { [name]: value, filter: 'x' } })).toThrow(expected),
  );
});
