/**
 * The plugin's side of the API server. Rights, all of them (the install's rights.ts grants exactly these):
 *   nodes                                      get, patch     our own
 *   persistentvolumes, persistentvolumeclaims  get
 *   datasets, and every kind of runtime        get
 *   pods                                       get            those whose names the node knows
 *   events (events.k8s.io)                     create, patch
 * No watch, no list, no Secret, no log of a pod.
 */
import { csiDriver, FUSE_NODE_LABELS, fuseNodeRecord, runtimePlural } from '../../api/names.ts';
import { isForbidden, type KubeClient } from '../../kube/client/kube-client.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import { type EventSink, eventSink } from '../../kube/events/events.ts';
import { type KubeObject, type Log, type ObjectName, type ResourceType, resourceType } from '../../kube/types.ts';
import type { NodeCluster, FusePod, RuntimeRecord } from './node-cluster.ts';
import type { RuntimeName } from '../volume.ts';

export interface KubeClusterOptions {
  readonly client: KubeClient;
  readonly nodeId: string;
  readonly log: Log;
}

const NODE = resourceType('', 'Node', 'nodes', false);
const VOLUME = resourceType('', 'PersistentVolume', 'persistentvolumes', false);
const CLAIM = resourceType('', 'PersistentVolumeClaim', 'persistentvolumeclaims');
const POD = resourceType('', 'Pod', 'pods');
const ours = (plural: string, kind: string) => ({ ...resourceType('data.fluid.io', kind, plural), version: 'v1alpha1' });
const DATASET = ours('datasets', 'Dataset');

export interface KubeCluster extends NodeCluster {
  /** Why the plugin cannot serve this node: no Node of that name exists. Undefined when it does. */
  check(): Promise<string | undefined>;
  /** Resolves when all events were sent or given up. */
  flush(): Promise<void>;
}

export function kubeCluster({ client, nodeId, log }: KubeClusterOptions): KubeCluster {
  const events: EventSink = eventSink(client, { reportingController: 'data.fluid.io/sluice-csi', reportingInstance: nodeId, log });

  const find = (type: ResourceType, name: ObjectName, metadataOnly = false): Promise<KubeObject | undefined> =>
    client.get(type, name, { metadataOnly }).catch(ignoreNotFound);

  return {
    async labelNode(labels) {
      const isFuse = ([key]: readonly [string, unknown]) => key.startsWith(FUSE_NODE_LABELS);
      const records = Object.entries(labels).filter(isFuse);
      const annotations = Object.fromEntries(records.map(([key, value]) => [fuseNodeRecord(key), value]));
      // Merge: the API server writes nothing when the labels are set already.
      await client.patch(NODE, { name: nodeId }, { metadata: { labels, annotations } }, { type: 'merge' });
    },

    async hasLabel(key) {
      return (await find(NODE, { name: nodeId }, true))?.metadata.labels?.[key] === 'true';
    },

    async volume(name) {
      const found = (await find(VOLUME, { name })) as PersistentVolume | undefined;
      const csi = found?.spec?.csi;
      if (csi?.driver !== csiDriver) return undefined;
      const claim = found?.spec?.claimRef;
      return {
        attributes: csi.volumeAttributes ?? {},
        ...(claim?.namespace && claim.name && { claim: { namespace: claim.namespace, name: claim.name } }),
      };
    },

    async claimLabels(claim) {
      const found = await find(CLAIM, claim, true);
      return found && (found.metadata.labels ?? {});
    },

    async dataset(name) {
      const found = await find(DATASET, name, true);
      return found && { uid: found.metadata.uid ?? '', labels: found.metadata.labels ?? {} };
    },

    async runtime(name) {
      try {
        return await runtimeOf(find, name);
      } catch (error) {
        // The kind was not installed with Sluice: Fluid's Dataset outlives Fluid. Its label is not ours to remove.
        if (!isForbidden(error)) throw error;
        log.warn({ runtime: name, error: error.message }, 'no right to read this kind of runtime: treated as if it did not exist');
        return undefined;
      }
    },

    // Our Pod is the part of it that is read.
    pod: async (name) => (await find(POD, name)) as FusePod | undefined,

    recordEvent(dataset, { type, reason, note }) {
      void find(DATASET, dataset, true)
        .then((found) => {
          if (!found) return;
          const { apiVersion, kind, metadata } = found;
          const regarding = { apiVersion, kind, ...dataset, uid: metadata.uid };
          events.emit({ regarding, type, reason, note });
        })
        .catch((error: unknown) => log.warn({ dataset, reason, error: String(error) }, 'event not sent'));
    },

    async check() {
      return (await find(NODE, { name: nodeId }, true))
        ? undefined
        : `node ${nodeId} does not exist: set --node-id to the name of this node`;
    },

    flush: () => events.flush(),
  };
}

interface PersistentVolume {
  readonly spec?: {
    readonly csi?: { readonly driver: string; readonly volumeAttributes?: Readonly<Record<string, string>> };
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  };
}

type Find = (type: ResourceType, name: ObjectName) => Promise<KubeObject | undefined>;

async function runtimeOf(find: Find, name: RuntimeName): Promise<RuntimeRecord | undefined> {
  const dataset = (await find(DATASET, name)) as
    | { readonly status?: { readonly runtimes?: readonly { readonly type?: string }[] } }
    | undefined;
  const type = dataset?.status?.runtimes?.[0]?.type ?? '';
  if (!/^[a-z0-9-]+$/.test(type)) return undefined;
  // Every runtime's kind is named like this, a vendor's too: the conformance suite checks it.
  const found = (await find(ours(runtimePlural(type), `${type} runtime`), name)) as RuntimeObject | undefined;
  // A CacheRuntime's fuse is called client.
  return found && { cleanPolicy: (found.spec?.fuse ?? found.spec?.client)?.cleanPolicy ?? '' };
}

interface RuntimeObject {
  readonly spec?: { readonly fuse?: { readonly cleanPolicy?: string }; readonly client?: { readonly cleanPolicy?: string } };
}
