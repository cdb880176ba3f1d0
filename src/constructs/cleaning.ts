import type { cleanCachePolicy, Static } from '../api/index.ts';
import type { BasePlan } from './contract.ts';

/** A day, in seconds. Timers of JavaScript overflow after 24 days. */
const LONGEST = 86_400;

/** How often a cache is cleaned, and the seconds of one attempt: at least 1, since 0 means no limit to some programs. */
export function cleaningOf(policy: Static<typeof cleanCachePolicy> | undefined, otherwise: BasePlan['cleaning']): BasePlan['cleaning'] {
  const { maxRetryAttempts: attempts = otherwise.attempts, gracePeriodSeconds: seconds = otherwise.graceSeconds } = policy ?? {};
  return { attempts, graceSeconds: Math.min(Math.max(seconds, 1), LONGEST) };
}
