import type { Dirent } from 'node:fs';
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type Fits, isWhole, nextNames } from './pattern.ts';

/** A file to read, or a file or a directory that cannot be. */
export type Found = { readonly file: string } | Failed;
interface Failed {
  readonly failed: string;
  readonly error: Error;
}

/**
 * The regular files below `root` that fit, each once, as they are found. Links to files are followed as long as they stay below the root,
 * links to directories are not: they may lead round in a circle.
 */
export async function* filesBelow(root: string, fits: Fits): AsyncGenerator<Found> {
  const top = await realpath(root);
  yield* filesIn(top, fits, top);
}

async function* filesIn(directory: string, fits: Fits, top: string): AsyncGenerator<Found> {
  try {
    for await (const entry of entriesOf(directory, nextNames(fits))) {
      if ('failed' in entry) {
        yield entry;
        continue;
      }
      const next = after(fits, entry.name);
      if (next.length === 0) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) yield* filesIn(path, next, top);
      else if (isWhole(next)) {
        const file = entry.isFile() ? path : entry.isSymbolicLink() ? await linked(path, top) : undefined;
        if (file !== undefined) yield { file };
      }
    }
  } catch (error) {
    // A file that was deleted meanwhile needs no reading. The cast: file systems throw such errors.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') yield { failed: directory, error: error as Error };
  }
}

type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink'>;

/** Named entries are looked up: the directory may have a million others. One of them that fails keeps no other from being found. */
async function* entriesOf(directory: string, names: readonly string[] | undefined): AsyncGenerator<Entry | Failed> {
  if (names === undefined) return yield* await opendir(directory);
  for (const name of new Set(names)) {
    const path = join(directory, name);
    const found = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) {
      if (found.code !== 'ENOENT') yield { failed: path, error: found };
    } else
      yield { name, isDirectory: () => found.isDirectory(), isFile: () => found.isFile(), isSymbolicLink: () => found.isSymbolicLink() };
  }
}

/** Those of these paths below the root that do not exist. */
export async function missingOf(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const path of paths.map((each) => join(root, each))) {
    const error = await lstat(path).then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    if (error === 'ENOENT') missing.push(path);
  }
  return missing;
}

async function linked(path: string, top: string): Promise<string | undefined> {
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined || !target.startsWith(`${top}/`)) return undefined;
  return (await stat(target).catch(() => undefined))?.isFile() ? target : undefined;
}
