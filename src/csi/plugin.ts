/** The whole plugin as one process: two services on csi.sock, one by which the kubelet finds it. */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../kube/clock.ts';
import type { Log } from '../kube/types.ts';
import { BIND_FUNCTIONS } from './mounts/bind-script.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { createDeparting } from './publish/departing.ts';
import { fuseRelease } from './stage/fuse-release.ts';
import { serviceOf } from './grpc/service.ts';
import type { NodeMetrics, NodeState } from './metrics.ts';
import { createHost } from './mounts/host.ts';
import { openScratch } from './mounts/scratch.ts';
import { csiDriver } from '../api/names.ts';
import { identity, registration } from './identity-service.ts';
import { knownVolumes } from './cluster/known-volumes.ts';
import { openLayers } from './mounts/layers.ts';
import { createLocks } from './grpc/locks.ts';
import { mountTable } from './mounts/table.ts';
import { watchMounts } from './mounts/watch.ts';
import { node } from './node-service.ts';
import { nodeLabels } from './cluster/own-node-labels.ts';
import type { NodeContext } from './node-context.ts';
import { Identity, Node } from './grpc/proto/csi.gen.ts';
import { Registration } from './grpc/proto/pluginregistration.gen.ts';
import { startRecovery } from './recovery/recovery.ts';
import { openShells } from './mounts/shells.ts';
import { type Listening, serve } from './grpc/socket.ts';
import { openStaged, tidyStaged } from './stage/records.ts';
import type { UnaryMethod } from './grpc/unary.ts';
import type { VolumeDefaults } from './volume.ts';

export interface PluginOptions extends VolumeDefaults {
  readonly nodeId: string;
  /** The kubelet's --root-dir, the same path as on the host. */
  readonly kubeletDir: string;
  /** The kubelet's podLogsDir. */
  readonly podLogsDir: string;
  /** Path of the socket that the kubelet calls. What must outlive the plugin is kept beside it. */
  readonly endpoint: string;
  /** Where a small file system of our own is mounted; it must not be there yet. */
  readonly scratch: string;
  readonly cluster: NodeCluster;
  readonly version: string;
  readonly log: Log;
  readonly metrics?: NodeMetrics;
  /** Called once the plugin works, with a function that returns the node's mounts. */
  readonly onState?: (state: () => NodeState) => void;
  readonly clock?: Clock;
  /** How long a first publish call waits for a mount before it returns the reason, ms. Default 20,000. */
  readonly patienceMs?: number;
  /** How long a file system may take to let itself be bound, ms. Default 10,000. */
  readonly bindMs?: number;
  /** How long to wait for another plugin to end, ms. Default: as long as it serves. */
  readonly handOverMs?: number;
  /** Called while the plugin waits for another one. */
  readonly onWait?: (why: string) => void;
  /** Ends that wait. */
  readonly signal?: AbortSignal;
}

export interface CsiPlugin {
  /** Why the kubelet cannot reach the plugin any more, so that it should be restarted; undefined when it can. */
  lost(): string | undefined;
  /** Why the kubelet does not use the plugin; undefined once it has registered it. */
  notReady(): string | undefined;
  /** Ends calls under way and leaves mounts as they are: pods go on reading. */
  stop(): Promise<void>;
}

/** Shorter than the kubelet's two minutes: the sooner a call returns the reason, the sooner the pod's events show it. */
const PATIENCE_MS = 20_000;

export async function startPlugin(options: PluginOptions): Promise<CsiPlugin> {
  const { kubeletDir, endpoint, scratch, cluster, log, clock = systemClock, patienceMs = PATIENCE_MS, bindMs } = options;
  const closing: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  const listening: Listening[] = [];
  let problem: string | undefined = 'the kubelet has not registered the plugin yet';
  try {
    const shells = openShells(BIND_FUNCTIONS, clock);
    closing.push(async () => shells.close());
    closing.push(await openScratch(scratch, shells.run));
    const watch = watchMounts({ read: mountTable(), clock, log });
    const [labels, locks] = [nodeLabels(cluster), createLocks()];
    const stagedDir = join(dirname(endpoint), 'staged');
    const staged = openStaged(stagedDir);
    const release = fuseRelease({ ...options, clock, labels, locks, staged });
    closing.push(async () => release.stop());
    // As the mount table has it; the kubelet's calls name the path that it was configured with.
    const realDir = realpathSync(kubeletDir);
    const host = createHost({ watch, kubeletDir: realDir, run: shells.run, scratch, ...(bindMs !== undefined && { bindMs }) });
    const context: NodeContext = {
      ...options,
      kubeletDir: realDir,
      askedDir: kubeletDir,
      host,
      watch,
      labels,
      locks,
      staged,
      release,
      departing: createDeparting(clock),
      volumes: knownVolumes(cluster, options),
      explained: new Set(),
      layers: openLayers(join(dirname(endpoint), 'layers.json'), log),
      clock,
      patienceMs,
    };
    const listen = async (socket: string, services: readonly ReadonlyMap<string, UnaryMethod>[]) => {
      const served = await serve(socket, services, options);
      listening.push(served);
      closing.push(() => served.stop());
    };
    tidyStaged(stagedDir, kubeletDir, log);
    await listen(endpoint, [serviceOf(Identity, identity(options.version), log), serviceOf(Node, node(context), log)]);
    const recovery = startRecovery(context);
    options.onState?.(() => ({ mounts: watch.last(), kubeletDir: realDir, isSilent: host.isSilent }));
    closing.push(() => recovery.stop());
    // Last: the kubelet calls as soon as it finds this socket.
    const onStatus = (error: string | undefined) => {
      problem = error;
    };
    await listen(join(kubeletDir, 'plugins_registry', `${csiDriver}-reg.sock`), [
      serviceOf(Registration, registration(endpoint, log, onStatus), log),
    ]);
    log.info({ endpoint, driver: csiDriver, node: options.nodeId }, 'serving');
  } catch (error) {
    await stop();
    throw error;
  }
  const lost = () => listening.map((each) => each.lost()).find((why) => why !== undefined);
  return { lost, notReady: () => problem, stop };
}
