import type { KubeObject } from '../../../src/kube/types.ts';
import { WRITES } from '../../../src/api-server/rules.ts';
import type { WireAnswer } from '../../../src/api-server/wire/answers.ts';
import type { WireRequest } from '../../../src/api-server/wire/requests.ts';
import type { Process, VirtualTime } from '../time.ts';

/** The lease's own times (src/kube/lease/lease.ts), ms. */
const WINDOW_MS = 4000;
const RETRY_MS = 250;
/** The Retry-After of the simulated server. */
const BUSY_MS = 1000;
/** Limit for one request of a standby: one that it had begun when it was stopped may wait this long for a busy server. */
const REQUEST_MS = 1500;
/** In which an answer that waits in the network is read, and the next request sent. */
const SLACK_MS = 60;

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
}
const specOf = (object: unknown): LeaseSpec => ((object as KubeObject | undefined)?.['spec'] ?? {}) as LeaseSpec;

/** Holds the election to its invariants (L1 to L14), as the API server and the metrics see it. */
export interface LeaseCheck {
  /** @param isLeader whether the process thinks that it may write */
  began(process: Process, isLeader: () => boolean): void;
  sent(process: Process, request: WireRequest): string | undefined;
  answered(process: Process, request: WireRequest, answer: WireAnswer, before: KubeObject | undefined): string | undefined;
  /** The answer has come, or never will. */
  delivered(process: Process, request: WireRequest, isTaken: boolean): void;
  /** A watch shows an object. */
  shown(process: Process, object: KubeObject): void;
  led(process: Process, isLeader: boolean): string | undefined;
  logged(process: Process, message: string, fields: object): string | undefined;
  /** The process was told to end. */
  stopped(process: Process): void;
  vanished(): void;
  /**
   * Whether its time for writing may go on although another process has the Lease: a user has deleted it, and a process that never saw it may
   * create it at once (L6). The former holder finds that with its next renewal.
   */
  mayStillWrite(process: Process): boolean;
}

interface Known {
  isLeader: () => boolean;
  /** When the last renewal that succeeded was sent. */
  renewedMs: number;
  askedMs: number;
  leads: boolean;
  /** When it was told to end. */
  stoppedMs: number | undefined;
  /** An answer or a watch has shown it the Lease. */
  hasSeen: boolean;
  /** The process did not lead when it was told to end. */
  stoodBy: boolean;
}

export function createLeaseCheck(time: VirtualTime, holder: () => string | undefined, found: (what: string) => void): LeaseCheck {
  const known = new Map<Process, Known>();
  const sentAt = new WeakMap<WireRequest, number>();
  /** Requests whose answers have the Lease. */
  const shows = new WeakSet<WireRequest>();
  let changedMs = Number.NEGATIVE_INFINITY;
  let vanished: { readonly atMs: number; readonly holder: string | undefined } | undefined;
  let former: typeof vanished;
  let last: string | undefined;
  const of = (process: Process): Known => {
    const entry = known.get(process) ?? {
      isLeader: () => false,
      renewedMs: Number.NEGATIVE_INFINITY,
      askedMs: 0,
      leads: false,
      stoppedMs: undefined,
      hasSeen: false,
      stoodBy: false,
    };
    known.set(process, entry);
    return entry;
  };

  /** From four seconds after that request was sent, if no later one succeeds, the process may not write. */
  function renewed(process: Process, sentMs: number): void {
    const entry = of(process);
    entry.renewedMs = Math.max(entry.renewedMs, sentMs);
    time.after(sentMs + WINDOW_MS + 1 - time.nowMs, () => {
      if (process.state !== 'running' || entry.renewedMs > sentMs) return;
      if (time.as(process, entry.isLeader))
        found(`${process.name} may write ${time.nowMs - sentMs} ms after it sent its last renewal (L2)`);
    });
  }

  function taking(process: Process, request: WireRequest, before: KubeObject | undefined): string | undefined {
    const { name: me } = process;
    const [was, is] = [specOf(before), specOf(request.body)];
    if (before && was.holderIdentity === is.holderIdentity && was.acquireTime === is.acquireTime) {
      const other = (spec: LeaseSpec) => JSON.stringify({ ...spec, renewTime: '' });
      return other(was) === other(is) || is.holderIdentity === ''
        ? undefined
        : `${me} changed more than renewTime when it renewed the Lease (L8)`;
    }
    if (is.holderIdentity !== me) return undefined;
    const promisedMs = (was.leaseDurationSeconds ?? 6) * 1000;
    const heldBy = was.holderIdentity ?? '';
    if (before && heldBy !== '' && heldBy !== me && time.nowMs - changedMs < promisedMs)
      return `${me} took the Lease of ${heldBy} ${time.nowMs - changedMs} ms after its last change (L4)`;
    // A process whose lists were refused never saw it.
    const knewIt = vanished && of(process).hasSeen && vanished.holder !== me && vanished.holder !== '';
    if (!before && vanished && knewIt && time.nowMs - vanished.atMs < 6000)
      return `${me} created the Lease ${time.nowMs - vanished.atMs} ms after that of ${vanished.holder} vanished (L6)`;
    return undefined;
  }

  /** Whether a standby that was stopped begins a write: one may be under way, and what that has won is released. */
  function isLate(process: Process, { body }: WireRequest): boolean {
    const { stoppedMs, stoodBy } = of(process);
    if (stoppedMs === undefined || !stoodBy || specOf(body).holderIdentity === '') return false;
    return time.nowMs - stoppedMs > REQUEST_MS + SLACK_MS && process.pausedMs < stoppedMs;
  }

  return {
    began(process, isLeader) {
      of(process).isLeader = isLeader;
    },
    sent(process, request) {
      const { verb, type, body } = request;
      const entry = of(process);
      sentAt.set(request, time.nowMs);
      if (type.kind === 'Lease') entry.askedMs = time.nowMs;
      if (type.kind === 'Lease' && WRITES.includes(verb)) {
        if (isLate(process, request)) return `${process.name} wrote the Lease after it was stopped as a standby (L14)`;
        if (verb === 'update' && !(body as KubeObject).metadata.resourceVersion)
          return `${process.name} updated the Lease without the version that it had seen (L7)`;
        if (verb !== 'update' && verb !== 'create') return `${process.name} wrote the Lease by ${verb} (L8)`;
        return undefined;
      }
      if (!WRITES.includes(verb) || time.nowMs - entry.renewedMs <= WINDOW_MS) return undefined;
      return `${process.name} sent ${verb} ${type.kind} ${time.nowMs - entry.renewedMs} ms after the last renewal that succeeded was sent (L1)`;
    },
    answered(process, request, { status }, before) {
      if (request.type.kind === 'Lease' && status < 300 && holder() !== undefined) shows.add(request);
      // A server that is busy says when to come again.
      if (request.type.kind === 'Lease' && (status === 429 || status === 503)) of(process).askedMs = time.nowMs + BUSY_MS;
      if (request.type.kind !== 'Lease' || !WRITES.includes(request.verb) || status >= 300) return undefined;
      const fault = taking(process, request, before);
      changedMs = time.nowMs;
      last = specOf(request.body).holderIdentity;
      if (last === process.name) vanished = undefined;
      return fault;
    },
    delivered(process, request, isTaken) {
      if (shows.has(request) && isTaken) of(process).hasSeen = true;
      if (request.type.kind !== 'Lease' || !WRITES.includes(request.verb)) return;
      const entry = of(process);
      const me = specOf(request.body).holderIdentity === process.name;
      if (isTaken) {
        if (me) renewed(process, sentAt.get(request) ?? time.nowMs);
        return;
      }
      const atMs = time.nowMs;
      if (!entry.leads || entry.stoppedMs !== undefined || atMs + RETRY_MS + SLACK_MS > entry.renewedMs + WINDOW_MS - 600) return;
      time.after(RETRY_MS + SLACK_MS, () => {
        const wasThere = process.state === 'running' && process.pausedMs < atMs && process.jumpedMs < atMs - WINDOW_MS;
        if (wasThere && entry.leads && entry.stoppedMs === undefined && entry.askedMs < atMs)
          found(`${process.name} did not retry a renewal within ${RETRY_MS} ms (L9)`);
      });
    },
    shown(process, { kind }) {
      if (kind === 'Lease') of(process).hasSeen = true;
    },
    led(process, isLeader) {
      const entry = of(process);
      if (entry.leads === isLeader) return `${process.name} ${isLeader ? 'began to lead' : 'stopped leading'} twice in a row (L12)`;
      if (entry.stoppedMs !== undefined && isLeader) return `${process.name} began to lead after it was stopped (L14)`;
      entry.leads = isLeader;
      return undefined;
    },
    logged(process, message, fields) {
      const { reason } = fields as { reason?: string };
      if (message !== 'no longer leading' || !('lease' in fields) || !/^(taken|released) by/.test(reason ?? '')) return undefined;
      const isStillOurs = holder() === process.name && time.nowMs - changedMs > 2000;
      return isStillOurs ? `${process.name} stopped leading (${reason}), although it held the Lease (L10)` : undefined;
    },
    stopped: (process) => {
      const entry = of(process);
      entry.stoppedMs = time.nowMs;
      entry.stoodBy = !entry.leads;
    },
    vanished() {
      vanished = { atMs: time.nowMs, holder: last };
      former = vanished;
    },
    mayStillWrite: ({ name }) => former?.holder === name && time.nowMs - former.atMs <= WINDOW_MS,
  };
}
