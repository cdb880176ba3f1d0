import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DataMigrateSpec } from '../../../src/api/index.ts';
import { secret } from '../juicefs/given.ts';
import { createFolder, type Folder } from '../../support/container-folder.ts';
import { run as runIn, type Running, SAYS } from './run.ts';

/** Names that a user may write between slashes, and that no shell, kubelet or program may understand otherwise. */
const HOSTILE = [
  'a b',
  '-rf',
  '--',
  "it's",
  '"',
  '$HOME',
  '$(TIMEOUT)',
  '$$(TIMEOUT)',
  'a$$b',
  '`id`',
  '*',
  'a\nb',
  'a:b@c',
  '\\n',
  ';touch x',
  '50%',
  'a%2Fb',
  '#1?x=y',
  'é€😀',
];
/** Keys that may occur. */
const KEYS = ['wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', 'a@b:c%2Fd', 'it\'s $(id) `id` "x" \\ é', '*?#[]{}&|;<>~!', 'a\nb', ' '];

const data = (name: string, path?: string) => ({ dataset: { name, namespace: '', ...(path !== undefined && { path }) } });
const at = (uri: string, ...options: readonly string[]) => ({
  externalStorage: { uri, encryptOptions: options.map((name) => secret(name)) },
});
const METAURL = 'redis://default:p%40ss@redis:6379/1';
const EXCLUDED = '--exclude=.jfs.*.tmp.[0-9]*';
const hosts = 'op-migrate-workers-0.op-migrate-workers,op-migrate-workers-1.op-migrate-workers';

describe('the script', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = createFolder();
  });
  afterAll(() => folder.remove());
  const run = (spec: Partial<DataMigrateSpec>, { secrets, ...given }: Running = {}) =>
    runIn(folder, { from: at('s3://b/src/'), to: data('demo', '/dst/'), ...spec }, { secrets: { url: METAURL, ...secrets }, ...given });

  test('has juicefs copy from one end to the other, and says how much it was', async () => {
    const { code, stdout, stderr, calls, env, infos } = await run({ options: { threads: '5' } }, { answers: SAYS(12, 5) });
    expect([code, stderr, calls]).toEqual([0, '', [['sync', 's3://b/src/', 'jfs://FLUID_METAURL/dst/', EXCLUDED, '--threads=5']]]);
    expect(env).toContain(`FLUID_METAURL=${METAURL}`);
    expect(stdout).toContain('from s3://b/src/ to path /dst/ of Dataset demo\n');
    expect(infos).toBe('Progress=12 of 12 files\nFiles=12 of 12\nBytes=1.50 KiB\nCopied=5\nSkipped=7\n');
  });

  test.concurrent('hands over every path and option as it was written', async () => {
    const own = createFolder();
    // Dashes alone name no option, and are refused.
    const names = HOSTILE.filter((text) => !/^-*$/.test(text));
    const options = Object.fromEntries(names.map((text) => [text, text]));
    for (const text of HOSTILE) {
      // No directory of a claim has a line break.
      const below = text.replace('\n', ' ');
      const paths = { from: data('demo', `/${text}/`), to: at(`pvc://archive/${below}/`) };
      const { code, stderr, calls } = await runIn(own, { ...paths, options }, { secrets: { url: METAURL } });
      expect([code, stderr]).toEqual([0, '']);
      const [[, from = '', to = '', , ...said] = []] = calls;
      expect([decodeURIComponent(from), decodeURIComponent(to)]).toEqual([
        `jfs://FLUID_METAURL/${text}/`,
        `file:///mnt/fluid-native/to/${below}/`,
      ]);
      expect(said).toEqual(names.map((each) => `--${each}=${each}`));
    }
    own.remove();
  });

  describe('keys of a store', () => {
    test.each(KEYS)('%j is in the URL as juicefs decodes it, and in no variable of juicefs', async (key) => {
      const { code, calls, env } = await run(
        { from: at('minio://h:9000/b/x@y/', 'access-key', 'secret-key') },
        { secrets: { 'access-key': key, 'secret-key': `${key}2` } },
      );
      expect(code).toBe(0);
      const url = calls[0]?.[1] ?? '';
      expect(url).toMatch(/^minio:\/\/[\w.~%-]+:[\w.~%-]+@h:9000\/b\/x%40y\/$/);
      const { username, password } = new URL(url);
      expect([username, password].map(decodeURIComponent)).toEqual([key, `${key}2`]);
      expect(env.filter((each) => each.startsWith('EXTERNAL_'))).toEqual([]);
    });
    test('a token is in it as it is, which juicefs takes out before it decodes', async () => {
      const token = 'IQoJb3JpZ2luX2VjE/+a==';
      const { calls } = await run(
        { from: data('demo'), to: at('s3://b/x/', 'access-key', 'secret-key', 'token') },
        { secrets: { 'access-key': 'a', 'secret-key': 'b/c', token } },
      );
      expect(calls[0]?.[2]).toBe(`s3://a:b%2Fc:${token}@b/x/`);
      // As juicefs takes it out.
      expect(/^.*:.*:.*(:.*)@.*$/.exec(calls[0]?.[2] ?? '')?.[1]).toBe(`:${token}`);
    });
    test('for SFTP, of which juicefs decodes nothing, they are as they are, or refused', async () => {
      const sftp = { from: at('sftp://host:/data/', 'access-key', 'secret-key') };
      const { calls } = await run(sftp, { secrets: { 'access-key': 'root', 'secret-key': 'a/b %' } });
      expect(calls[0]?.[1]).toBe('sftp://root:a/b %@host:/data/');
      const refused = await run(sftp, { secrets: { 'access-key': 'root', 'secret-key': 'a@b' } });
      expect([refused.code, refused.calls]).toEqual([1, []]);
      expect(refused.stderr).toContain('juicefs sync takes no ":" and no "@" in a key for SFTP');
    });
    test('no Secret is in the log, however juicefs prints it', async () => {
      const secrets = { 'access-key': 'AKIA/EXAMPLE', 'secret-key': 's3cr/et*', url: METAURL };
      const { code, stdout, stderr } = await run(
        { from: at('s3://b/x/', 'access-key', 'secret-key') },
        { secrets, answers: `echo "$all $FLUID_METAURL and AKIA/EXAMPLE"; echo "s3cr/et* of $2" >&2; exit 3` },
      );
      expect(code).toBe(1);
      expect(`${stdout}${stderr}`).not.toMatch(/AKIA|s3cr|p%40ss/);
      expect(stdout).toContain(
        `sync s3://****:****@b/x/ jfs://FLUID_METAURL/dst/ ${EXCLUDED} **** and ****\n**** of s3://****:****@b/x/\n`,
      );
    });
  });

  describe('a Secret is left out of the log', () => {
    test.each<[string, string, string]>([
      ['that ends with a line break', 'wJalrXUtnFEMI\n', 'AccessDenied for wJalrXUtnFEMI'],
      ['that ends with a line break of Windows', 'wJalrXUtnFEMI\r\n', 'AccessDenied for wJalrXUtnFEMI'],
      ['of several lines', 'wJalrXUtnFEMI\nwJalr2/a', 'bad wJalrXUtnFEMI and wJalr2/a, wJalr2%2Fa'],
      ['that begins with another', 'AKIAwJalr', 'bad AKIAwJalr'],
    ])('%s', async (_, key, says) => {
      const secrets = { 'access-key': 'AKIA', 'secret-key': key };
      const from = at('s3://b/x/', 'access-key', 'secret-key');
      const { stdout, stderr } = await run({ from }, { secrets, answers: `echo "$all"; echo '${says}'; exit 1` });
      expect(stdout).toMatch(/ \*{4}\n$/m);
      expect(`${stdout}${stderr}`).not.toMatch(/AKIA|wJalr/);
    });
    test.each([
      ['redis://:passw0rd@redis:6379/1', 'passw0rd'],
      ['redis://default:p%40ss\\w0rd@redis:6379/1', 'p%40ss\\w0rd or p@ss\\w0rd'],
      ['mysql://root:p@ss/w0rd@(h:3306)/x', 'p@ss/w0rd'],
      ['postgres://root:passw0rd@h/x?options=a@b', 'passw0rd'],
    ])('the password of %s, printed alone', async (url, printed) => {
      const { stdout } = await run({}, { secrets: { url }, answers: `echo 'WRONGPASS ${printed}.'; exit 1` });
      expect(stdout.replace(' or ****', '')).toMatch(/WRONGPASS \*{4}\.\n$/);
    });
  });

  describe('what attempts have left', () => {
    const leaves = SAYS(3).replace('excluded: 0', 'excluded: 2');
    test.each([
      ['is removed from a file system', { to: data('demo', '/dst/') }, leaves, 2],
      ['is not in a store', { from: data('demo'), to: at('s3://b/dst/') }, leaves, 1],
      ['is looked for where juicefs has left something out', { to: data('demo', '/dst/') }, SAYS(3), 1],
    ])('%s', async (_, spec, answers, runs) => {
      const { code, calls, infos } = await run(spec, { answers });
      expect([code, infos?.split('\n')[1], calls.length]).toEqual([0, 'Files=3 of 3', runs]);
      if (runs === 2)
        expect(calls[1]).toEqual([
          'sync',
          '--delete-dst',
          '--existing',
          expect.stringMatching(/^--end-time=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
          '--match-full-path',
          '--include=.jfs.*.tmp.[0-9]*',
          '--include=**/.jfs.*.tmp.[0-9]*',
          '--exclude=**',
          's3://b/src/',
          'jfs://FLUID_METAURL/dst/',
        ]);
    });
    test('is said where it cannot be removed, since all is copied', async () => {
      const answers = `if [[ $all == *--delete-dst* ]]; then echo 'permission denied'; exit 1; else ${leaves}; fi`;
      const { code, stdout } = await run({}, { answers });
      expect(code).toBe(0);
      expect(stdout).toContain('permission denied\nunfinished files in path /dst/ of Dataset demo could not be removed\n');
    });
    test.each([
      ['an older juicefs, which cannot choose them', {}, 'echo older'],
      ['a dry run', { dry: '' }, 'echo --end-time'],
    ])('stays with %s', async (_, options, help) => {
      const { code, calls } = await run({ options }, { answers: leaves, help });
      expect([code, calls.filter((call) => call.includes('--delete-dst'))]).toEqual([0, []]);
    });
  });

  test.each(['1.3.0', '1.4.2'])('reads what juicefs %s says at its end', async (version) => {
    const said = readFileSync(new URL(`../../../src/playground/engines/juicefs-recorded/${version}/sync`, import.meta.url), 'utf8');
    const { infos } = await run({}, { answers: `cat >&2 <<'EOF'\n${said}EOF` });
    expect(infos).toBe('Progress=4 of 4 files\nFiles=4 of 4\nBytes=292.97 KiB\nCopied=3\nSkipped=1\n');
  });

  describe('what fails', () => {
    test.each([
      ['says nothing of what it found', 'exit 1'],
      ['found nothing', `${SAYS(0)}; exit 1`],
    ])('is a directory that cannot be listed again, though juicefs %s', async (_, fails) => {
      const answers = `if [[ $all == *--dry* ]]; then echo 'connection refused by p%40ss'; ${fails}; else ${SAYS(0)}; fi`;
      const { code, stdout, stderr, infos } = await run({ from: data('demo', '/empty/') }, { answers });
      expect([code, stderr, infos]).toEqual([1, 'cannot list path /empty/ of Dataset demo\n', undefined]);
      expect(stdout).toContain('connection refused by ****\n');
    });
    test('names both ends, and leaves no progress of what succeeded', async () => {
      const { code, stdout, stderr, infos } = await run({}, { answers: `echo '<FATAL>: bucket b does not exist' >&2; ${SAYS(1)}; exit 7` });
      expect([code, infos]).toEqual([1, undefined]);
      expect(stdout).toContain('<FATAL>: bucket b does not exist\n');
      expect(stderr).toBe('from s3://b/src/ to path /dst/ of Dataset demo: juicefs sync failed with exit code 7\n');
    });
    test('takes longer than its time', async () => {
      const { code, stderr } = await run({ options: { timeout: '0.2s' } }, { answers: 'exec /bin/sleep 60' });
      expect([code, stderr]).toEqual([1, 'from s3://b/src/ to path /dst/ of Dataset demo: juicefs sync did not end within 0.2s\n']);
    });
    test.each([
      ['path /no $(id) of Dataset demo', data('demo', '/no $(id)'), 'jfs://FLUID_METAURL/no%20%24(id)/'],
      ['pvc://archive/nowhere', at('pvc://archive/nowhere'), 'file:///mnt/fluid-native/from/nowhere/'],
    ])('%s does not exist', async (name, from, url) => {
      const { code, stderr, calls, infos } = await run({ from, to: data('demo', '/x/'), options: { dirs: '' } }, { answers: SAYS(0) });
      expect([code, stderr, infos]).toEqual([1, `${name} does not exist\n`, undefined]);
      expect(calls).toEqual([
        ['sync', url, 'jfs://FLUID_METAURL/x/', EXCLUDED, '--dirs'],
        ['sync', '--dry', '--dirs', '--limit=1', url, 'jfs://FLUID_METAURL/x/'],
      ]);
    });
    test('is no directory that is empty, and no prefix of a store under which nothing is', async () => {
      const empty = `if [[ $all == *--dry* ]]; then ${SAYS(1)}; else ${SAYS(0)}; fi`;
      const { code, stdout, infos } = await run({ from: data('demo', '/empty/') }, { answers: empty });
      expect([code, infos?.split('\n')[0]]).toEqual([0, 'Progress=0 of 0 files']);
      expect(stdout).not.toContain('Found: 1');
      expect((await run({}, { answers: SAYS(0) })).calls).toHaveLength(1);
    });
    test('is no option that lets juicefs say nothing', async () => {
      const { code, infos } = await run({ options: { quiet: '' } }, { answers: ':' });
      expect([code, infos]).toEqual([0, undefined]);
    });
  });

  test('reports what juicefs serves to Prometheus while it copies', async () => {
    const metrics = (copied: string) =>
      ['scanned', 'handled', 'copied_bytes', 'copied_bytes_total']
        .map((name, i) => `# TYPE juicefs_sync_${name} counter\njuicefs_sync_${name}{cmd="sync",pid="7"} ${['40', '12', copied, '9'][i]}\n`)
        .join('');
    const server = createServer((_, response) => response.end(metrics('1.5728640e+06'))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const answers = `until [ -s /tmp/progress ]; do /bin/sleep 0.02; done; cp /tmp/progress "${folder.of('seen')}"; ${SAYS(40)}`;
    const { code } = await run({ options: { metrics: `127.0.0.1:${port}` } }, { answers });
    server.close();
    expect(code).toBe(0);
    expect(readFileSync(folder.of('seen'), 'utf8')).toMatch(
      /^Progress=12 of 40 files\nFiles=12 of 40\nBytes=1\.50 MiB\nRate=[\d.]+ [KM]iB\/s\n$/,
    );
  });

  describe('with other pods', () => {
    const WAITS = `printf '%s\\n' "$@" > "/tmp/progress.hosts"`;
    test.each([
      ['10.0.0.9', '10.0.0.9'],
      // Go listens on no IPv6 address without brackets.
      ['fd00::9', '[fd00::9]:0'],
    ])('waits for them, and has juicefs give them work from %s', async (podIp, address) => {
      const { code, calls } = await run({ parallelism: 3 }, { podIp, ssh: WAITS });
      expect(code).toBe(0);
      expect(calls.slice(0, 1)).toEqual([
        ['sync', `--worker=${hosts}`, `--manager-addr=${address}`, 's3://b/src/', 'jfs://FLUID_METAURL/dst/', EXCLUDED],
      ]);
      // One of them may have died, and the others have done its part.
      expect(calls[1]).toContain('--delete-dst');
      expect(readFileSync(folder.of('tmp/progress.hosts'), 'utf8')).toBe(hosts.replace(',', '\n') + '\n');
    });
    test('copies nothing if one of them does not answer', async () => {
      const { code, calls, stderr } = await run({ parallelism: 2 }, { ssh: 'echo no answer >&2; exit 1' });
      expect([code, calls, stderr]).toEqual([1, [], 'no answer\n']);
    });
  });
});
