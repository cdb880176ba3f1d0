/** Reconciles every runtime of a cluster again and again, with a store that watches it; all is as it should be, so nothing is written. */
import { runtimes } from '../runtimes/_all.gen.ts';
import { createClient } from '../src/kube/client/kube-client.ts';
import { eventSink } from '../src/kube/events/events.ts';
import { silent } from '../src/kube/types.ts';
import { kubernetesCluster } from '../src/reconciler/kubernetes/kubernetes-cluster.ts';
import { connectionFromKubeconfig } from '../src/kube/kubeconfig/kubeconfig.ts';
import { createNodeLabeler } from '../src/reconciler/kubernetes/nodes/node-labels.ts';
import { createStore } from '../src/reconciler/kubernetes/store/store.ts';
import { reconcile } from '../src/reconciler/reconcile.ts';
import { keyOf } from '../src/planning/key.ts';
import type { Reconciled } from './noop.ts';

const [kubeconfig = '', rounds = '10'] = process.argv.slice(2);
const WARM_ROUNDS = 30;
const log = silent;
let requests = 0;
const connection = connectionFromKubeconfig([kubeconfig]);
const client = createClient(connection, { fieldManager: 'sluice', onRequest: () => requests++ });
const store = createStore({ client, runtimes, log, onKey: () => {}, onGone: () => {}, onPlacement: () => {} });
await store.synced;
const cluster = kubernetesCluster({
  client,
  store,
  log,
  labeler: createNodeLabeler(client, store, { isExcluded: () => false, counts: true }, log),
  events: eventSink(client, { reportingController: 'bench', reportingInstance: 'bench', log }),
  exec: () => Promise.reject(new Error('nothing is to be run')),
  settings: { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} },
  portPolicy: 'random',
  probeMs: 0,
  wake: () => {},
});
const keys = [...store.allRuntimes()].map(({ object }) => keyOf(object));

async function all(): Promise<number> {
  const before = process.cpuUsage();
  for (const key of keys) await reconcile(cluster, key);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / keys.length;
}

// The first round plans and renders, as after a start.
const first = await all();
requests = 0;
let sum = 0;
for (let round = 0; round < Number(rounds); round++) sum += await all();
let warm = 0;
for (let round = 0; round < WARM_ROUNDS; round++) warm += await all();
const result: Reconciled = { keys: keys.length, firstMs: first, againMs: sum / Number(rounds), warmMs: warm / WARM_ROUNDS, requests };
console.log(JSON.stringify(result));
store.stop();
await client.close();
