import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { kubeCluster } from '../csi/cluster/kube-node-cluster.ts';
import { type Plugin, startPlugin } from '../csi/plugin.ts';
import { createClient } from '../kube/kube-client.ts';
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
Runs as root on every node. The kubelet's directory and the mount root must have the same paths here as on the host; what is mounted in
the first must reach the host (Bidirectional), and what the host mounts in the second must be seen here (HostToContainer).

Environment, for flags that are not given:
  NODE_ID, KUBELET_ROOTDIR, MOUNT_ROOT
  NODEPUBLISH_METHOD           bind (default; as in Fluid also bindMount) or symlink, for volumes that do not say

Examples:
  sluice csi --node-id "$NODE_NAME"
  sluice csi --node-id node-1 --kubelet-dir /var/lib/k0s/kubelet --kubeconfig /etc/kubernetes/kubelet.conf

Exit codes:
  0  stopped by SIGTERM or SIGINT
  1  refused to start: no way to a cluster, another plugin serves the driver, or its health cannot be served
  2  bad usage`;

/** Less than the kubelet's 30 s, and than a successor waits; calls under way have 5 s of them. */
const STOP_MS = 15_000;

export const define: Define = (command) => {
  command
    .option('--node-id <name>', 'name of the Node that this runs on (default: NODE_ID)')
    .option('--endpoint <unix://path>', 'socket for the kubelet (default: <kubelet-dir>/csi-plugins/fuse.csi.fluid.io/csi.sock)')
    .option('--kubelet-dir <directory>', "the kubelet's --root-dir (default: KUBELET_ROOTDIR, else /var/lib/kubelet)")
    .option('--pod-logs-dir <directory>', "the kubelet's podLogsDir, by which the plugin knows the pods of its node", '/var/log/pods')
    .option('--mount-root <directory>', 'host directory of all FUSE mounts (default: MOUNT_ROOT, else /runtime-mnt)')
    .option('--metrics-addr <host:port>', 'where /healthz, /readyz and /metrics are served; 0 = nowhere', '0')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: KUBECONFIG; in a pod its service account; else ~/.kube/config)')
    .addOption(logOptions())
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      const config = configOf(flags, process.env);
      // There is one of us on every node, which has little to do. And what is small is soon forked, once for every program that is run.
      setFlagsFromString('--optimize-for-size');
      // undici's parser: to optimize it takes 30 MB for a moment, which never come back.
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
      let plugin: Plugin | undefined;
      const served = { alive: () => plugin?.lost(), ready: () => (plugin ? plugin.notReady() : 'the plugin starts') };
      // First: a plugin that nobody can ask whether it works must not serve volumes.
      const cannotServe = refused(`--metrics-addr ${flags.metricsAddr} cannot be served: `);
      const health = address && (await serveHealth(address.host, address.port, served, registry).catch(cannotServe));
      try {
        const scratch = mkdtempSync(join(tmpdir(), 'sluice-csi-'));
        plugin = await startPlugin({ ...options, scratch, cluster, version: version(), log }).catch(refused());
      } catch (error) {
        await health?.stop();
        throw error;
      }
      // Not waited for: without an API server, pods can still be unmounted.
      void cluster.check().then(
        (problem) => problem && log.error({ problem }, 'volumes cannot be staged'),
        (error: unknown) => log.warn({ error: messageOf(error) }, 'the API server does not answer yet'),
      );
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
      const ended = (async () => {
        await plugin.stop();
        await health?.stop();
        await cluster.flush();
        await client.close();
      })();
      await Promise.race([ended, setTimeout(STOP_MS)]).catch((error: unknown) => log.error({ err: error }, 'not all is closed'));
      log.info({}, 'stopped');
      // Whatever is left waits for a file system, and nobody can start in our place before we have ended.
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
      method: read('NODEPUBLISH_METHOD', env['NODEPUBLISH_METHOD'], methodOf, 'bind'),
      ...(address && { address }),
    };
  });
}

const methodOf = (text: string): 'bind' | 'symlink' => {
  const method = oneOf('bind', 'bindMount', 'symlink')(text);
  // The default of Fluid's chart.
  return method === 'bindMount' ? 'bind' : method;
};
