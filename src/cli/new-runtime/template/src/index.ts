import { defineRuntime, diskUsage } from '../../../../constructs/index.ts';
import { NewFsFuse, NewFsWorker } from './components.ts';
import { needs, plan } from './plan.ts';
import { NewFsRuntime } from './spec.ts';

/** Absent fields are features that it lacks: masters, a table of mounts, cache figures, cleaning up. */
export default defineRuntime({
  type: 'new-fs',
  resource: NewFsRuntime,
  needs,
  plan,
  components: { worker: NewFsWorker, fuse: NewFsFuse },
  probes: { ufs: diskUsage('fuse') },
  reads: { subject: 'the store' },
});
