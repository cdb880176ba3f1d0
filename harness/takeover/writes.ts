/** The writes of clients, from the audit log of the API server. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

interface Entry {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
}

export interface Write {
  /** `patch statefulsets`, `patch datasets/status`. */
  readonly what: string;
  /** `statefulsets data-1/d0001-worker`. */
  readonly object: string;
  readonly user: string;
  readonly code: number;
  /** ms since the epoch. */
  readonly at: number;
}

export const markOf = (path: string): number => statSync(path).size;

/** Since a mark; dry runs and commands in pods are none. */
export function writesSince(path: string, mark: number): readonly Write[] {
  return linesFrom(path, mark)
    .map((line) => JSON.parse(line) as Entry)
    .filter(
      ({ stage, verb, requestURI, objectRef }) =>
        stage === 'ResponseComplete' &&
        WRITES.has(verb) &&
        !requestURI.includes('dryRun=') &&
        !NOT_WRITTEN.has(objectRef?.subresource ?? ''),
    )
    .map(({ verb, objectRef: { resource = '', namespace = '', name = '', subresource } = {}, user, responseStatus, stageTimestamp }) => ({
      what: `${verb} ${resource}${subresource ? `/${subresource}` : ''}`,
      object: `${resource} ${namespace}/${name}`,
      user: user.username,
      code: responseStatus?.code ?? 0,
      at: Date.parse(stageTimestamp),
    }));
}
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const NOT_WRITTEN: ReadonlySet<string> = new Set(['exec', 'token']);

function linesFrom(path: string, mark: number): readonly string[] {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - mark);
    readSync(file, bytes, 0, bytes.length, mark);
    // The last may be half written.
    return bytes
      .toString('utf8')
      .split('\n')
      .slice(0, -1)
      .filter((line) => line !== '');
  } finally {
    closeSync(file);
  }
}

/** How many of each, the most first: `patch pods 12, create leases 1`. */
export function counted(writes: readonly Pick<Write, 'what'>[]): string {
  const counts = new Map<string, number>();
  for (const { what } of writes) counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}
