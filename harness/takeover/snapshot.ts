/** All objects of users and of their runtimes, and what a take-over must not have changed of them. */
import { resources } from '../../runtimes/_resources.gen.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import { type KubeObject, type ResourceType, resourceType } from '../../src/kube/types.ts';
import { Node, ownedKinds, Pod, typeOf } from '../../src/planning/kinds.ts';

const AdvancedStatefulSet = { ...resourceType('workload.fluid.io', 'AdvancedStatefulSet', 'advancedstatefulsets'), version: 'v1alpha1' };
const TYPES: readonly ResourceType[] = [...Object.values(ownedKinds), Pod, Node, AdvancedStatefulSet, ...resources.map(typeOf)];

/** Objects by `Kind namespace/name`. */
export type Snapshot = ReadonlyMap<string, KubeObject>;

/** All objects outside of the namespace of the controllers. */
export async function snapshot(client: KubeClient, except: string): Promise<Snapshot> {
  const lists = await Promise.all(
    TYPES.map(async (type) => {
      const { items } = await client.list(type, {}).catch((error: unknown) => {
        if (isNotFound(error)) return { items: [] };
        throw error;
      });
      return items.map((object) => [`${type.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`, object] as const);
    }),
  );
  return new Map(lists.flat().filter(([, { metadata }]) => !IGNORED.has(metadata.namespace ?? '') && metadata.namespace !== except));
}
const IGNORED: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease', 'default']);

interface PodStatus {
  readonly phase?: string;
  readonly containerStatuses?: readonly { readonly restartCount?: number }[];
}
const restarts = ({ status }: KubeObject): number =>
  ((status ?? {}) as PodStatus).containerStatuses?.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0) ?? 0;
const phase = ({ status }: KubeObject): string | undefined => ((status ?? {}) as PodStatus).phase;
const field = (object: KubeObject, ...path: readonly string[]): string =>
  JSON.stringify(path.reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], object)) ?? '';

/** Sentences about what is not as it was, and should be. AdvancedStatefulSets and StatefulSets take each other's place. */
export function differences(before: Snapshot, after: Snapshot): readonly string[] {
  return [...before].flatMap(([key, was]) => {
    const is = after.get(key);
    const isExchanged =
      was.kind === 'AdvancedStatefulSet' || after.has(`AdvancedStatefulSet ${was.metadata.namespace}/${was.metadata.name}`);
    if (isExchanged) return [];
    if (!is) return [`${key} is gone`];
    if (is.metadata.uid !== was.metadata.uid) return [`${key} was created anew`];
    return changed(was, is).map((what) => `${key} ${what}`);
  });
}

function changed(was: KubeObject, is: KubeObject): readonly string[] {
  const said: readonly (string | false)[] = [
    is.metadata.deletionTimestamp !== undefined && was.metadata.deletionTimestamp === undefined && 'is being deleted',
    was.kind === 'Pod' && restarts(is) > restarts(was) && 'restarted',
    was.kind === 'Pod' && phase(is) !== phase(was) && `is ${phase(is)}, and was ${phase(was)}`,
    was.kind === 'Dataset' && phase(is) !== phase(was) && `is ${phase(is)}, and was ${phase(was)}`,
    was.kind === 'PersistentVolume' && field(is, 'spec', 'csi') !== field(was, 'spec', 'csi') && 'has another source',
    was.kind === 'PersistentVolumeClaim' && field(is, 'spec', 'volumeName') !== field(was, 'spec', 'volumeName') && 'has another volume',
    was.kind === 'Node' && lost(was, is),
    HAS_SELECTOR.has(was.kind) && field(is, 'spec', 'selector') !== field(was, 'spec', 'selector') && 'has another selector',
  ];
  return said.filter((each) => each !== false);
}
const HAS_SELECTOR: ReadonlySet<string> = new Set(['StatefulSet', 'DaemonSet']);

function lost(was: KubeObject, is: KubeObject): string | false {
  const keys = Object.keys(was.metadata.labels ?? {}).filter(
    (key) => key.startsWith('fluid.io/') && is.metadata.labels?.[key] === undefined,
  );
  return (
    keys.length > 0 &&
    `lost the labels ${keys
      .slice(0, 5)
      .map((key) => `${key}=${was.metadata.labels?.[key]}`)
      .join(', ')}`
  );
}
