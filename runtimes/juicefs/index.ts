import { defineRuntime, IP_FAMILY } from '../../src/constructs/index.ts';
import { cacheUse, removeCache, size, status } from './commands.ts';
import { JuiceFSFuse, JuiceFSWorker } from './components.ts';
import { diagnosis } from './diagnosis.ts';
import { JuiceFSLoad } from './load.ts';
import { JuiceFSMigrate } from './migrate.ts';
import { needs, plan } from './plan.ts';
import { images, roles } from './pod.ts';
import { JuiceFSRuntime } from './spec.ts';

/** No master: every JuiceFS client talks to the metadata engine itself, so workers only hold cache. */
export default defineRuntime({
  type: 'juicefs',
  resource: JuiceFSRuntime,
  images,
  env: [IP_FAMILY],
  hostPorts: roles,
  needs,
  plan,
  components: { worker: JuiceFSWorker, fuse: JuiceFSFuse },
  probes: { cache: cacheUse, ufs: size },
  reads: { subject: 'the metadata engine' },
  syncsMetadata: (plan) => plan.syncsMetadata,
  status,
  operations: { DataLoad: JuiceFSLoad, DataMigrate: JuiceFSMigrate },
  cleanup: removeCache,
  diagnosis,
});
