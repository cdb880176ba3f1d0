/** The parts of a node that a take-over leaves as they are. */
import { isWithin } from '../../src/csi/mounts/mountinfo.ts';
import { mountsBelow } from '../node/mounts.ts';
import { ON_DEMAND } from './datasets.ts';
import type { Stage } from './stage.ts';

/** A reading, as texts that are compared. */
export interface Kept {
  /** Pods by name, with their UIDs and the restarts of their containers. */
  readonly pods: ReadonlyMap<string, string>;
  /** Lines of the mount table: fuse clients, and what of them is mounted for pods. */
  readonly mounts: readonly string[];
  readonly phases: ReadonlyMap<string, string>;
}

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly { readonly name: string; readonly restartCount: number }[];
  };
}

/** @param isPassing whether a pod of this name comes and goes */
export async function look({ plane, node }: Stage, isPassing: (name: string) => boolean): Promise<Kept> {
  const { items } = (await plane.get('/api/v1/namespaces/default/pods')) as { readonly items: readonly Pod[] };
  const passing = items.filter(({ metadata }) => isPassing(metadata.name)).map(({ metadata }) => metadata.uid);
  const kept = items.filter(({ metadata }) => !isPassing(metadata.name));
  const mounts = [...mountsBelow(node.mountRoot), ...mountsBelow(`${node.kubeletDir}/pods`)]
    .filter(({ mountPoint }) => isWithin(mountPoint, node.mountRoot) || mountPoint.includes('kubernetes.io~csi'))
    .filter(({ mountPoint }) => !passing.some((uid) => mountPoint.includes(uid)) && !mountPoint.includes(`/${ON_DEMAND}/`));
  const datasets = (await plane.get('/apis/data.fluid.io/v1alpha1/namespaces/default/datasets')) as {
    readonly items: readonly { readonly metadata: { readonly name: string }; readonly status?: { readonly phase?: string } }[];
  };
  return {
    pods: new Map(kept.map(({ metadata, status }) => [metadata.name, stateOf(metadata.uid, status)])),
    mounts: mounts.map(({ line }) => line).toSorted(),
    phases: new Map(datasets.items.map(({ metadata, status }) => [metadata.name, status?.phase ?? ''])),
  };
}

const stateOf = (uid: string, { phase, containerStatuses = [] }: Pod['status']): string =>
  `${uid} ${phase} ${containerStatuses.map(({ name, restartCount }) => `${name}:${restartCount}`).join(' ')}`;

/** A line for each difference. */
export function differences(before: Kept, after: Kept): readonly string[] {
  return [
    ...ofMaps('pod', before.pods, after.pods),
    ...ofMaps('Dataset', before.phases, after.phases),
    ...before.mounts.filter((line) => !after.mounts.includes(line)).map((line) => `mount lost: ${line}`),
    ...after.mounts.filter((line) => !before.mounts.includes(line)).map((line) => `mount added: ${line}`),
  ];
}

function ofMaps(what: string, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${what} ${name}: ${before.get(name) ?? 'none'} before, ${after.get(name) ?? 'none'} after`);
}
