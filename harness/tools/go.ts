/** Finds a Go that can build the tools. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Go {
  readonly path: string;
  /** The environment of its builds. */
  readonly env: Readonly<Record<string, string>>;
}

/** The version that the go.mod files require. */
const WANTED = 26;
/** From this version on, Go fetches the wanted one itself, as a module; GOTOOLCHAIN overrides a configuration that forbids it. */
const FETCHING = 21;

/** The best Go here: on the PATH, from go.dev, or a versioned package of Debian. */
export function findGo(): Go | undefined {
  const found = ['go', '/usr/local/go/bin/go', ...debianGos()].map((path) => ({ path, minor: goMinor(versionOf(path)) }));
  const asIs = found.find(({ minor }) => minor >= WANTED);
  // Go's caches are below HOME, which services and some containers do not set.
  const home = { HOME: homedir() };
  if (asIs !== undefined) return { path: asIs.path, env: home };
  const fetching = found.find(({ minor }) => minor >= FETCHING);
  return fetching && { path: fetching.path, env: { ...home, GOTOOLCHAIN: 'auto' } };
}

/** 26 for `go1.26.8` and `go1.26rc1`; 0 for what is no version of Go 1. */
export function goMinor(version: string): number {
  return Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0);
}

function versionOf(go: string): string {
  try {
    return execFileSync(go, ['env', 'GOVERSION'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

function debianGos(): readonly string[] {
  if (!existsSync('/usr/lib')) return [];
  const folders = readdirSync('/usr/lib').filter((name) => /^go-1\.\d+$/.test(name));
  return folders
    .toSorted()
    .toReversed()
    .map((name) => join('/usr/lib', name, 'bin', 'go'));
}
