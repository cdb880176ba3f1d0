import { defineRuntime } from '../../src/constructs/index.ts';
import { CacheRuntimeClass } from './class-spec.ts';
import { CacheClient, CacheMaster, CacheWorker } from './components.ts';
import { CacheLoad } from './load.ts';
import { needs, plan } from './plan.ts';
import { cache, mounts } from './protocol.ts';
import { CacheRuntime } from './spec.ts';
import { statusShape } from './status.ts';

/** Any cache whose masters, workers and clients a CacheRuntimeClass describes. */
export default defineRuntime({
  type: 'cache',
  resource: CacheRuntime,
  companions: [CacheRuntimeClass],
  workloads: { fuse: 'client' },
  statusShape,
  // The controller is Fluid's own: nothing would create the runtime's pods once Fluid is gone.
  fluidsWorkloads: { group: 'workload.fluid.io', version: 'v1alpha1', kind: 'AdvancedStatefulSet', plural: 'advancedstatefulsets' },
  needs,
  plan,
  components: { master: CacheMaster, worker: CacheWorker, fuse: CacheClient },
  mounts,
  probes: { cache },
  reads: { subject: 'the cache, or the store behind it,' },
  status: (_, { cache: summary }) => summary ?? {},
  operations: { DataLoad: CacheLoad },
});
