/** Clients of the API server and their requests: its own audit log, read from a mark on. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The three that we count; everybody else is left out, which keeps the log small and the API server as fast as without. */
export const CONTROLLER = 'sluice-bench';
export const USER = 'bench-user';
export const REPLAY = 'bench-replay';

/** Bodies of writes are kept for the replay, and for the replay's own too, so that it pays the same. */
export const POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'Metadata', users: [CONTROLLER, USER, REPLAY], resources: [{ group: 'coordination.k8s.io' }] },
    { level: 'Request', users: [CONTROLLER, USER, REPLAY], verbs: ['create', 'update', 'patch'] },
    { level: 'Metadata', users: [CONTROLLER, USER, REPLAY] },
    { level: 'None' },
  ],
});

/** audit.k8s.io/v1 Event, as far as we look. */
export interface Entry {
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: unknown;
  readonly requestReceivedTimestamp: string;
}

export interface AuditLog {
  mark(): number;
  /** One entry a request. */
  since(mark: number): readonly Entry[];
}

export function auditLog(path: string): AuditLog {
  return {
    mark: () => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    since(mark) {
      const entries = linesFrom(path, mark).map((line) => JSON.parse(line) as Entry);
      // Long requests are reported twice; a watch under way only at its start.
      return entries.filter(({ stage, verb }) => (verb === 'watch' ? stage === 'ResponseStarted' : stage !== 'ResponseStarted'));
    },
  };
}

function linesFrom(path: string, mark: number): readonly string[] {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - mark);
    readSync(file, bytes, 0, bytes.length, mark);
    const lines = bytes.toString('utf8').split('\n');
    // The last may be half written.
    return lines.slice(0, -1).filter((line) => line !== '');
  } finally {
    closeSync(file);
  }
}

export const isLease = ({ objectRef }: Entry): boolean => objectRef?.resource === 'leases';
export const isWatch = ({ verb }: Entry): boolean => verb === 'watch';
export const isExec = ({ objectRef }: Entry): boolean => objectRef?.subresource === 'exec';
export const isSecretRead = ({ verb, objectRef }: Entry): boolean => verb === 'get' && objectRef?.resource === 'secrets';
export const isWrite = (entry: Entry): boolean =>
  ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(entry.verb) && !isExec(entry);

/** The requests of the controller, watches and the lease left out. */
export const work = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter((entry) => entry.user.username === CONTROLLER && !isWatch(entry) && !isLease(entry));

/** Such as `patch datasets/status`, with the code where it is no success. */
export function kindOf({ verb, objectRef, responseStatus }: Entry): string {
  const { resource = 'other', subresource } = objectRef ?? {};
  const { code = 200 } = responseStatus ?? {};
  return `${verb} ${resource}${subresource ? `/${subresource}` : ''}${code >= 400 ? ` ${code}` : ''}`;
}

/** A create has its name in its body alone; a JSON Patch has none there. */
export function nameIn({ objectRef, requestObject }: Entry): string {
  const { metadata } = (requestObject ?? {}) as { readonly metadata?: { readonly name?: string } };
  return objectRef?.name ?? metadata?.name ?? '';
}
/** Which of our runtimes it is for: `d0042`, from the name of any object of it. */
export const numberOf = (entry: Entry): string | undefined => /d\d{4}/.exec(nameIn(entry))?.[0];
