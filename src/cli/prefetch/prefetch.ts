import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { sidecar } from '../../api/sidecars.ts';
import type { Log } from '../../kube/types.ts';
import type { Define } from '../command.ts';
import { messageOf } from '../errors.ts';
import { createLog } from '../log.ts';
import { stopSignal } from '../stop-signal.ts';
import { filesBelow, missingOf } from './files.ts';
import { fitsOf, isPattern } from './pattern.ts';
import { readAll, type ReadResult, STATUS, writeResult } from './read.ts';

interface Flags {
  readonly root: string;
  readonly status: string;
}
type Env = Readonly<Record<string, string | undefined>>;

const EXAMPLES = `
Examples:
  FILE_PREFETCHER_FILE_LIST='/data/models/**' sluice prefetch      in a pod, where the webhook adds it
  FILE_PREFETCHER_FILE_LIST='/models/*.bin' sluice prefetch --root /mnt --status /tmp/status

Reads files, so that they are in the memory of the node, and writes how it went into <status>/prefetcher.status:
prefetch_result=success, or =fail if anything could not be read. Then it waits until it is stopped.

Environment, as in Fluid:
  FILE_PREFETCHER_FILE_LIST        patterns of files, separated by semicolons: *, ?, [a-z], and ** for any directories
  FILE_PREFETCHER_ASYNC_PREFETCH   whether the application does not wait for the files (default false)
  FILE_PREFETCHER_TIMEOUT_SECONDS  how long the application waits (default 120)
  BUFFER_SIZE_IN_BYTES             how much is read at a time (default 16777216)

Exit codes:
  0  stopped by SIGTERM or SIGINT
  2  bad usage`;

const BUFFER_BYTES = 16 << 20;
const MOST_BUFFER_BYTES = 1 << 30;

export const define: Define = (command) => {
  command
    .option('--root <directory>', 'directory that no file is outside of', '/data')
    .option('--status <directory>', 'directory of prefetcher.status', sidecar.prefetcherStatus)
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const log = createLog('info');
      const stop = stopSignal(log);
      // An abandoned read of a file system that hangs must not keep the container: the process ends all the same.
      stop.addEventListener('abort', () => process.exit(0));
      await prefetchOnce(flags, process.env, log, stop);
      // Its end would be the end of the container.
      setInterval(() => {}, 1 << 30);
    });
};

/** A container that starts again has read everything already. */
async function prefetchOnce({ root, status }: Flags, env: Env, log: Log, stop: AbortSignal): Promise<void> {
  if (await exists(join(status, STATUS))) return log.info({ status }, 'prefetched before');
  const seconds = Number(env['FILE_PREFETCHER_TIMEOUT_SECONDS'] ?? 120);
  const isAsync = env['FILE_PREFETCHER_ASYNC_PREFETCH'] === 'true';
  const late = () => log.warn({ seconds }, 'the application does not wait any longer; prefetching goes on');
  const timer = isAsync || !(seconds < 1 << 20) ? undefined : setTimeout(late, seconds * 1000);
  const result = await prefetched(root, env, log, stop).catch((error: unknown): ReadResult => {
    log.error({ error: messageOf(error) }, 'not prefetched');
    return 'fail';
  });
  clearTimeout(timer);
  await writeResult(status, result).catch((error: unknown) =>
    log.error({ status, error: messageOf(error) }, 'the result cannot be written; the application waits for its timeout'),
  );
}

async function prefetched(root: string, env: Env, log: Log, stop: AbortSignal): Promise<ReadResult> {
  const list = env['FILE_PREFETCHER_FILE_LIST'];
  if (list === undefined) throw new Error('FILE_PREFETCHER_FILE_LIST: expected patterns of files, found nothing');
  const began = performance.now();
  const patterns = list.split(';').flatMap((text) => below(root, text) ?? []);
  const named = patterns.filter((pattern) => !isPattern(pattern) && !pattern.split('/').includes('..'));
  for (const path of await missingOf(root, named)) log.warn({ path }, 'does not exist, and is not prefetched');
  const { files, bytes, failed } = await readAll(filesBelow(root, fitsOf(patterns)), bufferOf(env), log, stop);
  const result = failed === 0 ? 'success' : 'fail';
  log.info({ result, files, bytes, failed, seconds: Math.round((performance.now() - began) / 100) / 10 }, 'prefetched');
  return result;
}

/** The pattern as seen from the root; undefined if it is elsewhere. */
const below = (root: string, text: string): string | undefined => {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
};

function bufferOf(env: Env): number {
  const text = env['BUFFER_SIZE_IN_BYTES'] ?? String(BUFFER_BYTES);
  const bytes = /^\d+$/.test(text) ? Number(text) : 0;
  if (bytes < 1 || bytes > MOST_BUFFER_BYTES)
    throw new Error(`BUFFER_SIZE_IN_BYTES: expected a number from 1 to ${MOST_BUFFER_BYTES}, found ${JSON.stringify(text.slice(0, 40))}`);
  return bytes;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
