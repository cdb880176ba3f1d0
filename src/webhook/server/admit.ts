import { type Clock, systemClock } from '../../kube/clock.ts';
import type { Log } from '../../kube/types.ts';
import type { WebhookSettings } from '../admission.ts';
import { Denied } from '../denied.ts';
import { mutate } from '../mutate.ts';
import type { Pod } from '../pod.ts';
import { record } from '../shapes.ts';
import { type Mode, modeOf } from '../injection-options.ts';
import type { Knowledge } from '../knowledge.ts';
import { unknownKey } from '../known.ts';
import { createLookups, layered } from './lookups.ts';
import type { AdmissionMetrics } from './metrics.ts';
import { Malformed } from './malformed.ts';
import { podIn } from './pod-in.ts';
import { answerTo, reviewIn, type Review, type AdmissionOutcome } from './review.ts';
import { type HttpAnswer, requestIn } from './request.ts';
import { MOST_VALUES, whyTooLarge } from './size.ts';
import { logVerdict } from './verdict-log.ts';

export interface AdmitOptions {
  readonly knowledge: Knowledge;
  readonly settings: WebhookSettings;
  /** 12 random hexadecimal digits, others each time. */
  readonly random: () => string;
  readonly metrics: AdmissionMetrics;
  readonly log: Log;
  readonly clock?: Clock;
}

/** The objects that one admission may read. A pod that names more of them that do not exist is denied because of the first ones. */
const MOST_READ = 16;
/** For these reads. */
const READS_MS = 8_000;
/** The time for the rest of an admission, out of the time that the API server waits. */
const REST_MS = 2_000;

export function createAdmissions({ knowledge, settings, random, metrics, log, clock = systemClock }: AdmitOptions) {
  const lookups = createLookups(knowledge, metrics, clock);

  /**
   * The answer to the text of an AdmissionReview. It never throws, and is there within the API server's timeout.
   * @param withinMs this timeout
   * @param turn resolves when the admission may compute again, after it has read something
   */
  return async (text: string, withinMs = Infinity, turn?: () => Promise<boolean>): Promise<HttpAnswer> => {
    const began = clock.monotonic();
    const until = began + Math.min(READS_MS, withinMs - REST_MS);
    const review = requestIn(text, MOST_VALUES, reviewIn);
    if ('status' in review) return review;
    if (review.object === undefined) return { status: 200, body: answerTo(review, { outcome: 'unchanged' }) };
    const mode = modeIn(review.object, settings);
    const verdict = await verdictOn(review, mode, until, turn).catch((error: unknown) => unexpected(error, review, mode));
    const { outcome, body } = answered(review, mode, verdict);
    metrics.admitted(outcome, mode, (clock.monotonic() - began) / 1000);
    if ('warnings' in verdict) metrics.warned(verdict.warnings?.length ?? 0);
    logVerdict(log, review, verdict);
    return { status: 200, body };
  };

  /** The answer as JSON; texts of a pod, such as one that is nested too deeply, may fail only here. */
  function answered(
    review: Review,
    mode: Mode,
    verdict: AdmissionOutcome,
  ): { readonly outcome: AdmissionOutcome['outcome']; readonly body: string } {
    try {
      return { outcome: verdict.outcome, body: answerTo(review, verdict) };
    } catch (error) {
      const instead = unexpected(error, review, mode);
      return { outcome: 'failed', body: answerTo(review, instead) };
    }
  }

  async function verdictOn(
    { object, namespace }: Review,
    mode: Mode,
    until: number,
    turn?: () => Promise<boolean>,
  ): Promise<AdmissionOutcome> {
    let pod: Pod;
    try {
      pod = podIn(object);
    } catch (error) {
      // The API server rejects an object that is no pod, unless it asks for a Dataset.
      if (!(error instanceof Malformed) || mode === 'none') return { outcome: 'unchanged' };
      return denied(error.message, 400, 'BadRequest');
    }
    const large = mode === 'none' ? undefined : whyTooLarge(pod);
    if (large !== undefined)
      return mode === 'serverless'
        ? denied(large, 413, 'RequestEntityTooLarge')
        : { outcome: 'unchanged', warnings: [`${large}; the pod was created without hints for the scheduler`] };
    const context = { settings, profile: knowledge.profile(), random };
    const isRead = new Set<string>();
    let { known } = knowledge;
    for (;;) {
      const warnings: string[] = [];
      try {
        const after = mutate({ pod, namespace }, { ...context, known, warn: (message) => void warnings.push(message) });
        return after === pod ? { outcome: 'unchanged', warnings } : { outcome: 'mutated', before: pod, after, warnings };
      } catch (error) {
        if (!(error instanceof Denied)) throw error;
        const unread = error.unknown.filter((each) => !isRead.has(unknownKey(each))).slice(0, MOST_READ - isRead.size);
        if (unread.length === 0) return denied(error.message);
        const keys = new Set(unread.map(unknownKey));
        for (const key of keys) isRead.add(key);
        const read = await lookups.read(namespace, unread, until - clock.monotonic());
        if (read.failed !== undefined)
          return denied(`${error.message} The webhook read this from memory, and could not read it again: ${read.failed}`);
        known = layered(known, read.known, keys);
        // Sixteen may have been answered at once.
        if ((await turn?.()) === false) return denied('the client no longer waits for an answer');
      }
    }
  }

  function unexpected(error: unknown, { namespace }: Review, mode: Mode): AdmissionOutcome {
    // Not the error's message alone: a stack names code, and never what is in the pod.
    log.error({ namespace, mode, err: error }, 'an admission failed; this is a defect of Sluice');
    metrics.broke();
    const what = 'the webhook of Sluice met a defect, which its log describes';
    return mode === 'serverless'
      ? { outcome: 'failed', code: 500, reason: 'InternalError', message: `${what}. The pod asks for a sidecar, so it was not created` }
      : { outcome: 'failed', warnings: [`${what}; the pod was created without hints for the scheduler`] };
  }
}

const denied = (message: string, code = 403, reason = 'Forbidden'): AdmissionOutcome => ({ outcome: 'denied', code, reason, message });

/** The mode that an object of any shape asks for. */
const modeIn = (object: unknown, settings: WebhookSettings): Mode => modeOf(record(record(record(object)['metadata'])['labels']), settings);
