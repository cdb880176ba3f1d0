import { defineRuntime, engine } from '../../src/constructs/index.ts';
import { removeCache } from './commands.ts';
import { JindoFuse, JindoMaster, JindoWorker } from './components.ts';
import { ENGINE_TYPE, engineOf } from './engines.ts';
import { imageVariables } from './images.ts';
import { legacy } from './legacy.ts';
import { JindoLoad } from './load.ts';
import { MEMORY_LIMIT } from './master-pod.ts';
import { mounts } from './mount-table.ts';
import { INIT_IMAGE, needs, PORT_CHECK, plan, QUERY_TOTAL } from './plan.ts';
import { DNS_SERVER } from './pod.ts';
import { portNames } from './ports.ts';
import { cache, status, ufs } from './probes.ts';
import { JindoRuntime } from './spec.ts';

const either = engine({
  needs,
  plan,
  components: { master: JindoMaster, worker: JindoWorker, fuse: JindoFuse },
  mounts,
  probes: { cache, ufs },
  syncsMetadata: (plan) => plan.countsFiles,
  status,
  operations: { DataLoad: JindoLoad },
  cleanup: removeCache,
});

/** Masters that keep the mounts, workers that hold what was read, a client on each node that reads. */
export default defineRuntime({
  type: 'jindo',
  resource: JindoRuntime,
  env: [...imageVariables, ENGINE_TYPE, DNS_SERVER, MEMORY_LIMIT, QUERY_TOTAL, PORT_CHECK, INIT_IMAGE],
  hostPorts: portNames,
  workloads: { master: 'jindofs-master', worker: 'jindofs-worker', fuse: 'jindofs-fuse' },
  engines: { jindocache: either, jindofsx: either, jindo: legacy },
  engineOf,
});
