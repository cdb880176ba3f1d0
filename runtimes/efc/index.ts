import { defineRuntime } from '../../src/constructs/index.ts';
import { removeCache, status } from './commands.ts';
import { EfcFuse, EfcMaster, EfcWorker } from './components.ts';
import { images } from './images.ts';
import { needs, plan } from './plan.ts';
import { portNames } from './ports.ts';
import { sessionManager, UPDATE_STRATEGY } from './session-manager.ts';
import { EFCRuntime } from './spec.ts';

/** A client of NAS and CPFS on each node that reads, workers that hold what was read, a master that keeps the session. */
export default defineRuntime({
  type: 'efc',
  resource: EFCRuntime,
  images: images.images,
  env: [UPDATE_STRATEGY],
  hostPorts: portNames,
  needs,
  plan,
  components: { master: EfcMaster, worker: EfcWorker, fuse: EfcFuse },
  reads: { subject: 'the file system' },
  status,
  cleanup: removeCache,
  install: sessionManager,
});
