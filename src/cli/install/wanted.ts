/** The values of an installation: a file and flags, which `sluice install` and `sluice takeover go` share. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseDocument } from 'yaml';
import { structural } from '../../api/crd.ts';
import { type CustomResource, describe, type Fault, k8s } from '../../api/index.ts';
import { readerOf } from '../../api/reader.ts';
import type { Runtime } from '../../constructs/contract.ts';
import { directoryFaults, InstallOptions, settled } from '../../install/index.ts';
import type { Settled } from '../../install/settled.ts';
import { collect, type Package } from '../command.ts';
import { messageOf, UsageError } from '../errors.ts';
import { allParts, configOption } from '../settings/config-file.ts';
import { complain } from '../terminal.ts';
import { version } from '../version.ts';
import { daemonTypes } from './daemons.ts';
import { environmentFaults } from './environment-faults.ts';
import { type Flags, named } from './flag-names.ts';

/** An installation as flags and file describe it. */
export interface Wanted {
  /** Values of flags and file, without defaults. */
  readonly given: InstallOptions;
  readonly options: Settled;
  readonly resources: readonly CustomResource[];
  readonly runtimes: readonly Runtime[];
}

/** Adds the flags of an installation. */
export const installFlags = (command: Command): Command =>
  command
    .option('--values <file>', 'YAML file of values, as below')
    .option('-n, --namespace <namespace>', 'namespace of all parts (default: fluid-system)')
    .option('--image <image>', `the image of Sluice (default: sluice:${version()})`)
    .option('--registry <registry>', 'registry of all default images, in place of their own: a host, with or without a path')
    .option('--image-pull-secret <name>', 'Secret of that namespace to pull the image with; repeatable', collect)
    .option('--replicas <number>', 'replicas of the controller, of which one leads and the others stand by (default: 2)')
    .option(
      '--open-references',
      'a Dataset may refer to (`dataset://`) any Dataset of any namespace, as in Fluid; by default, one of another namespace must allow it',
    )
    .option(
      '--toleration <key[=value][:effect]>',
      'taint that controller and webhook tolerate; repeatable. The node plugin tolerates every taint',
      collect,
    )
    .option('--kubelet-dir <path>', "the kubelet's root directory on the nodes (default: /var/lib/kubelet)")
    .option('--pod-logs-dir <path>', "the kubelet's podLogsDir on the nodes (default: /var/log/pods)")
    .option('--mount-root <path>', 'host directory of all mounts (default: /runtime-mnt)')
    .option('--daemon <type>', 'type of runtimes whose daemons on the nodes are installed too: efc; repeatable', collect)
    .option(
      '--no-node-policy',
      'omit the admission policy that restricts the node plugin to its own node (Kubernetes 1.29 has no such policies)',
    )
    .option(
      '--reserved-keys <mode>',
      'add an admission policy by which only Sluice writes its keys on workloads and volumes: audit reports others, deny refuses them',
    )
    .option(
      '--reserved-keys-allow <user>',
      'user that may write them too, such as system:serviceaccount:velero:velero, a restore tool; repeatable',
      collect,
    )
    .option('--no-webhook', 'omit the admission webhook, which gives pods FUSE clients as sidecars and hints for the scheduler')
    .option(
      '--validation',
      'have the API server ask the webhook about Datasets, runtimes and operations that are written, and refuse their faults',
    )
    .option(
      '--monitoring',
      'add PodMonitors, alerts and boards, for the Prometheus operator and Grafana; `sluice monitoring` writes them as plain files',
    )
    .addOption(configOption());

/**
 * The installation that the flags and their file describe. Throws UsageError with every fault.
 *
 * @param usual values that neither has to name
 */
export async function wantedBy(flags: Flags, parts: Package, usual: Pick<InstallOptions, 'namespace'> = {}): Promise<Wanted> {
  const { runtimes, resources, furtherRuntimes } = await allParts(parts, flags.config);
  const given = { ...usual, ...optionsOf(flags, runtimes) };
  // Sluice's own image lacks their code: the controller would not start.
  if (furtherRuntimes && !given.image)
    throw new UsageError('--image: expected the image that `sluice image` built with the runtimes of --config, found none');
  const options = settled(given, `sluice:${version()}`, { furtherRuntimes });
  if (!given.image && !given.registry)
    complain(`sluice: without --image, the pods run ${options.image}, which no registry has: every node must have it already`);
  return { given, options, resources, runtimes };
}

/** The options of the file and the flags together. Throws UsageError with every fault. */
function optionsOf(flags: Flags, runtimes: readonly Runtime[]): InstallOptions {
  const file = (flags.values === undefined ? {} : valuesIn(flags.values)) as InstallOptions;
  const { namespace, registry, image, kubeletDir, podLogsDir, mountRoot } = flags;
  // A text that is no number is kept, so that the reader's fault shows it.
  const replicas = flags.replicas === undefined ? undefined : Number(flags.replicas) || flags.replicas;
  const tolerations = flags.toleration?.map(tolerationOf);
  const values = {
    ...file,
    ...(namespace !== undefined && { namespace }),
    ...(registry !== undefined && { registry }),
    ...(image !== undefined && { image }),
    ...(kubeletDir !== undefined && { kubeletDir }),
    ...(podLogsDir !== undefined && { podLogsDir }),
    ...(mountRoot !== undefined && { mountRoot }),
    ...(flags.daemon && { daemons: flags.daemon }),
    ...(!flags.nodePolicy && { nodePolicy: false }),
    ...(flags.reservedKeys !== undefined && { reservedKeys: flags.reservedKeys }),
    ...(flags.reservedKeysAllow && { reservedKeysAllow: flags.reservedKeysAllow }),
    ...(flags.imagePullSecret && { imagePullSecrets: flags.imagePullSecret.map((name) => ({ name })) }),
    ...((replicas !== undefined || tolerations || flags.openReferences) && {
      controller: {
        ...file.controller,
        ...(replicas !== undefined && { replicas }),
        ...(tolerations && { tolerations }),
        ...(flags.openReferences && { openReferences: true }),
      },
    }),
    ...((tolerations || !flags.webhook || flags.validation) && {
      webhook: {
        ...file.webhook,
        ...(tolerations && { tolerations }),
        ...(!flags.webhook && { enabled: false }),
        ...(flags.validation && { validation: true }),
      },
    }),
    ...(flags.monitoring && { monitoring: { ...file.monitoring, enabled: true } }),
  };
  const faults = faultsOfValues(values, runtimes);
  if (faults.length > 0) throw new UsageError(faults.map((fault) => named(fault, flags)));
  // With null, which the reader omits, and which removes a default.
  return values as InstallOptions;
}

/** Faults of the values of an installation, a sentence each, which begins with the path of the value. */
export function faultsOfValues(values: unknown, runtimes: readonly Runtime[]): readonly string[] {
  const found: Fault[] = [];
  const read = readerOf(structural(InstallOptions, 'values'))(values, { path: [], faults: found, unknownFields: 'error' });
  // The cast: it is used only if the reader has found no fault.
  const options = read as InstallOptions;
  if (found.length > 0) return found.map(describe);
  return [
    ...directoryFaults(options),
    ...daemonFaults(options, runtimes),
    ...allowFaults(options),
    ...validationFaults(options),
    ...environmentFaults(options, runtimes),
  ];
}

/** Without a policy, nobody has to be allowed: its mode was probably forgotten. */
const allowFaults = ({ reservedKeys, reservedKeysAllow = [] }: InstallOptions): readonly string[] =>
  reservedKeysAllow.length > 0 && reservedKeys === undefined
    ? ['reservedKeysAllow: expected reservedKeys too, audit or deny, found no policy that it could belong to']
    : [];

const validationFaults = ({ webhook }: InstallOptions): readonly string[] =>
  webhook?.validation && webhook.enabled === false
    ? ['webhook.validation: expected the webhook too, which validates, found it omitted']
    : [];

function daemonFaults({ daemons = [] }: InstallOptions, runtimes: readonly Runtime[]): readonly string[] {
  const known = daemonTypes(runtimes);
  return daemons
    .filter((daemon) => !known.includes(daemon))
    .map((daemon) => `daemons: expected types of runtimes that have daemons (${known.join(', ')}), found "${daemon}"`);
}

/** The values of a file of YAML; `-` is standard input. @throws UsageError */
export function valuesIn(file: string): object {
  try {
    const document = parseDocument(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (document.errors[0]) throw document.errors[0];
    const values: unknown = document.toJS() ?? {};
    if (typeof values === 'object' && !Array.isArray(values) && values !== null) return values;
  } catch (error) {
    // The parser's message goes on with an excerpt of the file.
    throw new UsageError(`${file}: expected a YAML file of values, found: ${messageOf(error).split(/:?\n/)[0]}`);
  }
  throw new UsageError(`${file}: expected a mapping of values, found another kind of value; see sluice install --help`);
}

/** As in `kubectl taint`: a key alone tolerates each of its values and effects. */
function tolerationOf(text: string): k8s.Toleration {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$/.exec(text) ?? [];
  if (!key) throw new UsageError(`--toleration: expected <key>[=<value>][:NoSchedule|:PreferNoSchedule|:NoExecute], found "${text}"`);
  return { key, ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }), ...(effect && { effect }) };
}
