import { defineRuntime } from '../../src/constructs/index.ts';
import { AlluxioBackup } from './backup.ts';
import { removeCache } from './commands.ts';
import { AlluxioFuse, AlluxioMaster, AlluxioWorker } from './components.ts';
import { diagnosis } from './diagnosis.ts';
import { images } from './images.ts';
import { mounts } from './mount-table.ts';
import { AlluxioLoad } from './load.ts';
import { KUBELET_ROOT, needs, plan } from './plan.ts';
import { portNames } from './ports.ts';
import { cache, reads, status, ufs } from './probes.ts';
import { AlluxioRuntime } from './spec.ts';
import { leader } from './web.ts';

/** A master that knows every file and keeps the table of mounts, workers that hold them, a client on each node that reads. */
export default defineRuntime({
  type: 'alluxio',
  resource: AlluxioRuntime,
  images,
  env: [KUBELET_ROOT],
  hostPorts: portNames,
  needs,
  plan,
  components: { master: AlluxioMaster, worker: AlluxioWorker, fuse: AlluxioFuse },
  leader,
  mounts,
  probes: { cache, ufs },
  reads,
  syncsMetadata: (plan) => plan.syncsMetadata,
  status,
  operations: { DataLoad: AlluxioLoad, DataBackup: AlluxioBackup },
  cleanup: removeCache,
  diagnosis,
});
