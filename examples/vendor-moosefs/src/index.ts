import { defineRuntime } from '@sluice-data/sluice';
import { cache, cleanup, status } from './commands.ts';
import { MooseFSFuse, MooseFSMaster, MooseFSWorker } from './components.ts';
import { MooseFSLoad } from './load.ts';
import { plan } from './plan.ts';
import { MooseFSRuntime } from './spec.ts';

export default defineRuntime({
  type: 'moosefs',
  resource: MooseFSRuntime,
  plan,
  components: { master: MooseFSMaster, worker: MooseFSWorker, fuse: MooseFSFuse },
  probes: { cache },
  status,
  cleanup,
  operations: { DataLoad: MooseFSLoad },
});
