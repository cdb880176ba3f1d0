import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { kubeCluster } from '../csi/cluster/kube-node-cluster.ts';
import { createNodeMetrics, type NodeState } from '../csi/metrics.ts';
import { type CsiPlugin, startPlugin } from '../csi/plugin.ts';
import { createClient } from '../kube/client/kube-client.ts';
import { systemClock } from '../kube/clock.ts';
import { serveHealth } from './health.ts';
import type { Define } from './command.ts';
import { addressOf, complete, directoryOf, mountRootOf, oneOf } from './settings/config-values.ts';
import { connect } from './settings/connection.ts';
import { messageOf, Refused, UsageError } from './errors.ts';
import { createLog, logOptions } from './log.ts';
import { stopSignal } from './stop-signal.ts';
import { version } from './version.ts';

interface Flags {
  readonly nodeId?: string;
  readonly endpoint?: string;
  readonly kubeletDir?: string;
  readonly podLogsDir?: string;
  readonly mountRoot?: string;
  readonly metricsAddr: string;
  readonly kubeconfig?: string;
  readonly logLevel: string;
}

const HELP = `
The plugin runs as root on every node. The kubelet's directory and the mount root must have the same paths in the
container as on the host. Mounts below both must propagate from the host into the container and back (Bidirectional).

While another plugin serves the driver on the node, such as Fluid's, this one waits and is not ready.

Environment, for flags that are not given:
  NODE_ID, KUBELET_ROOTDIR, MOUNT_ROOT
  NODEPUBLISH_METHOD           bind (default; as in Fluid also bindMount) or symlink, for volumes that name no method

Examples:
  sluice csi --node-id "$NODE_NAME"
  sluice csi --node-id node-1 --kubelet-dir /var/lib/k0s/kubelet --kubeconfig /etc/kubernetes/kubelet.conf

Exit codes:
  0  stopped by SIGTERM or SIGINT
  1  did not start: no cluster is configured, or its health cannot be served
  2  bad usage`;

/** Less than the kubelet's 30 s; running calls have 5 s of it. */
const STOP_MS = 15_000;

export const define: Define = (command) => {
  command
    .option('--node-id <name>', 'name of the Node that the plugin runs on (default: NODE_ID)')
    .option('--endpoint <unix://path>', 'socket for the kubelet (default: <kubelet-dir>/csi-plugins/fuse.csi.fluid.io/csi.sock)')
    .option('--kubelet-dir <directory>', "the kubelet's --root-dir (default: KUBELET_ROOTDIR, else /var/lib/kubelet)")
    .option('--pod-logs-dir <directory>', "the kubelet's podLogsDir, which shows the pods of the node", '/var/log/pods')
    .option('--mount-root <directory>', 'host directory of all FUSE mounts (default: MOUNT_ROOT, else /runtime-mnt)')
    .option('--metrics-addr <host:port>', 'address of /healthz, /readyz and /metrics; 0 = none', '0')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG; in a pod its service account; else ~/.kube/config)')
    .addOption(logOptions())
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const config = configOf(flags, process.env);
      // Every node has a plugin, which has little to do. And a small process forks fast, once for every program that it runs.
      setFlagsFromString('--optimize-for-size');
      // To optimize undici's parser takes 30 MB for a moment, which the process never returns.
      setFlagsFromString('--no-wasm-tier-up');
      setFlagsFromString('--no-wasm-dynamic-tiering');
      const log = createLog(flags.logLevel);
      const connection = await connect(flags, process.env);
      const client = createClient(connection, { fieldManager: 'sluice-csi', maxConnections: 8, timeoutMs: 10_000 });
      const { address, ...options } = config;
      const cluster = kubeCluster({ client, nodeId: config.nodeId, log });
      const stop = stopSignal(log);
      const registry = new Registry();
      if (address) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
      let state: (() => NodeState) | undefined;
      const metrics = createNodeMetrics(registry, { mountRoot: config.mountRoot, state: () => state?.(), clock: systemClock });
      let plugin: CsiPlugin | undefined;
      let starting = 'the plugin starts';
      const served = { alive: () => plugin?.lost(), ready: () => (plugin ? plugin.notReady() : starting) };
      const onWait = (why: string) => {
        starting = why;
      };
      // First: a plugin without its probes must not serve volumes.
      const cannotServe = refused(`--metrics-addr ${flags.metricsAddr} cannot be served: `);
      const health = address && (await serveHealth(address.host, address.port, served, registry).catch(cannotServe));
      try {
        const scratch = mkdtempSync(join(tmpdir(), 'sluice-csi-'));
        const onState = (now: () => NodeState) => void (state = now);
        const started = startPlugin({ ...options, scratch, cluster, version: version(), log, metrics, onState, onWait, signal: stop });
        plugin = await started.catch((error: unknown) => (stop.aborted ? undefined : refused()(error)));
      } catch (error) {
        await health?.stop();
        throw error;
      }
      // The plugin does not wait for the answer: without an API server it can still unmount volumes of pods.
      void cluster.check().then(
        (problem) => problem && log.error({ problem }, 'volumes cannot be staged'),
        (error: unknown) => log.warn({ error: messageOf(error) }, 'the API server does not answer yet'),
      );
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
      const ended = (async () => {
        await plugin?.stop();
        await health?.stop();
        await cluster.flush();
        await client.close();
      })();
      await Promise.race([ended, setTimeout(STOP_MS)]).catch((error: unknown) => log.error({ err: error }, 'a connection was not closed'));
      log.info({}, 'stopped');
      // Only calls that wait for a file system are left, and the next plugin cannot start before this process ends.
      process.exit(0);
    });
};

const refused =
  (what = '') =>
  (error: unknown): never => {
    throw new Refused(`${what}${messageOf(error)}`, { cause: error });
  };

function configOf(flags: Flags, env: Readonly<Record<string, string | undefined>>) {
  return complete((read) => {
    const nodeId = flags.nodeId ?? env['NODE_ID'] ?? '';
    if (nodeId === '') throw new UsageError('--node-id: expected the name of the Node that this runs on, found nothing');
    const kubeletDir = read('--kubelet-dir', flags.kubeletDir ?? env['KUBELET_ROOTDIR'], directoryOf, '/var/lib/kubelet');
    const address = read('--metrics-addr', flags.metricsAddr, addressOf, undefined);
    return {
      nodeId,
      kubeletDir,
      podLogsDir: read('--pod-logs-dir', flags.podLogsDir, directoryOf, '/var/log/pods'),
      mountRoot: read('--mount-root', flags.mountRoot ?? env['MOUNT_ROOT'], mountRootOf, '/runtime-mnt'),
      endpoint: read(
        '--endpoint',
        flags.endpoint?.replace(/^unix:(\/\/)?/, ''),
        directoryOf,
        `${kubeletDir}/csi-plugins/fuse.csi.fluid.io/csi.sock`,
      ),
      method: read('NODEPUBLISH_METHOD', env['NODEPUBLISH_METHOD'], publishMethodOf, 'bind'),
      ...(address && { address }),
    };
  });
}

const publishMethodOf = (text: string): 'bind' | 'symlink' => {
  const method = oneOf('bind', 'bindMount', 'symlink')(text);
  // The default of Fluid's chart.
  return method === 'bindMount' ? 'bind' : method;
};
