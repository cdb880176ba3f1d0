import { bytesText } from '../../../src/api/index.ts';
import { defineRuntime } from '../../../src/constructs/index.ts';
import { cache, cleanup, mounts, ufs } from './commands.ts';
import { ExampleFuse, ExampleMaster, ExampleWorker } from './components.ts';
import { needs, plan } from './plan.ts';
import { ExampleRuntime } from './spec.ts';

/**
 * A runtime with the features that the others lack: masters with a table of mounts, ports of the node, and a cache that must be asked for
 * its name.
 */
export default defineRuntime({
  type: 'example',
  resource: ExampleRuntime,
  hostPorts: ['master', 'worker'],
  needs,
  plan,
  components: { master: ExampleMaster, worker: ExampleWorker, fuse: ExampleFuse },
  mounts,
  probes: { cache, ufs },
  status: (_, { cache: found }) => ({ cacheStates: found ? { cached: bytesText(found.cachedBytes) } : {} }),
  cleanup,
});
