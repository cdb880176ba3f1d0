import type { Mount, ResourceRequirements } from '@sluice-data/sluice/api';
import { absolutePath, type BasePlan, basePlan, imageOf, must, optionList, type PlanInput } from '@sluice-data/sluice';
import type { MooseFSRuntimeSpec } from './spec.ts';

export interface MooseFSPlan extends BasePlan {
  readonly image: string;
  /** Name by which chunk servers and clients find the master. */
  readonly masterHost: string;
  /** Directory on the nodes. Each Dataset has a directory of its own in it. */
  readonly dataDir: string;
  /** Directory of this Dataset, on the nodes and in the pods. */
  readonly directory: string;
  /** Lines of the chunk servers' configuration. */
  readonly chunkServer: readonly string[];
  /** Options in the form of `-o`. */
  readonly options: string;
  readonly resources: ResourceRequirements | undefined;
  /** The sources of a DataLoad, by path in the Dataset. */
  readonly sources: readonly { readonly path: string; readonly url: string }[];
}

/** Between checks of chunks, in seconds. */
const TEST_INTERVAL = 10;

export function plan(input: PlanInput<MooseFSRuntimeSpec>): MooseFSPlan {
  const { name, namespace, spec, dataset } = input;
  const dataDir = absolutePath(spec.dataDir ?? '/var/lib/moosefs', 'spec.dataDir');
  const base = basePlan(input, { mountType: 'fuse', mountDir: 'moosefs-fuse' });
  return {
    ...base,
    replicas: { master: 1, worker: spec.replicas ?? 2 },
    image: imageOf(spec.version, undefined, 'example.io/moosefs:3.0.117'),
    masterHost: `${base.workloads.master}-0`,
    dataDir,
    directory: `${dataDir}/${namespace}/${name}`,
    chunkServer: [`HDD_TEST_FREQ = ${TEST_INTERVAL}`],
    options: optionList(spec.options ?? {}, 'spec.options'),
    resources: spec.resources,
    sources: (dataset.spec.mounts ?? []).map(sourceOf),
  };
}

function sourceOf({ mountPoint, name, path }: Mount, i: number): MooseFSPlan['sources'][number] {
  const field = `spec.mounts[${i}]`;
  must(/^https?:\/\/[^/]/.test(mountPoint), `${field}.mountPoint`, 'a URL such as http://files/images', mountPoint);
  return { path: absolutePath(path ?? `/${name}`, `${field}.path`), url: mountPoint };
}
