import { redactedText } from '../../api/redact.ts';
import { cacheCauses } from './cache-causes.ts';
import { type CauseRow, many, type SlowCause } from './cause.ts';
import type { SlowEvidence } from './evidence.ts';
import { podCauses } from './pod-causes.ts';
import { requestCauses } from './request-causes.ts';
import { type Bytes, bytesIn, cacheFill, figuresOf, type ReadSums } from './sums.ts';

/** All causes that are known, by subject: the page has them as a table. */
export const CAUSES: readonly CauseRow[] = [...cacheCauses, ...podCauses, ...requestCauses];

/** Why reads of a Dataset are slow, as far as its pods, specs and counters show. Texts of others are redacted. */
export interface SlowReport {
  /** `Dataset ml/images`. */
  readonly object: string;
  /** `JuiceFSRuntime ml/images`. */
  readonly runtime: string;
  /** Seconds between the two readings. */
  readonly seconds: number;
  /** Bytes that readers got meanwhile, and since processes began; absent if no pod counts them. */
  readonly bytes?: { readonly now: Bytes; readonly total: Bytes };
  /** Which of the two causes and shares follow from: the first, unless nothing was read meanwhile; the status, if no pod counts. */
  readonly basis?: 'now' | 'total' | 'status';
  /** Shares of the bytes by source, together 1. */
  readonly shares?: Bytes;
  /** The most important first. */
  readonly causes: readonly SlowCause[];
  /** All that was looked at, so that an empty list of causes says something. */
  readonly lookedAt: readonly string[];
  /** Figures that are not known, and why. */
  readonly unknown: readonly string[];
}

/** Ranks the causes that the evidence shows: by the share of reads that they concern. A pure function. */
export function diagnose(evidence: SlowEvidence): SlowReport {
  const figures = figuresOf(evidence);
  const fill = cacheFill(evidence);
  const of = { evidence, figures, ...(fill && { fill }) };
  const causes = CAUSES.flatMap(({ reason, find }) => find(of).map((cause) => ({ reason, ...cause })));
  const counts = evidence.pods.some(({ counters }) => counters?.after.bytes !== undefined);
  return {
    object: evidence.object,
    runtime: evidence.runtime,
    seconds: evidence.seconds,
    ...(counts && { bytes: { now: figures.now.bytes, total: figures.total.bytes } }),
    ...(figures.basis && { basis: figures.basis }),
    ...(figures.shares && { shares: figures.shares }),
    causes: causes.toSorted((a, b) => b.weight - a.weight).map(redacted),
    lookedAt: lookedAt(evidence, figures.now),
    unknown: [...evidence.notes, ...(counts && bytesIn(figures.now) === 0 ? [idle(evidence)] : [])].map(redactedText),
  };
}

const idle = ({ seconds }: SlowEvidence): string =>
  `nothing was read in these ${seconds} s: run it while readers are slow, or for longer (--for 60s)`;

function redacted(cause: SlowCause): SlowCause {
  return {
    ...cause,
    message: redactedText(cause.message),
    restsOn: cause.restsOn.map(redactedText),
    toDo: redactedText(cause.toDo),
    ...(cause.field !== undefined && { field: redactedText(cause.field) }),
  };
}

function lookedAt({ pods, workers, levels, status, knowsOptions }: SlowEvidence, now: ReadSums): readonly string[] {
  const ofRole = (role: string) => pods.filter((pod) => pod.role === role);
  const some = (role: string, of: (pod: SlowEvidence['pods'][number]) => unknown) =>
    `${ofRole(role).filter(of).length} of ${ofRole(role).length} ${role} pods`;
  const counting = (['fuse', 'worker', 'master'] as const).filter((role) => ofRole(role).some(({ counters }) => counters));
  const timed = (['fuse', 'worker'] as const).filter((role) => ofRole(role).some(({ cpu }) => cpu));
  return [
    ...(counting.length > 0 ? [`counters of ${counting.map((role) => some(role, ({ counters }) => counters)).join(', ')}`] : []),
    ...(timed.length > 0 ? [`CPU time of ${timed.map((role) => some(role, ({ cpu }) => cpu)).join(', ')}`] : []),
    ...(now.store.count > 0 ? ['time of requests to the store'] : []),
    ...(workers ? [`readiness of ${many(workers.wanted, 'worker')}, and the nodes of readers and workers`] : []),
    ...(status ? ['figures of the status'] : []),
    ...(levels.length > 0 ? ['media and sizes of the cache'] : []),
    ...(knowsOptions ? ['options of the client'] : []),
  ];
}
