/** The scripts of sidecars, as shells run them on mounts of a mount namespace of their own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  checkCommand,
  type ClientPath,
  startCommand,
  stopCommand,
  waitCommand,
  waitForAllCommand,
} from '../../../src/webhook/sidecar/scripts.ts';
import { canRun } from '../../support/can-run.ts';

const canMount = canRun('tests of the scripts of sidecars', process.getuid?.() === 0 ? undefined : 'mounts are made as root');

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
const DIRECTORY = "it's $(touch pwned) \\ app-0123";

describe.skipIf(!canMount).each(['dash', 'bash'])('in %s', (shell) => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-sidecar-'));
  });
  afterEach(() => {
    expect(readdirSync(folder).filter((name) => name === 'pwned')).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });

  const mounted = (subPath = ''): ClientPath => ({ path: join(folder, 'in pod', 'fuse'), subPath, bare: `/${DIRECTORY}/fuse` });
  /** The kubelet's mount of the pod's directory on the host, then the client's in it, as asked; then the commands, whose exit codes are returned. */
  function run(setUp: string, ...commands: readonly (readonly string[])[]) {
    const script = `
      mkdir -p "$HOST/$DIRECTORY/fuse" "$POD"
      mount -t tmpfs host "$HOST" && mkdir -p "$HOST/$DIRECTORY/fuse" && mount --bind "$HOST/$DIRECTORY" "$POD" || exit 99
      ${setUp}
      for command; do
        bash -c "$command"
        echo "exit $?"
      done
      echo left: $(cd "$HOST" && find . -mindepth 1 | sort | tr '\\n' ' ')`;
    // The first word is `sh`: the shell under test takes its place.
    const argv = commands.map(([, ...words]) => `exec ${[shell, ...words].map(quoted).join(' ')}`);
    const { stdout, stderr } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'bash', '-c', script, 'test', ...argv], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOST: join(folder, 'host'), POD: join(folder, 'in pod'), DIRECTORY },
    });
    return { lines: stdout.trim().split('\n'), stderr };
  }
  const CLIENT = 'mount -t tmpfs client "$POD/fuse"; mkdir "$POD/fuse/sub"';

  test('a client has mounted when something else than the host directory is there', () => {
    expect(run('', checkCommand(mounted())).lines[0]).toBe('exit 1');
    expect(run('mount --bind "$HOST/$DIRECTORY/fuse" "$POD/fuse"', checkCommand(mounted())).lines[0]).toBe('exit 1');
    expect(run(CLIENT, checkCommand(mounted())).lines[0]).toBe('exit 0');
  });
  test('a path may lead through links of the image', () => {
    const linked = { ...mounted(), path: join(folder, 'a link', 'fuse') };
    const link = 'mkdir ../plain; mount --bind "$HOST/$DIRECTORY" ../plain; ln -s plain "../a link"'.replaceAll('../', '"$HOST"/../');
    expect(run(link, checkCommand(linked)).lines[0]).toBe('exit 1');
    const client = 'rm "$HOST/../a link"; rmdir "$HOST"/../plain';
    expect(run(`${client}; ${link}; mount -t tmpfs client "$HOST"/../plain/fuse`, checkCommand(linked)).lines[0]).toBe('exit 0');
  });
  test('a sub path has to exist', () => {
    const codes = run(CLIENT, checkCommand(mounted('sub')), checkCommand(mounted('other'))).lines.slice(0, 2);
    expect(codes).toEqual(['exit 0', 'exit 1']);
  });
  test("the check goes on with the client's own, whose words stay as they are", () => {
    const own = ['sh', '-c', 'printf "<%s>" "$@"; exit 7', 'own', '$(touch pwned)', 'a b', ''];
    expect(run(CLIENT, checkCommand(mounted(), own)).lines.slice(0, 2)).toEqual(['<$(touch pwned)><a b><>exit 7', expect.any(String)]);
    expect(run('', checkCommand(mounted(), own)).lines[0]).toBe('exit 1');
  });
  test('a wait ends with the mount, or after its tries', () => {
    expect(run(`( sleep 1.2; ${CLIENT} ) &`, waitCommand(mounted(), 5)).lines[0]).toBe('exit 0');
    const late = run('', waitCommand(mounted(), 1));
    expect(late.lines[0]).toBe('exit 1');
    expect(late.stderr).toContain(`no file system is mounted at ${mounted().path}`);
  });
  test('a wait for several mounts ends with the last', () => {
    const other: ClientPath = { path: folder, subPath: '', bare: '/x' };
    expect(run(CLIENT, waitForAllCommand([mounted(), mounted()], 2), waitForAllCommand([mounted(), other], 2)).lines.slice(0, 2)).toEqual([
      'exit 0',
      'exit 1',
    ]);
  });
  test('the start unmounts what a client before has left, then runs the client', () => {
    const start = startCommand(mounted(), ['sh', '-c', 'printf "<%s>" "$@"', 'client', '$(touch pwned)', '']);
    expect(run(CLIENT, start, checkCommand(mounted())).lines.slice(0, 2)).toEqual(['<$(touch pwned)><>exit 0', 'exit 1']);
    expect(run('', start).lines[0]).toBe('<$(touch pwned)><>exit 0');
  });
  test('the start makes the directory on which the client mounts', () => {
    const path = join(folder, 'new/fuse');
    const start = startCommand({ path, subPath: '', bare: '/x' }, ['sh', '-c', '[ -d "$1" ] && printf made', 'client', path]);
    expect(run('', start).lines[0]).toBe('madeexit 0');
  });
  test('the end unmounts, removes the directory of the pod, and leaves those of other pods', () => {
    const stop = stopCommand(mounted(), join(folder, 'host'), `${DIRECTORY}/fuse`, []);
    expect(run(`${CLIENT}; mkdir -p "$HOST/other/fuse"`, stop, checkCommand(mounted())).lines).toEqual([
      'exit 0',
      'exit 1',
      'left: ./other ./other/fuse',
    ]);
  });
  test('the end removes nothing that is not empty', () => {
    const stop = stopCommand(mounted(), join(folder, 'host'), `${DIRECTORY}/fuse`, []);
    expect(run('echo data >"$POD/fuse/file"', stop).lines[1]).toContain('fuse/file');
  });
  test("the end begins with the client's own hook, and goes on if that fails", () => {
    const stop = stopCommand(mounted(), join(folder, 'host'), `${DIRECTORY}/fuse`, ['sh', '-c', 'echo own; exit 3']);
    expect(run(CLIENT, stop).lines).toEqual(['own', 'exit 0', 'left:']);
  });
});
