import { defineRuntime, engine } from '../../../src/constructs/index.ts';
import { cleanup, leader, mounts, status, ufs, use } from './commands.ts';
import { PairFuse, PairMaster, PairWorker } from './components.ts';
import { ENGINE_ENV, needs, plan } from './plan.ts';
import { PairRuntime } from './spec.ts';

const components = { master: PairMaster, worker: PairWorker, fuse: PairFuse };
const both = engine({ needs, plan, components, leader, mounts, probes: { cache: use, ufs }, status, cleanup });

/**
 * A runtime with the features that the others lack together: two engines, workloads of other names, several containers, a leader, no mount.
 */
export default defineRuntime({
  type: 'pair',
  resource: PairRuntime,
  env: [ENGINE_ENV],
  workloads: { master: 'pairfs-master', worker: 'pairfs-worker', fuse: 'client' },
  install: ({ namespace, mountRoot }) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'pair-daemon', namespace, labels: { app: 'pair' } }, data: { mountRoot } },
  ],
  engines: { pairold: both, pairnew: both },
  engineOf: ({ settings }) => (settings.env[ENGINE_ENV] === 'old' ? 'pairold' : 'pairnew'),
});
