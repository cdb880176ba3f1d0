import type { cleanCachePolicy, Static } from '../api/index.ts';
import type { BasePlan } from './contract.ts';

/** A day; timers of JavaScript overflow after 24. */
const LONGEST = 86_400;

/** How often a cache is cleaned, and how many seconds one attempt may take: at least one, since no time at all has two meanings for programs. */
export function cleaningOf(policy: Static<typeof cleanCachePolicy> | undefined, otherwise: BasePlan['cleaning']): BasePlan['cleaning'] {
  const { maxRetryAttempts: attempts = otherwise.attempts, gracePeriodSeconds: seconds = otherwise.graceSeconds } = policy ?? {};
  return { attempts, graceSeconds: Math.min(Math.max(seconds, 1), LONGEST) };
}
