import type { Decision } from './runtime-defects.ts';

const CACHE = 'runtimes/cache';
const IN_MEMORY = 'reconciler/cache.test.ts';

/** Defects of CacheRuntime, by their number in the list of those seen; `C` and `R`: from two later recordings. */
export const cacheDefects: Readonly<Record<string, Decision>> = {
  '4 cache': {
    fluid: 'a pod that asks for a sidecar of it is left unchanged',
    decided: 'its client is a sidecar as any other',
    shown: ['webhook/sidecar/runtimes.test.ts', 'mounts in a directory of the pod alone, where its containers read'],
  },
  '16a': {
    fluid: 'a sync replaces the resources of the class and its tiers by none',
    decided: 'resources of the runtime count only where it has some, and a cache in memory adds to either',
    shown: [`${CACHE}/plan.test.ts`, 'a cache in memory is added to what the class limits'],
  },
  '16b': {
    fluid: 'a component that the class lacks ends the process',
    decided: 'it does not exist',
    shown: [`${CACHE}/plan.test.ts`, 'those of the class that the runtime does not disable'],
  },
  '16c': {
    fluid: 'fileSystemType has no effect',
    decided: 'the same: volumes that exist have the type cache, and cannot change',
    shown: [`${CACHE}/fields.test.ts`, 'fileSystemType'],
  },
  '16d': {
    fluid: 'podMetadata and imagePullSecrets of the runtime have no effect',
    decided: 'they are those of all its pods',
    shown: [`${CACHE}/defects.test.ts`, '16: labels, annotations and pull secrets of the runtime'],
  },
  '16e': {
    fluid: 'a class that changes changes no runtime',
    decided: 'every runtime follows its class',
    shown: [IN_MEMORY, 'follows its class, whose last valid plan stays in force'],
  },
  '16f': {
    fluid: 'the pod of a DataLoad has the path of runtime.json, and no such file',
    decided: 'it has the file, the ConfigMaps of the class and the Secrets',
    shown: [`${CACHE}/load.test.ts`, 'have runtime.json'],
  },
  '16g': {
    fluid: 'cache states are those of the moment in which the Dataset was bound',
    decided: 'they are asked for every minute',
    shown: [`${CACHE}/defects.test.ts`, '16: cache states are asked for again and again'],
  },
  '16h': {
    fluid: 'workloads are created once and never applied again',
    decided: 'drift is repaired at once',
    shown: ['cluster/reconciler/runtimes.test.ts', 'has what others delete or edit again'],
  },
  '19 cache': {
    fluid: 'the phase of clients is NotReady where nobody wants one',
    decided: 'it follows from their number, as that of other workloads',
    shown: [IN_MEMORY, 'shows its components in a status of its own shape'],
  },
  C2: {
    fluid: 'its CRD prunes labels and annotations of the templates of a class',
    decided: 'they are kept, and those of the pods',
    shown: [`${CACHE}/defects.test.ts`, 'C2: labels and annotations of the class'],
  },
  C3: {
    fluid: 'all masters and workers are deleted once when a Dataset is bound',
    decided: 'pods are replaced when their user deletes them',
    shown: [`${CACHE}/defects.test.ts`, 'C3: pods are replaced when their user deletes them'],
  },
  R8: {
    fluid: 'with its workers disabled it is Bound, and every sync fails',
    decided: 'it is Bound, and synced',
    shown: [IN_MEMORY, 'does without a disabled %s'],
  },
};
