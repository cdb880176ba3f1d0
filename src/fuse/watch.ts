import { constants, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NEWS } from './script.ts';

/**
 * Calls `read` at once, and again after each change of one of the files, one call at a time. It sees changes of files in volumes of
 * ConfigMaps and Secrets, whose directory the kubelet replaces. Returns when the signal is aborted.
 * @throws what `read` throws, and when a folder cannot be watched.
 * @example
 * const stop = new AbortController();
 * process.once('SIGTERM', () => stop.abort());
 * await whenever(['/etc/fluid/config/config.json'], async () => console.log((await readFuseConfig()).config), stop.signal);
 */
export async function whenever(files: readonly string[], read: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let isStale = true;
  let failure: Error | undefined;
  let wake = Promise.withResolvers<void>();
  const changed = () => {
    isStale = true;
    wake.resolve();
  };
  // Before the first reading, so that no change falls between the two.
  const watchers = [...new Set(files.map((file) => dirname(file)))].map((folder) =>
    watch(folder, changed).on('error', (error) => {
      failure = error;
      wake.resolve();
    }),
  );
  signal.addEventListener('abort', () => wake.resolve(), { once: true });
  try {
    while (!signal.aborted) {
      if (!isStale) await wake.promise;
      if (failure) throw failure;
      if (signal.aborted) break;
      isStale = false;
      wake = Promise.withResolvers();
      await read();
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}

/**
 * Makes the script of `realigningScript` in the directory read its clients again. If it does not run, nothing happens.
 * @example
 * await tellNews('/run/acme');
 */
export async function tellNews(directory: string): Promise<void> {
  // Without a reader this would otherwise wait for one.
  const news = await open(join(directory, NEWS), constants.O_WRONLY | constants.O_NONBLOCK).catch(unlessNobodyListens);
  await news?.write('\n').finally(() => news.close());
}

function unlessNobodyListens(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENXIO') throw error;
}
