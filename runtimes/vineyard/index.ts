import { defineRuntime, IP_FAMILY } from '../../src/constructs/index.ts';
import { removeSpill, status } from './commands.ts';
import { VineyardFuse, VineyardMaster, VineyardWorker } from './components.ts';
import { images } from './pod.ts';
import { needs, plan } from './plan.ts';
import { portNames } from './ports.ts';
import { VineyardRuntime } from './spec.ts';

/** Objects in shared memory: an etcd that knows them, workers that hold them, and on each node of an application the worker's socket. */
export default defineRuntime({
  type: 'vineyard',
  resource: VineyardRuntime,
  images,
  env: [IP_FAMILY],
  hostPorts: portNames,
  needs,
  plan,
  components: { master: VineyardMaster, worker: VineyardWorker, fuse: VineyardFuse },
  status,
  cleanup: removeSpill,
});
