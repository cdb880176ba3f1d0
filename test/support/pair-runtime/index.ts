import { defineRuntime, engine } from '../../../src/constructs/index.ts';
import { PairFuse, PairMaster, PairWorker } from './components.ts';
import { ENGINE_ENV, plan } from './plan.ts';
import { PairRuntime } from './spec.ts';

const components = { master: PairMaster, worker: PairWorker, fuse: PairFuse };

/** What the other runtimes lack together: two engines, workloads of other names, several containers, a leader, no mount. */
export default defineRuntime({
  type: 'pair',
  resource: PairRuntime,
  env: [ENGINE_ENV],
  workloads: { master: 'pairfs-master', worker: 'pairfs-worker', fuse: 'client' },
  engines: { pairold: engine({ plan, components }), pairnew: engine({ plan, components }) },
  engineOf: ({ settings }) => (settings.env[ENGINE_ENV] === 'old' ? 'pairold' : 'pairnew'),
});
