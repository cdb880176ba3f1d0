import { defineRuntime, engine } from '../../src/constructs/index.ts';
import { removeCache } from './commands.ts';
import { JindoFuse, JindoMaster, JindoWorker } from './components.ts';
import { engineOf } from './engines.ts';
import { images } from './images.ts';
import { legacy } from './legacy.ts';
import { JindoLoad } from './load.ts';
import { mounts } from './mount-table.ts';
import { needs, plan } from './plan.ts';
import { portNames } from './ports.ts';
import { cache, reads, status, ufs } from './probes.ts';
import { JindoRuntime } from './spec.ts';
import { switches } from './switches.ts';

const either = engine({
  needs,
  plan,
  components: { master: JindoMaster, worker: JindoWorker, fuse: JindoFuse },
  mounts,
  probes: { cache, ufs },
  reads,
  syncsMetadata: (plan) => plan.countsFiles,
  status,
  operations: { DataLoad: JindoLoad },
  cleanup: removeCache,
});

/** Masters that keep the mounts, workers that hold what was read, a client on each node that reads. */
export default defineRuntime({
  type: 'jindo',
  resource: JindoRuntime,
  images,
  env: switches,
  hostPorts: portNames,
  secrets: ['jindofs-config'],
  workloads: { master: 'jindofs-master', worker: 'jindofs-worker', fuse: 'jindofs-fuse' },
  engines: { jindocache: either, jindofsx: either, jindo: legacy },
  engineOf,
});
