import type { Command } from 'commander';
import { DATASET_METRICS } from '../../api/metrics/dataset.ts';
import type { Runtime, Settings } from '../../constructs/contract.ts';
import { DEFAULT_NAMESPACE } from '../../install/fluid.ts';
import type { ApplicationSettings } from '../../reconciler/controller.ts';
import type { PortPolicy } from '../../planning/ports.ts';
import type { Selects } from '../../kube/selector.ts';
import { collect } from '../command.ts';
import {
  type Address,
  addressOf,
  booleanOf,
  complete,
  directoryOf,
  dnsLabel,
  durationOf,
  labelKeyOf,
  mountRootOf,
  namespacesOf,
  oneOf,
  platformLabelOf,
  portRangeOf,
  registryOf,
  type Read,
  secretNamesOf,
  selectorOf,
  wholeNumber,
} from './config-values.ts';
import { version } from '../version.ts';
import { configOption } from './config-file.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags that influence manifests; every command that renders manifests has them. */
export interface SettingsFlags {
  readonly config?: string;
  readonly runtimeNodePortRange?: readonly string[];
}
export interface ControllerFlags extends SettingsFlags {
  readonly portAllocatePolicy?: string;
  readonly probeInterval?: string;
  readonly secretInterval?: string;
  readonly openReferences?: boolean;
  readonly namespaces?: string;
  readonly metricsAddr?: string;
  readonly datasetMetrics?: string;
  /** Commander's, for --no-leader-election. */
  readonly leaderElection?: boolean;
  readonly leaderElectionNamespace?: string;
}
export interface ControllerConfig {
  readonly settings: Settings;
  readonly portPolicy: PortPolicy;
  readonly probeMs: number;
  readonly secretMs: number;
  /** Datasets may refer to those of any namespace. */
  readonly openReferences: boolean;
  /** The only namespaces that are served. Absent: all. */
  readonly namespaces?: readonly string[];
  readonly excludeNodes: Selects;
  readonly applications: ApplicationSettings;
  /** Address of /healthz, /readyz and /metrics. */
  readonly address?: Address;
  /** Up to so many Datasets have metrics of their own; 0: none has. */
  readonly datasetLimit: number;
  readonly leaseNamespace: string;
  /** Whether it takes part in the election; without, it is the only controller. */
  readonly elects: boolean;
}

export const settingsOptions = (command: Command): Command =>
  command
    .addOption(configOption())
    .option(
      '--runtime-node-port-range <runtime=first-last>',
      'host ports that a runtime may use, e.g. juicefs=14000-15999; repeatable',
      collect,
    );

export const SETTINGS_ENVIRONMENT = `
Environment, as in Fluid except for SLUICE_… and IP_FAMILY:
  MOUNT_ROOT                   host directory of all mounts (default /runtime-mnt)
  CRITICAL_FUSE_POD            whether fuse pods are system-node-critical (default true)
  IMAGE_PULL_SECRETS           pull secrets for workloads that name none, separated by commas
  SLUICE_IMAGE                 Sluice's own image, for profiles with a mount template (default: that of
                               the pod, else sluice:<version>)
  SLUICE_REGISTRY              registry of default images, in place of their own; \`sluice images\` lists them
  KUBELET_ROOTDIR              the kubelet's --root-dir (default /var/lib/kubelet); DataBackups need it
  IP_FAMILY                    IPv6: Vineyard and JuiceFS listen at [::], for pods without IPv4 (default IPv4)
  THIN_FUSE_CONFIG_STORAGE     where ThinRuntimes keep config.json: configmap (default) or secret
  JUICEFS_CE_IMAGE_ENV, JUICEFS_EE_IMAGE_ENV, ALLUXIO_RUNTIME_IMAGE_ENV, ALLUXIO_FUSE_IMAGE_ENV,
  JINDO_SMARTDATA_IMAGE_ENV, JINDO_FUSE_IMAGE_ENV, EFC_MASTER_IMAGE_ENV, EFC_WORKER_IMAGE_ENV,
  EFC_FUSE_IMAGE_ENV, EFC_SESSMGR_IMAGE_ENV, EFC_INIT_FUSE_IMAGE_ENV,
  VINEYARD_MASTER_IMAGE_ENV, VINEYARD_WORKER_IMAGE_ENV, VINEYARD_FUSE_IMAGE_ENV
                               default images, <image>:<tag>, from where they say
  JINDO_ENGINE_TYPE            engine of new JindoRuntimes: jindocache (default) or jindofsx
  QUERY_UFS_TOTAL              true: the size of the data of JindoRuntimes is counted
  USE_DEFAULT_MEM_LIMIT, JINDO_DNS_SERVER_ENV, INIT_PORT_CHECK_ENABLED, DEFAULT_INIT_IMAGE_ENV
                               of Jindo's pods: runtimes/jindo/README.md
  EFC_SESSMGR_UPDATE_STRATEGY_ENV
                               RollingUpdate (default) or OnDelete, of the DaemonSet that \`sluice install\` prints`;

export const controllerOptions = (command: Command): Command =>
  settingsOptions(command)
    .option('--port-allocate-policy <policy>', 'which free host port is allocated: random, or the first one (bitmap)', 'random')
    .option('--probe-interval <duration>', 'how often caches are probed for their figures, e.g. 60s or 5m; 0 = never', '60s')
    .option(
      '--secret-interval <duration>',
      'how often Secrets that the controller writes, and their sources, are read again; 0 = only with other changes',
      '5m',
    )
    .option(
      '--open-references',
      'a Dataset may refer to (`dataset://`) any Dataset of any namespace, as in Fluid; by default, one of another namespace must allow it',
    )
    .option(
      '--namespaces <names>',
      'serve these namespaces alone, e.g. ml,dev; Fluid may serve the others once `sluice takeover try` keeps it off these',
    )
    .option('--metrics-addr <host:port>', 'address of /healthz, /readyz and /metrics; 0 = none', ':8080')
    .option(
      '--dataset-metrics <most>',
      'export metrics of each Dataset while there are at most so many; of more, sums by namespace, kind and phase; 0 = neither',
      String(DATASET_METRICS),
    )
    .option('--no-leader-election', 'run without an election, as the only controller')
    .option('--leader-election-namespace <namespace>', 'namespace of the Lease `sluice` (default: MY_POD_NAMESPACE, else fluid-system)');

/** Throws UsageError with every fault at once. */
export function settingsOf(flags: SettingsFlags, env: Environment, runtimes: readonly Runtime[]): Settings {
  return complete((read) => readSettings(read, flags, env, runtimes));
}

export function controllerConfigOf(flags: ControllerFlags, env: Environment, runtimes: readonly Runtime[]): ControllerConfig {
  return complete((read) => {
    const address = read('--metrics-addr', flags.metricsAddr, addressOf, undefined);
    const namespace = read('MY_POD_NAMESPACE', env['MY_POD_NAMESPACE'], dnsLabel, DEFAULT_NAMESPACE);
    const namespaces = read('--namespaces', flags.namespaces, namespacesOf, undefined);
    const exceptLabel = read('KEY_DISABLE_APP_CONTROLLER', env['KEY_DISABLE_APP_CONTROLLER'], labelKeyOf, undefined);
    const platformLabel = read('KEY_SERVERLESS_PLATFORM', env['KEY_SERVERLESS_PLATFORM'], platformLabelOf, undefined);
    return {
      settings: readSettings(read, flags, env, runtimes),
      portPolicy: read<PortPolicy>('--port-allocate-policy', flags.portAllocatePolicy, oneOf('random', 'bitmap'), 'random'),
      probeMs: read('--probe-interval', flags.probeInterval, durationOf, 60_000),
      secretMs: read('--secret-interval', flags.secretInterval, durationOf, 300_000),
      openReferences: flags.openReferences === true,
      excludeNodes: read(
        'FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR',
        env['FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR'],
        selectorOf,
        () => false,
      ),
      applications: {
        ...(exceptLabel !== undefined && { exceptLabel }),
        ...(platformLabel !== undefined && { platformLabel }),
      },
      ...(namespaces && { namespaces }),
      ...(address && { address }),
      datasetLimit: read('--dataset-metrics', flags.datasetMetrics, wholeNumber, DATASET_METRICS),
      leaseNamespace: read('--leader-election-namespace', flags.leaderElectionNamespace, dnsLabel, namespace),
      elects: flags.leaderElection !== false,
    };
  });
}

function readSettings(read: Read, flags: SettingsFlags, env: Environment, runtimes: readonly Runtime[]): Settings {
  const declared = [...new Set(runtimes.flatMap((definition) => definition.env))];
  const registry = read('SLUICE_REGISTRY', env['SLUICE_REGISTRY'], registryOf, undefined);
  const ranges = (flags.runtimeNodePortRange ?? []).map((text) =>
    read('--runtime-node-port-range', text, portRangeOf(runtimes), undefined),
  );
  return {
    mountRoot: read('MOUNT_ROOT', env['MOUNT_ROOT'], mountRootOf, '/runtime-mnt'),
    criticalFusePod: read('CRITICAL_FUSE_POD', env['CRITICAL_FUSE_POD'], booleanOf, true),
    ...(registry !== undefined && { registry }),
    imagePullSecrets: read('IMAGE_PULL_SECRETS', env['IMAGE_PULL_SECRETS'], secretNamesOf, []),
    image: env['SLUICE_IMAGE'] || `sluice:${version()}`,
    env: Object.fromEntries(declared.flatMap((name) => (env[name] ? [[name, read(name, env[name], READERS[name] ?? String, '')]] : []))),
    portRanges: Object.fromEntries(ranges.flatMap((range) => (range ? [range] : []))),
  };
}

/** Parsers of variables that runtimes of this package declare and that have a fixed set of values. */
const READERS: Readonly<Record<string, (text: string) => string>> = {
  THIN_FUSE_CONFIG_STORAGE: oneOf('configmap', 'secret'),
  KUBELET_ROOTDIR: directoryOf,
  IP_FAMILY: oneOf('IPv4', 'IPv6'),
  EFC_SESSMGR_UPDATE_STRATEGY_ENV: oneOf('RollingUpdate', 'OnDelete'),
};
