import { type Clock, systemClock } from '../../kube/clock.ts';
import { GROUP } from '../../api/index.ts';
import type { Log } from '../../kube/types.ts';
import { causesOf, faultLines, warningsOf } from '../validation/answer.ts';
import type { Judge, Judged, Judgement } from '../validation/judge.ts';
import type { ReadOther } from '../watches/other-halves.ts';
import { judgedIn } from './change.ts';
import { type AdmissionOutcome, answerTo, type Envelope, envelopeIn } from './review.ts';
import { createReads } from './reads.ts';
import { type HttpAnswer, requestIn } from './request.ts';
import type { ValidationMetrics, ValidationOutcome } from './validation-metrics.ts';

export interface ValidateOptions {
  readonly judge: Judge;
  /** Reads other objects. */
  readonly read: ReadOther;
  readonly metrics: ValidationMetrics;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Values in the JSON of a request, of which an update has the object twice. A Dataset with a hundred mounts has a tenth of it. */
const MOST_VALUES = 10_000;
/** For reads of other objects. */
const READS_MS = 1_000;
/** The time for the rest of a validation, out of the time that the API server waits. */
const REST_MS = 500;

/**
 * Answers to AdmissionReviews about objects of Sluice's kinds. Only faults deny: whatever cannot be read or judged is allowed, as the API
 * server allows what nobody answers.
 */
export function createValidations({ judge, read, metrics, log, clock = systemClock }: ValidateOptions) {
  const reads = createReads(read, metrics, log, clock);

  /** As `admit` of a pod. */
  return async (text: string, withinMs = Infinity, turn?: () => Promise<boolean>): Promise<HttpAnswer> => {
    const began = clock.monotonic();
    const done = (outcome: ValidationOutcome): void => metrics.validated(outcome, (clock.monotonic() - began) / 1000);
    const envelope = requestIn(text, MOST_VALUES, envelopeIn);
    if ('status' in envelope) {
      if (envelope.status === 413) done('failed');
      return envelope;
    }
    let verdict: Verdict = FAILED;
    try {
      verdict = await verdictOn(envelope, Math.min(READS_MS, withinMs - REST_MS), turn);
    } catch (error) {
      log.error({ namespace: envelope.namespace, err: error }, 'an object could not be judged and was allowed; this is a defect of Sluice');
    }
    done(verdict.result);
    return { status: 200, body: answerTo(envelope, verdict.answer) };
  };

  async function verdictOn(envelope: Envelope, readsMs: number, turn?: () => Promise<boolean>): Promise<Verdict> {
    const judged = judgedIn(envelope);
    if (!judged) return { result: 'unjudged', answer: ALLOWED };
    const others = reads.within(readsMs, envelope.namespace, turn);
    try {
      const judgement = await judge(judged, others.find);
      if (judgement.faults.length > 0) log.info({ ...namesOf(judged), fields: fieldsOf(judgement) }, 'denied an object');
      return verdictBy(judged, judgement);
    } finally {
      others.end();
    }
  }
}

interface Verdict {
  readonly result: ValidationOutcome;
  readonly answer: AdmissionOutcome;
}
const ALLOWED: AdmissionOutcome = { outcome: 'unchanged' };
const FAILED: Verdict = { result: 'failed', answer: ALLOWED };

function verdictBy({ object: { kind, metadata } }: Judged, { faults, warnings }: Judgement): Verdict {
  if (faults.length > 0) {
    const details = { group: GROUP, kind, name: metadata.name, causes: causesOf(faults) };
    return {
      result: 'denied',
      answer: { outcome: 'denied', code: 422, reason: 'Invalid', message: faultLines(faults), details, warnings: warningsOf(warnings) },
    };
  }
  if (warnings.length === 0) return { result: 'allowed', answer: ALLOWED };
  return { result: 'warned', answer: { outcome: 'unchanged', warnings: warningsOf(warnings) } };
}

const LONGEST = 253;
const namesOf = ({ object: { kind, metadata } }: Judged): object => ({
  kind: kind.slice(0, LONGEST),
  namespace: metadata.namespace?.slice(0, LONGEST),
  name: metadata.name.slice(0, LONGEST),
});
/** Never what is in them. */
const fieldsOf = ({ faults }: Judgement): readonly string[] => faults.slice(0, 10).map(({ path }) => path.slice(0, LONGEST));
