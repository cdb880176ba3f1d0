import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { folder } from '../folder.ts';
import { root } from '../run.ts';

/** Runs until its result is written, then is stopped. */
async function prefetch(data: string, list: string | undefined, env: Record<string, string> = {}) {
  const status = join(folder({}), 'status');
  const { FILE_PREFETCHER_FILE_LIST: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(root, 'src/cli/main.ts'), 'prefetch', '--root', data, '--status', status], {
    env: { ...inherited, ...(list !== undefined && { FILE_PREFETCHER_FILE_LIST: list }), ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => (said += String(text)));
  child.stderr.on('data', (text) => (said += String(text)));
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const file = join(status, 'prefetcher.status');
  await vi.waitFor(() => expect(existsSync(file), said).toBe(true), { timeout: 30_000, interval: 50 });
  const runsOn = child.exitCode === null;
  child.kill('SIGTERM');
  const code = await ended;
  const lines = said
    .trim()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  return { result: readFileSync(file, 'utf8'), lines, summary: lines.find(({ msg }) => msg === 'prefetched'), code, runsOn };
}
/** A directory with these files, of which each has as many bytes as its name has characters. */
function data(...files: readonly string[]): string {
  const path = join(folder({}), 'data');
  for (const file of files) {
    mkdirSync(join(path, file, '..'), { recursive: true });
    writeFileSync(join(path, file), 'x'.repeat(file.length));
  }
  return path;
}

describe('sluice prefetch', () => {
  test('reads what fits to its end, says so in the status file, and runs until it is stopped', async () => {
    const at = data('m/a.bin', 'm/deep/er/b.bin', 'm/c.txt', 'n/d.bin');
    const { result, summary, code, runsOn } = await prefetch(at, `${at}/m/**/*.bin;${at}/n`, { BUFFER_SIZE_IN_BYTES: '3' });
    expect({ result, runsOn, code }).toEqual({ result: 'prefetch_result=success\n', runsOn: true, code: 0 });
    expect(summary).toMatchObject({ files: 3, bytes: 'm/a.bin'.length + 'm/deep/er/b.bin'.length + 'n/d.bin'.length, failed: 0 });
  });
  test('follows links to files of the data, and no others', async () => {
    const at = data('m/blobs/a', '../outside');
    mkdirSync(join(at, 'm/snapshot'));
    symlinkSync('../blobs/a', join(at, 'm/snapshot/model'));
    symlinkSync('../../../outside', join(at, 'm/snapshot/secret'));
    symlinkSync('..', join(at, 'm/snapshot/circle'));
    symlinkSync('nowhere', join(at, 'm/snapshot/dangling'));
    const { result, summary } = await prefetch(at, `${at}/m/snapshot/**`);
    expect(result).toBe('prefetch_result=success\n');
    expect(summary).toMatchObject({ files: 1, bytes: 'm/blobs/a'.length });
  });
  test('passes over patterns that lead out of the data, and files that do not exist', async () => {
    const at = data('m/a', '../outside');
    const { result, summary, lines } = await prefetch(at, `/etc/passwd;${at}/../outside;${at}/m/nothing;${at}/m/no*;relative`);
    expect(result).toBe('prefetch_result=success\n');
    expect(summary).toMatchObject({ files: 0 });
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      expect.objectContaining({ path: `${at}/m/nothing`, msg: 'does not exist, and is not prefetched' }),
    ]);
  });
  test('names an entry that cannot be looked up, and reads the others of its directory', async () => {
    const at = data('m/a');
    const long = 'x'.repeat(300);
    const { result, summary, lines } = await prefetch(at, `${at}/m/${long};${at}/m/a`);
    expect(result).toBe('prefetch_result=fail\n');
    expect(summary).toMatchObject({ files: 1, failed: 1 });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'cannot be read', path: `${at}/m/${long}` }));
  });
  // Root reads a file without rights as well; no user reads the memory of a process at 0.
  test('names a file that cannot be read, reads the others, and fails', async () => {
    const { result, lines } = await prefetch('/proc/self', '/proc/self/mem;/proc/self/status');
    expect(result).toBe('prefetch_result=fail\n');
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: 'cannot be read', path: expect.stringMatching(/mem$/) }));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'prefetched', files: 1, failed: 1 }));
  });
  test.each([
    [undefined, {}, 'FILE_PREFETCHER_FILE_LIST: expected patterns of files, found nothing'],
    ['/data/a', { BUFFER_SIZE_IN_BYTES: '16Mi' }, 'BUFFER_SIZE_IN_BYTES: expected a number from 1 to 1073741824, found "16Mi"'],
  ])('fails without ending the container: %s %j', async (list, env, message) => {
    const { result, lines, runsOn } = await prefetch(data('a'), list, env);
    expect({ result, runsOn }).toEqual({ result: 'prefetch_result=fail\n', runsOn: true });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', error: message }));
  });
});
