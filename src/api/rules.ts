import type { Rule, Ruled } from './resource.ts';

/*
 * In CEL every rule applies only until the object has a status. The API server drops the status of an object that is created, so it rejects
 * a new object at once. An object taken over from Fluid, or one whose finalizer must be removed, is never stuck: its status can be written.
 * What an edit breaks later, `parse` finds; a condition reports it.
 */
const whenNew = (cel: string): string => `has(self.status) || ${cel}`;

const DNS1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** `<name>-loader-job` is a label of its pods: 63 − 11. */
const LONGEST_OPERATION = 52;
/** `<name>-worker` is the name of a StatefulSet, which the API server holds to 63 characters. */
const LONGEST_WORKER_SET = 56;

/**
 * Names of Datasets and runtimes: a DNS-1035 label of at most 63 characters, as in Fluid, since the name becomes a label and the name of a claim.
 */
export const nameRule: Rule = {
  cel: whenNew(`self.metadata.name.matches('${DNS1035.source}') && size(self.metadata.name) <= 63`),
  holds: ({ metadata: { name } }) => DNS1035.test(name) && name.length <= 63,
  path: 'metadata.name',
  expected: 'at most 63 lower-case letters, digits and dashes, a letter first and no dash last',
};

/** Kubernetes' rule for names of objects: a DNS subdomain of at most 253 characters. */
export const plainNameRule: Rule = {
  holds: ({ metadata: { name } }) => SUBDOMAIN.test(name) && name.length <= 253,
  path: 'metadata.name',
  expected: 'at most 253 lower-case letters, digits, dashes and dots, a letter or digit first and last',
};

/**
 * Names of operations: at most 52 characters, since `<name>-loader-job` is a label of the Job's pods. It has no CEL: Fluid accepts such an
 * object, and reports on it that it cannot be installed.
 */
export const operationNameRule: Rule = {
  ...plainNameRule,
  holds: (object) => plainNameRule.holds(object) && object.metadata.name.length <= LONGEST_OPERATION,
  expected: `at most ${LONGEST_OPERATION} lower-case letters, digits, dashes and dots, since the name of its Job is a label of its pods`,
};

/** `<name>-<workload>-<hash>` is a label of every worker pod, of at most 63 characters; the hash and its dash are 11. */
const longestWith = (workload: string): number => 63 - 11 - `-${workload}`.length;
const short = (workload: string) => ({
  path: 'metadata.name',
  expected: `at most ${longestWith(workload)} characters, since <name>-${workload}-<hash> is a label of worker pods`,
});
const celIsShort = (workload: string): string => `size(self.metadata.name) <= ${longestWith(workload)}`;
const isShort =
  (workload: string) =>
  ({ metadata }: Ruled): boolean =>
    metadata.name.length <= longestWith(workload);

/**
 * Names of runtimes that always have workers: so short that a label of their pods, `<name>-<workload>-<hash>`, is valid.
 * @param workload suffix of the workers, if the definition of the kind names another than `worker`
 * @example
 * shortName('acmefs-worker').expected; // → 'at most 38 characters, since <name>-acmefs-worker-<hash> is a label of worker pods'
 */
export const shortName = (workload: string): Rule => ({
  ...short(workload),
  cel: whenNew(celIsShort(workload)),
  holds: isShort(workload),
});
/** Names of runtimes that always have workers: at most 45 characters, since `<name>-worker-<hash>` is a label of worker pods. */
export const shortNameRule: Rule = shortName('worker');

/** The rule `shortNameRule` for kinds that have workers only if spec.replicas is above 0. */
export const shortNameWithReplicasRule: Rule = {
  ...short('worker'),
  cel: whenNew(`${celIsShort('worker')} || !has(self.spec) || !has(self.spec.replicas) || self.spec.replicas == 0`),
  holds: (object) => isShort('worker')(object) || ((object.spec as { replicas?: number }).replicas ?? 0) === 0,
};

/** Names of runtimes whose StatefulSet of workers exists even with no pods: at most 56 characters. */
export const workerSetNameRule: Rule = {
  cel: whenNew(`size(self.metadata.name) <= ${LONGEST_WORKER_SET}`),
  holds: ({ metadata: { name } }) => name.length <= LONGEST_WORKER_SET,
  path: 'metadata.name',
  expected: `at most ${LONGEST_WORKER_SET} characters, since <name>-worker is a StatefulSet`,
};

/** The rule `shortNameRule` for kinds that have workers only if spec.worker.enabled is true. */
export const shortNameWithWorkerRule: Rule = {
  ...short('worker'),
  cel: whenNew(
    `${celIsShort('worker')} || !has(self.spec) || !has(self.spec.worker) || !has(self.spec.worker.enabled) || !self.spec.worker.enabled`,
  ),
  holds: (object) => isShort('worker')(object) || (object.spec as { worker?: { enabled?: boolean } }).worker?.enabled !== true,
};

/** spec.replicas is at least 0: the API server demands it of kinds that can be scaled. */
export const replicasRule: Rule = {
  cel: whenNew('!has(self.spec) || !has(self.spec.replicas) || self.spec.replicas >= 0'),
  holds: ({ spec }) => ((spec as { replicas?: number }).replicas ?? 0) >= 0,
  path: 'spec.replicas',
  expected: 'at least 0',
};

/** A Dataset that refers to another Dataset has that one mount. */
export const oneReferenceRule: Rule = {
  cel: whenNew(
    "!has(self.spec) || !has(self.spec.mounts) || size(self.spec.mounts) == 1 || !self.spec.mounts.exists(m, m.mountPoint.startsWith('dataset://'))",
  ),
  holds: ({ spec }) => {
    const { mounts = [] } = spec as { mounts?: readonly { mountPoint: string }[] };
    return mounts.length === 1 || !mounts.some(({ mountPoint }) => mountPoint.startsWith('dataset://'));
  },
  path: 'spec.mounts',
  expected: 'a single mount, since one is dataset://',
};
