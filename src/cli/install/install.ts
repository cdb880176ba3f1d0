import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { structural } from '../../api/crd.ts';
import { describe, type Fault, k8s } from '../../api/index.ts';
import { readerOf } from '../../api/reader.ts';
import { InstallOptions, installationOf, settled } from '../../install/index.ts';
import type { Define } from '../command.ts';
import { allRuntimes } from '../settings/config-file.ts';
import { messageOf, UsageError } from '../errors.ts';
import { type OutputFormat, outputOption, printed } from '../output.ts';
import { version } from '../version.ts';

interface Flags {
  readonly values?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly imagePullSecret?: readonly string[];
  readonly replicas?: string;
  readonly toleration?: readonly string[];
  readonly kubeletDir?: string;
  readonly podLogsDir?: string;
  readonly mountRoot?: string;
  /** Commander's, for --no-node-policy. */
  readonly nodePolicy: boolean;
  readonly config?: string;
  readonly output: OutputFormat;
}

const EXAMPLES = `
Examples:
  sluice install --image registry.example/sluice:1 | kubectl apply --server-side -f -
  sluice install --replicas 3 --toleration node-role.kubernetes.io/control-plane:NoSchedule > sluice.yaml
  sluice install --values values.yaml            resources, tolerations, node selectors, environment

A file of values, all of it optional; flags win over it:
  namespace: fluid-system
  image: registry.example/sluice:1
  imagePullPolicy: IfNotPresent
  imagePullSecrets: [{ name: registry }]
  mountRoot: /runtime-mnt
  kubeletDir: /var/lib/kubelet
  podLogsDir: /var/log/pods
  nodePolicy: true
  controller: { replicas: 2, resources: {}, tolerations: [], nodeSelector: {}, env: [], args: [] }
  csi: { resources: {}, tolerations: [], nodeSelector: {}, env: [], args: [] }

Exit codes:
  0  printed
  2  bad usage or bad values`;

export const define: Define = (command, parts) => {
  command
    .option('--values <file>', 'choices in a YAML file, as below')
    .option('-n, --namespace <namespace>', 'of the controller and of the node plugin (default: fluid-system)')
    .option('--image <image>', `the image of Sluice (default: sluice:${version()})`)
    .option('--image-pull-secret <name>', 'Secret to pull it with, in the namespace; repeatable', collect)
    .option('--replicas <number>', 'controllers, of which one works and the others stand by (default: 2)')
    .option(
      '--toleration <key[=value][:effect]>',
      'taint that the controller tolerates; repeatable. The node plugin tolerates all',
      collect,
    )
    .option('--kubelet-dir <path>', "the kubelet's root directory on the nodes (default: /var/lib/kubelet)")
    .option('--pod-logs-dir <path>', "the kubelet's podLogsDir on the nodes (default: /var/log/pods)")
    .option('--mount-root <path>', 'host directory of all mounts (default: /runtime-mnt)')
    .option('--no-node-policy', 'leave out the admission policy that holds the node plugin to its own node (Kubernetes 1.29 has none)')
    .option('--config <file>', 'module that exports further runtimes (default: sluice.config.ts or .js here, if any)')
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const ours = await parts.runtimes();
      const runtimes = await allRuntimes(ours, flags.config);
      const theirs = runtimes.slice(ours.length).flatMap(({ resource, companions }) => [resource, ...companions]);
      const resources = [...(await parts.resources()), ...theirs];
      const options = settled(optionsOf(flags), `sluice:${version()}`);
      process.stdout.write(printed(installationOf(options, { resources, runtimes }), flags.output));
    });
};

/** The file's and the flags' choices together. Throws UsageError with everything that is wrong. */
function optionsOf(flags: Flags): InstallOptions {
  const file = (flags.values === undefined ? {} : valuesIn(flags.values)) as InstallOptions;
  const { namespace, image, kubeletDir, podLogsDir, mountRoot } = flags;
  // What is no number is left as it is, for the reader to show.
  const replicas = flags.replicas === undefined ? undefined : Number(flags.replicas) || flags.replicas;
  const tolerations = flags.toleration?.map(tolerationOf);
  const values = {
    ...file,
    ...(namespace !== undefined && { namespace }),
    ...(image !== undefined && { image }),
    ...(kubeletDir !== undefined && { kubeletDir }),
    ...(podLogsDir !== undefined && { podLogsDir }),
    ...(mountRoot !== undefined && { mountRoot }),
    ...(!flags.nodePolicy && { nodePolicy: false }),
    ...(flags.imagePullSecret && { imagePullSecrets: flags.imagePullSecret.map((name) => ({ name })) }),
    ...((replicas !== undefined || tolerations) && {
      controller: { ...file.controller, ...(replicas !== undefined && { replicas }), ...(tolerations && { tolerations }) },
    }),
  };
  const faults: Fault[] = [];
  const options = readerOf(structural(InstallOptions, 'values'))(values, { path: [], faults, unknownFields: 'error' });
  if (faults.length > 0) throw new UsageError(faults.map((fault) => `${flags.values ?? 'flags'}: ${describe(fault)}`));
  // The reader has just said that it is.
  return options as InstallOptions;
}

function valuesIn(file: string): object {
  try {
    const document = parseDocument(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (document.errors[0]) throw document.errors[0];
    const values: unknown = document.toJS() ?? {};
    if (typeof values === 'object' && !Array.isArray(values) && values !== null) return values;
  } catch (error) {
    // The parser goes on to draw where it is.
    throw new UsageError(`${file}: expected a YAML file of values, found: ${messageOf(error).split(/:?\n/)[0]}`);
  }
  throw new UsageError(`${file}: expected a mapping of values; see sluice install --help`);
}

/** As in `kubectl taint`: a key alone tolerates every value and effect of it. */
function tolerationOf(text: string): k8s.Toleration {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$/.exec(text) ?? [];
  if (!key) throw new UsageError(`--toleration: expected <key>[=<value>][:NoSchedule|:PreferNoSchedule|:NoExecute], found "${text}"`);
  return { key, ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }), ...(effect && { effect }) };
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
