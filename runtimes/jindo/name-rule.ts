import type { Rule } from '../../src/api/resource.ts';

/** `<name>-jindofs-worker-<hash>` is a label of every worker pod: 63 − 15 − 11. */
const LONGEST = 37;

/** As `shortNameRule`, for the longer names of Jindo's workloads. Like every rule of names, it spares an object that has a status. */
export const shortNameWithSuffixRule: Rule = {
  cel: `has(self.status) || size(self.metadata.name) <= ${LONGEST}`,
  holds: ({ metadata }) => metadata.name.length <= LONGEST,
  path: 'metadata.name',
  expected: `at most ${LONGEST} characters, since <name>-jindofs-worker-<hash> is a label of worker pods`,
};
