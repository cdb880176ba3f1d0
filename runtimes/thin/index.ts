import { ThinRuntime, ThinRuntimeProfile } from '../../src/api/index.ts';
import { defineRuntime, diskUsage } from '../../src/constructs/index.ts';
import { ThinFuse, ThinWorker } from './components.ts';
import { STORAGE_ENV } from './config.ts';
import { diagnosis } from './diagnosis.ts';
import { needs, plan } from './plan.ts';

const unknown = 'N/A';

/** As Fluid creates it: with the defaults of its CRD. */
const REFERENCE_SPEC = {
  worker: { resources: {} },
  fuse: { resources: {}, podMetadata: {} },
  tieredstore: {},
  management: { cleanCachePolicy: { gracePeriodSeconds: 60, maxRetryAttempts: 3 }, metadataSyncPolicy: {} },
};

/**
 * Any FUSE file system that has an image. It has no master; most have no workers either, and what they cache they do not report. Without a
 * profile it shows another Dataset.
 */
export default defineRuntime({
  type: 'thin',
  secrets: ['thin-publish-secret', 'fuse-conf'],
  resource: ThinRuntime,
  companions: [ThinRuntimeProfile],
  forReferences: { spec: REFERENCE_SPEC },
  env: [STORAGE_ENV],
  needs,
  plan,
  components: { worker: ThinWorker, fuse: ThinFuse },
  probes: { ufs: diskUsage('fuse') },
  reads: { subject: 'the store' },
  diagnosis,
  syncsMetadata: (plan) => 'autoSync' in plan && plan.autoSync,
  status: (plan) =>
    'shows' in plan
      ? plan.shows
      : {
          cacheStates: {
            cacheCapacity: unknown,
            cacheHitRatio: unknown,
            cacheThroughputRatio: unknown,
            cached: unknown,
            cachedPercentage: unknown,
          },
        },
});
