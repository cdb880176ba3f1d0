import { runtimes } from '../../runtimes/_all.gen.ts';
import { Dataset, operationKinds } from '../../src/api/index.ts';
import type { Settings } from '../../src/constructs/index.ts';
import { NotLeader } from '../../src/kube/errors.ts';
import type { KubeObject, Log, ResourceType } from '../../src/kube/types.ts';
import { type Controller, startController } from '../../src/reconciler/controller.ts';
import type { Metrics } from '../../src/reconciler/metrics.ts';
import type { createQueue } from '../../src/kube/turns/queue.ts';
import type { PodExec } from '../../src/kube/exec.ts';
import { typeOf } from '../../src/planning/kinds.ts';
import type { ExecFence } from '../../src/kube/client/pod-exec.ts';
import { type Controllers, createControllers } from '../../src/api-server/controllers/index.ts';
import { type ApiServer, createApiServer } from '../../src/api-server/index.ts';
import { builtInKinds } from '../../src/api-server/kinds.ts';
import { byPath } from '../../src/api-server/wire/requests.ts';
import { quotas } from './admission.ts';
import { createMachines, type Machines } from './machines.ts';
import { createNetwork, type Network, type NetworkRules } from './network.ts';
import type { Plan } from './plan.ts';
import { createEngines } from './pods.ts';
import type { Random } from './random.ts';
import type { createTime, Process } from './time.ts';

const LINGER_MS = 3000;
export const LEASE = { namespace: 'fluid-system', name: 'sluice' };
export const settingsOf = ({ env }: Plan): Settings => ({
  mountRoot: '/runtime-mnt',
  criticalFusePod: true,
  imagePullSecrets: [],
  env,
  portRanges: {},
});
const kinds: readonly ResourceType[] = [
  Dataset,
  ...operationKinds,
  ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions]),
].map(typeOf);

/** A place in which a process runs, and which runs it again when it has ended. */
export interface Place {
  readonly identity: string;
  process: Process | undefined;
  controller: Controller | undefined;
}

/** Questions of the world to its faults and observers. */
export interface WorldRules extends NetworkRules {
  /** The fate of a command in a pod: its duration, or the reason of its failure. */
  commandFate(process: Process): { readonly ms: number; readonly error?: string };
  onCommand(process: Process): void;
  /** A process has begun. */
  onStart(process: Process, controller: Controller): void;
  /** Before the controllers of Kubernetes act. */
  onTick(): void;
  metricsOf(process: Process): Metrics;
  readonly createQueue: typeof createQueue;
  /** A process cannot go on, or has thrown where nothing catches. */
  onEnd(place: Place, error: unknown): void;
  readonly log: (process: Process) => Log;
}

/** A cluster with Sluice's processes, on a virtual clock. */
export interface World {
  readonly server: ApiServer;
  readonly controllers: Controllers;
  readonly network: Network;
  readonly machines: Machines;
  readonly places: readonly Place[];
  /** The place whose process holds the Lease. */
  leader(): Place | undefined;
  start(place: Place): void;
  kill(place: Place): void;
  /** Tells its process to end, as SIGTERM does. Resolves when it has. */
  stop(place: Place): Promise<void>;
}

export function createWorld(plan: Plan, time: ReturnType<typeof createTime>, rules: WorldRules, random: Random): World {
  const event: ResourceType = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
  const server = createApiServer({ kinds, namespaces: ['default', 'ml', 'lab', 'elsewhere', LEASE.namespace] });
  const controllers = createControllers(server);
  const types = byPath([...builtInKinds, ...kinds, event]);
  const network = createNetwork(time, server, types, rules, random.fork('streams'));
  const engines = createEngines();
  for (let i = 1; i <= plan.nodes; i++) server.put(nodeOf(`node-${i}`));
  for (const object of plan.denied === 'Pod' ? [...plan.given, ...quotas('for-ever')] : plan.given) server.put(object);

  const machines = createMachines(server, time, random.fork('machines'));
  const pace = random.fork('controllers');
  let isDue = false;
  server.onChange = () => {
    if (isDue) return;
    isDue = true;
    time.after(pace.int(1, 120), () => {
      isDue = false;
      rules.onTick();
      controllers.settle();
      machines.tick();
    });
  };
  // As the watch cache does, so that no watch takes a quiet kind for a dead connection.
  const bookmark = () => {
    for (const kind of new Set([...network.streams].map(({ type }) => type.kind))) server.bookmark(kind);
    time.after(60_000, bookmark);
  };
  time.after(60_000, bookmark);

  const execOf =
    (process: Process) =>
    (fence: ExecFence): PodExec =>
    (where, argv, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (fence.signal?.aborted) return reject(fence.signal.reason);
        if (fence.deadline && Date.now() >= fence.deadline()) return reject(new NotLeader({ method: 'EXEC', path: where.pod }));
        rules.onCommand(process);
        const { ms, error } = rules.commandFate(process);
        const cancel = time.after(
          Math.min(ms, timeoutMs),
          () => {
            try {
              if (error !== undefined || ms > timeoutMs) throw new Error(error ?? 'the command took too long');
              if (!server.get('Pod', where.namespace, where.pod)) throw new Error(`pod ${where.pod} does not exist`);
              resolve(where.container.startsWith('fluid-fuse-') ? '' : engines(where, argv));
              if (argv.join(' ').includes('kill ')) machines.ends(where.namespace, where.pod, where.container);
            } catch (failure) {
              reject(failure);
            }
          },
          process,
        );
        fence.signal?.addEventListener('abort', () => (cancel(), reject(fence.signal?.reason)), { once: true });
      });

  function start(place: Place): void {
    const process = time.createProcess(place.identity);
    place.process = process;
    time.as(process, () => {
      const controller = startController({
        connection: { server: 'https://api.example', pools: () => network.poolsOf(process) },
        runtimes,
        settings: settingsOf(plan),
        portPolicy: 'bitmap',
        probeMs: plan.probeMs,
        exec: execOf(process),
        createQueue: rules.createQueue,
        metrics: rules.metricsOf(process),
        secretMs: plan.secretMs,
        concurrency: plan.concurrency,
        election: { ...LEASE, identity: place.identity, alive: () => true },
        log: rules.log(process),
      });
      place.controller = controller;
      rules.onStart(process, controller);
      void controller.failed.then((error) => rules.onEnd(place, error));
    });
  }
  async function stop(place: Place): Promise<void> {
    const { process, controller } = place;
    if (!process || !controller) return;
    await time.as(process, () => controller.stop());
    // Requests that it left behind may still act, though its program would end now.
    await new Promise<void>((resolve) => time.after(LINGER_MS, resolve));
    if (place.process === process) kill(place);
  }
  function kill(place: Place): void {
    if (!place.process) return;
    time.kill(place.process);
    for (const stream of network.streams) if (stream.process === place.process) stream.end('broken');
    place.process = undefined;
    place.controller = undefined;
  }

  const places = Array.from(
    { length: plan.candidates },
    (_, i): Place => ({ identity: `sluice-${i}_1`, process: undefined, controller: undefined }),
  );
  return {
    server,
    controllers,
    network,
    machines,
    places,
    leader: () => places.find(({ identity }) => identity === holderOf(server)),
    start,
    kill,
    stop,
  };
}

/** The holder of the Lease at the server. */
export const holderOf = (server: ApiServer): string | undefined =>
  (server.get('Lease', LEASE.namespace, LEASE.name)?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;

export const nodeOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, zone: name.endsWith('1') ? 'a' : 'b' } },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});
