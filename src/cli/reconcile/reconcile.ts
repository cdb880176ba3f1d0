import { hostname } from 'node:os';
import { Dataset } from '../../api/index.ts';
import { DEFAULT_NAMESPACE } from '../../install/fluid.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import { createClient } from '../../kube/client/kube-client.ts';
import { identityHere, isAliveHere } from '../../kube/lease/lease.ts';
import { whyStale } from '../../kube/watch/staleness.ts';
import type { Log } from '../../kube/types.ts';
import { type Controller, startController } from '../../reconciler/controller.ts';
import { type HealthServer, serveHealth } from '../health.ts';
import { createMetrics, type Metrics } from '../../reconciler/metrics.ts';
import type { Define } from '../command.ts';
import {
  type ControllerConfig,
  type ControllerFlags,
  controllerConfigOf,
  controllerOptions,
  SETTINGS_ENVIRONMENT,
} from '../settings/config.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { messageOf, Refused } from '../errors.ts';
import { imageOfPod } from '../own-image.ts';
import { createLog, logOptions } from '../log.ts';
import { checkVersion, untilInstalled, untilNamespace } from './preflight.ts';
import { whenOpened, whyOpenNow } from './fenced.ts';
import { checkAlone, elected, fluid } from './other-controllers.ts';
import { stopSignal, whenAborted } from '../stop-signal.ts';

interface Flags extends ControllerFlags, ConnectionFlags {
  readonly takeOver?: boolean;
  readonly logLevel: string;
}

const EXAMPLES = `
Examples:
  sluice reconcile                                            in a pod, with its service account
  sluice reconcile --kubeconfig ~/.kube/config --context dev  outside of the cluster
  sluice reconcile --runtime-node-port-range juicefs=14000-14999 --probe-interval 5m

${SETTINGS_ENVIRONMENT.trim()}
  KEY_DISABLE_APP_CONTROLLER   label of pods whose sidecars run on when all else in them has ended
  KEY_SERVERLESS_PLATFORM      label that names the platform of a pod's sidecars
  FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR
                               nodes that get no labels, e.g. type=virtual-kubelet
  MY_POD_NAMESPACE, MY_POD_NAME
                               the controller's own pod: its image, unless SLUICE_IMAGE names one; its name is
                               needed with host network

Exit codes:
  0  stopped by SIGTERM or SIGINT
  1  did not start: no API server, Kubernetes too old, or another controller is running;
     or could not begin to lead, and has released the lease
  2  bad usage`;

export const define: Define = (command, parts) => {
  connectionOptions(controllerOptions(command))
    .option('--take-over', 'start although a controller of Fluid, or another Sluice, still renews its lease')
    .addOption(logOptions())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const config = controllerConfigOf(flags, process.env, runtimes);
      const log = createLog(flags.logLevel);
      const connection = await connect(flags, process.env);
      const client = createClient(connection, { fieldManager: 'sluice', maxConnections: 2 });
      const stop = stopSignal(log);

      await checkVersion(client, log);
      const { leaseNamespace, elects, address, datasetLimit, ...options } = config;
      const { namespaces } = options;
      if (!flags.takeOver)
        await checkAlone(client, {
          ...(namespaces && { whyOpen: (user: string) => whyOpenNow(client, namespaces, user, stop) }),
          others: elects ? fluid : [...fluid, elected(leaseNamespace)],
          trusted: new Set([DEFAULT_NAMESPACE, leaseNamespace]),
          warn: (message) => log.warn({}, message),
          signal: stop,
        });
      const guard = namespaces && createClient(connection, { fieldManager: 'sluice', maxConnections: 1 });
      let controller: Controller | undefined;
      const metrics = createMetrics({
        host: new URL(connection.server).host,
        fleet: () => controller?.store,
        watches: () => controller?.store.reflectors ?? new Map(),
        datasetLimit,
        log,
      });
      const health = await served(address, () => notReady(controller), metrics, log);
      try {
        await untilInstalled(client, runtimes, log, stop);
        if (elects) await untilNamespace(client, leaseNamespace, log, stop);
        const ours = process.env['SLUICE_IMAGE'] ? undefined : await imageOfPod(client, process.env, 'controller', log, stop);
        await client.close();
        if (stop.aborted) return;
        controller = startController({
          connection,
          runtimes,
          ...options,
          settings: { ...options.settings, ...(ours !== undefined && { image: ours }) },
          ...(elects && { election: candidacy(leaseNamespace) }),
          log,
          metrics,
        });
        const began = performance.now();
        const onSynced = () =>
          log.info({ ms: Math.round(performance.now() - began), kinds: runtimes.map(({ resource }) => resource.kind) }, 'synced');
        // `failed` resolves with the error of `synced`.
        controller.synced.then(onSynced, () => {});
        const failure = await Promise.race([
          whenAborted(stop).then(() => undefined),
          controller.failed.then((error) => ({ error })),
          ...(namespaces && guard ? [whenOpened(guard, namespaces, stop).then((error) => error && { error })] : []),
        ]);
        await controller.stop();
        if (failure) {
          log.error({ err: failure.error }, 'cannot go on');
          process.exitCode = 1;
        }
      } finally {
        // A process that still listens would not end after an error, and its liveness probe would succeed.
        await Promise.all([client.close(), guard?.close(), health?.stop()]);
        log.info({}, 'stopped');
      }
    });
};

function candidacy(namespace: string) {
  const place = { hostname: hostname(), pid: process.pid, podName: process.env['MY_POD_NAME'] };
  return {
    namespace,
    name: ELECTION_LEASE,
    identity: identityHere(place),
    alive: (holder: string) => isAliveHere(holder, { ...place, processExists }),
  };
}

function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function served(
  address: ControllerConfig['address'],
  ready: () => string | undefined,
  { registry, fleet }: Metrics,
  log: Log,
): Promise<HealthServer | undefined> {
  if (!address) return undefined;
  const health = { alive: () => undefined, ready };
  try {
    const server = await serveHealth(address.host, address.port, health, registry, fleet);
    log.info({ port: server.port }, 'serving /healthz, /readyz and /metrics');
    return server;
  } catch (error) {
    throw new Refused(`--metrics-addr ${address.host}:${address.port} cannot be served: ${messageOf(error)}`, { cause: error });
  }
}

/** Why the controller is not ready. A standby is ready too: its caches are warm. A runtime's kind that is not installed is no reason. */
function notReady(controller: Controller | undefined): string | undefined {
  if (!controller) return 'waiting for the API server, the CRDs or the namespace of the lease';
  const late = [...controller.store.reflectors].flatMap(([plural, { status }]) => {
    const why = status.unknownKind && plural.split('/').at(-1) !== Dataset.plural ? undefined : whyStale(status);
    return why === undefined ? [] : `${plural}: ${why}`;
  });
  return late.length > 0 ? `out of touch: ${late.join(', ')}` : undefined;
}
