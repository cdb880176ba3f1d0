import { expect, test } from 'vitest';
import { cleaningOf } from '../../src/constructs/index.ts';

const OTHERWISE = { attempts: 5, graceSeconds: 60 };

test.each([
  [undefined, OTHERWISE],
  [{}, OTHERWISE],
  [
    { maxRetryAttempts: 0, gracePeriodSeconds: 7 },
    { attempts: 0, graceSeconds: 7 },
  ],
  [{ gracePeriodSeconds: 0 }, { attempts: 5, graceSeconds: 1 }],
  [{ gracePeriodSeconds: -5 }, { attempts: 5, graceSeconds: 1 }],
  [{ gracePeriodSeconds: 2 ** 31 - 1 }, { attempts: 5, graceSeconds: 86_400 }],
])('a policy of %j means %j', (policy, expected) => expect(cleaningOf(policy, OTHERWISE)).toEqual(expected));
