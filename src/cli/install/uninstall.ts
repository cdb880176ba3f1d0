import { type CustomResource, GROUP, type Manifest } from '../../api/index.ts';
import { installationOf, isBoard, settled } from '../../install/index.ts';
import { labels } from '../../install/labels.ts';
import { createClient, isNotFound, type KubeClient } from '../../kube/client/kube-client.ts';
import { LEASE } from '../../kube/lease/lease-record.ts';
import { ownedKinds, typeOf, typeOfManifest } from '../../planning/kinds.ts';
import type { Define } from '../command.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { type ConnectionFlags, connect, connectionOptions } from '../settings/connection.ts';
import { messageOf, Refused } from '../errors.ts';
import { checkNamespace, isOwn, namespacesOf } from './installed-where.ts';
import { say } from '../terminal.ts';

interface Flags extends ConnectionFlags {
  readonly namespace?: string;
  readonly dryRun?: boolean;
  readonly keepCrds?: boolean;
  readonly withNamespace?: boolean;
  readonly config?: string;
}

const EXAMPLES = `
Examples:
  sluice uninstall --dry-run       print what would be deleted, and what prevents it
  sluice uninstall --keep-crds     keep the CRDs and profiles for another installation

Nothing is deleted while a Dataset, a runtime or an operation exists. Without the controller, their deletion would never
end. Without the node plugin, pods that mount a Dataset could not end. With its CRD, every ThinRuntimeProfile would be
deleted, so none may exist either, unless --keep-crds is given. Objects without the labels of an installation, such as
CRDs that Fluid installed, are kept. Nothing is deleted if Sluice is installed in another namespace than --namespace
says: its bindings name it.

Exit codes:
  0  deleted, or did not exist
  1  a Dataset, runtime, operation or profile exists, Sluice is installed in another namespace, or an object could not
     be deleted
  2  bad usage`;

const crdNameOf = (plural: string): string => `${plural}.${GROUP}`;

/** How many of the objects that prevent the deletion are named. */
const NAMED = 10;

export const define: Define = (command, parts) => {
  connectionOptions(command)
    .option('-n, --namespace <namespace>', 'namespace in which Sluice is installed (default: fluid-system)')
    .option('--dry-run', 'print what would be deleted, and delete nothing')
    .option('--keep-crds', 'keep the CustomResourceDefinitions and the ThinRuntimeProfiles')
    .option('--with-namespace', 'delete the namespace too, with everything else in it')
    .addOption(configOption())
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags) => {
      const runtimes = await allRuntimes(await parts.runtimes(), flags.config);
      const resources = [
        ...new Map(
          [...(await parts.resources()), ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map((each) => [
            each.kind,
            each,
          ]),
        ).values(),
      ];
      const daemons = runtimes.map(({ type }) => type);
      const options = settled(
        {
          daemons,
          reservedKeys: 'deny',
          webhook: { validation: true },
          monitoring: { enabled: true },
          ...(flags.namespace !== undefined && { namespace: flags.namespace }),
        },
        '',
      );
      const client = createClient(await connect(flags, process.env), { fieldManager: 'sluice' });
      try {
        await checkNamespace(client, options.namespace, installationOf(options, { resources, runtimes }), (manifest) =>
          liveOf(client, manifest),
        );
        // Profiles may stay, but would be deleted with their CRD.
        const kinds = flags.keepCrds ? resources.filter(({ namespaced }) => namespaced) : resources;
        const used = await refusalOf(client, kinds, flags.dryRun ? 'nothing would be deleted yet' : 'nothing was deleted');
        if (used && !flags.dryRun) throw used;
        const lease: Manifest = {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'sluice', namespace: options.namespace },
        };
        const manifests = [
          ...installationOf(options, { resources, runtimes }),
          ...(await boardsElsewhere(client, options.namespace)),
        ].filter(({ kind }) => !(flags.keepCrds && kind === 'CustomResourceDefinition') && !(!flags.withNamespace && kind === 'Namespace'));
        // In the reverse order of an installation.
        let [isHere, isAny] = [false, false];
        for (const manifest of [lease, ...manifests].toReversed()) {
          const resource = resources.find(({ plural }) => manifest.metadata.name === crdNameOf(plural));
          // With the CRD all objects of its kind would be deleted, those too that were created since the first check.
          const late = manifest.kind === 'CustomResourceDefinition' && resource && !flags.dryRun;
          const refusal = late ? await refusalOf(client, [resource], 'the rest was kept') : undefined;
          if (refusal) throw refusal;
          // The controller has made the Lease, without labels: it is its own if another part of the installation is beside it.
          if (manifest === lease && !isHere) continue;
          const removed = await remove(client, manifest, options.namespace, flags.dryRun ?? false);
          isAny ||= removed;
          isHere ||= removed && manifest.metadata.namespace === options.namespace;
        }
        if (used) throw used;
        if (!isAny) say(`Nothing to delete: neither namespace ${options.namespace} nor the cluster has a part of an installation.`);
      } catch (error) {
        throw error instanceof Refused ? error : new Refused(messageOf(error), { cause: error });
      } finally {
        await client.close();
      }
    });
};

/** ConfigMaps of boards that `monitoring.boardNamespace` put beside Grafana: only their labels say that they are the installation's. */
async function boardsElsewhere(client: KubeClient, namespace: string): Promise<readonly Manifest[]> {
  const labelSelector = Object.entries(labels())
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const { items } = await client.list(ownedKinds.ConfigMap, { labelSelector, metadataOnly: true });
  return items.flatMap(({ metadata: { name, namespace: its = namespace } }) =>
    its !== namespace && isBoard(name) ? [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: its } }] : [],
  );
}

/** Names the objects of these kinds that exist; undefined while there are none. */
async function refusalOf(client: KubeClient, resources: readonly CustomResource[], outcome: string): Promise<Refused | undefined> {
  const found = await Promise.all(
    resources.map(async (resource) => {
      const { items } = await client.list(typeOf(resource), { metadataOnly: true }).catch(absent({ items: [] }));
      return items.map(({ metadata: { namespace, name } }) => `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`);
    }),
  );
  const all = found.flat();
  if (all.length === 0) return undefined;
  const more = all.length > NAMED ? [`… and ${all.length - NAMED} more`] : [];
  return new Refused([
    `${outcome}, since these still exist; delete them first:`,
    ...[...all.slice(0, NAMED), ...more].map((line) => `  ${line}`),
  ]);
}

/** Returns whether it was there, and was the installation's own. */
async function remove(client: KubeClient, manifest: Manifest, namespace: string, isDryRun: boolean): Promise<boolean> {
  const { kind, metadata } = manifest;
  const type = typeOfManifest(manifest);
  const live = await liveOf(client, manifest);
  if (!live) return false;
  const name = `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
  // Ours and Fluid's CSIDriver have one name.
  const kept = (reason: string) => (say(`kept ${name}: ${reason}`), false);
  if (kind !== LEASE.kind && !isOwn(live, manifest)) return kept('it does not have the labels of an installation');
  const others = namespacesOf(live).filter((each) => each !== namespace);
  if (others.length > 0) return kept(`it is of an installation in ${others.join(' and ')}`);
  if (!isDryRun) await client.delete(type, metadata, { uid: live.metadata.uid, propagation: 'Background' }).catch(absent(undefined));
  say(`${isDryRun ? 'would delete' : 'deleted'} ${name}`);
  return true;
}

/** Whole if it says for which namespace it is. */
const liveOf = (client: KubeClient, manifest: Manifest) =>
  client.get(typeOfManifest(manifest), manifest.metadata, { metadataOnly: namespacesOf(manifest).length === 0 }).catch(absent(undefined));

/** Returns `instead` when the object, or its kind, does not exist. */
const absent =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (isNotFound(error)) return instead;
    throw error;
  };
