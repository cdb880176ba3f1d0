import { csiDriver } from '../../src/api/index.ts';
import { fuseOf } from '../../src/csi/stage/fuse-label.ts';
import { parseVolume, type CsiVolume } from '../../src/csi/volume.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import type { ApiServer } from '../../src/api-server/index.ts';
import { SETTINGS } from './process.ts';

/** A volume of the driver that a pod of a node has mounted. */
export interface Staged {
  readonly node: string;
  readonly pod: string;
  readonly volume: string;
  readonly label: string;
  /** The directory that it would bind. */
  readonly source: string;
}

/** The labels that the node plugins of all nodes set: by the plugin's own reading of a volume, without the mounts. */
export interface Plugin {
  /** Stages what pods that run use, and unstages the rest. Returns whether a label changed. */
  sync(): Promise<boolean>;
  readonly staged: readonly Staged[];
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as Readonly<Record<string, unknown>>;

/** The plugin's reading of a volume; undefined for a volume of another driver, or one that it refuses. */
export function boundBy(volume: KubeObject): CsiVolume | undefined {
  const { csi } = record(volume['spec']);
  const { driver, volumeAttributes = {} } = record(csi);
  if (driver !== csiDriver) return undefined;
  try {
    // The cast: the API server takes texts only.
    return parseVolume(volumeAttributes as Readonly<Record<string, string>>, { mountRoot: SETTINGS.mountRoot, method: 'bind' });
  } catch {
    return undefined;
  }
}

/** The volume of a claim that is bound: they name each other. */
export function volumeOf(server: ApiServer, namespace: string, claim: string): KubeObject | undefined {
  const found = server.get('PersistentVolumeClaim', namespace, claim);
  const { phase } = record(found?.['status']);
  const volume = server.get('PersistentVolume', undefined, String(record(found?.['spec'])['volumeName'] ?? ''));
  const { uid } = record(record(volume?.['spec'])['claimRef']);
  return phase === 'Bound' && volume && uid === found?.metadata.uid ? volume : undefined;
}

const claimsOf = (pod: KubeObject): readonly string[] =>
  ((record(pod['spec'])['volumes'] ?? []) as readonly { persistentVolumeClaim?: { claimName?: string } }[]).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  );

export function createPlugin(server: ApiServer): Plugin {
  let staged: readonly Staged[] = [];

  async function wanted(): Promise<readonly Staged[]> {
    const found: Staged[] = [];
    for (const pod of server.all('Pod')) {
      const { namespace = '', name, deletionTimestamp } = pod.metadata;
      const node = String(record(pod['spec'])['nodeName'] ?? '');
      const { phase } = record(pod['status']);
      if (phase !== 'Running' || !server.get('Node', undefined, node)) continue;
      for (const claim of claimsOf(pod)) {
        const before = staged.find((each) => each.pod === `${namespace}/${name}` && each.node === node);
        const volume = volumeOf(server, namespace, claim);
        // A mount stays until the pod ends.
        if (before && (!volume || deletionTimestamp)) found.push(before);
        const bound = volume && !deletionTimestamp && boundBy(volume);
        const label = bound && (await labelOf(volume, bound));
        if (volume && label) found.push({ node, pod: `${namespace}/${name}`, volume: volume.metadata.name, label, source: bound.source });
      }
    }
    return found;
  }
  async function labelOf(volume: KubeObject, bound: CsiVolume): Promise<string | undefined> {
    const { namespace, name } = record(record(volume['spec'])['claimRef']);
    const claim = { namespace: String(namespace), name: String(name) };
    const cluster = {
      volume: async () => ({ attributes: {}, claim }),
      dataset: async (key: { namespace: string; name: string }) => {
        const dataset = server.get('Dataset', key.namespace, key.name);
        return dataset && { uid: dataset.metadata.uid ?? '', labels: dataset.metadata.labels ?? {} };
      },
    };
    return (await fuseOf(cluster, volume.metadata.name, bound)).nodeLabel;
  }
  function label(node: string, key: string, value: 'true' | null): boolean {
    const type = server.typeOf('Node');
    const before = server.get('Node', undefined, node)?.metadata.labels?.[key];
    if ((before ?? null) === value) return false;
    server.objects.patch(
      { type, namespace: undefined, name: node },
      'merge',
      { metadata: { labels: { [key]: value } } },
      { manager: 'csi' },
    );
    return true;
  }

  return {
    get staged() {
      return staged;
    },
    async sync() {
      const before = staged;
      staged = await wanted();
      const has = (all: readonly Staged[], each: Staged) => all.some(({ node, label: key }) => node === each.node && key === each.label);
      // A label is set when its volume is staged, not again later: who takes it off is found by that.
      const isNew = ({ pod, volume, node }: Staged) =>
        !before.some((each) => each.pod === pod && each.volume === volume && each.node === node);
      const added = staged.filter(isNew).map((each) => label(each.node, each.label, 'true'));
      const gone = before.filter((each) => !has(staged, each)).map((each) => label(each.node, each.label, null));
      return [...added, ...gone].includes(true);
    },
  };
}
