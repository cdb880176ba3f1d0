import { bytesQuantity, quantity, type ResourceRequirements } from '../../src/api/index.ts';
import { must, type PlanInput } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

/** The first version whose client takes mount point and path as arguments; before, the mount point was a variable. */
const WITH_ARGUMENTS = [2, 8] as const;

interface Choices {
  readonly mountPath: string;
  readonly takesArguments: boolean;
  readonly readOnly: boolean;
  readonly overHttp: boolean;
}

/** How the client is called. */
export function fuseCall({ spec, dataset }: Pick<PlanInput<AlluxioRuntimeSpec>, 'spec' | 'dataset'>, choices: Choices) {
  const { mountPath, takesArguments, readOnly, overHttp } = choices;
  const libfuse = spec.properties?.['alluxio.fuse.jnifuse.libfuse.version'];
  const [program = 'fuse', options, ...rest] = spec.fuse?.args?.length
    ? spec.fuse.args
    : ['fuse', `--fuse-opts=${usual(readOnly, libfuse === '2').join(',')}`];
  const { owner } = dataset.spec;
  const more = [
    ...(owner ? [`uid=${owner.uid},gid=${owner.gid}`] : []),
    ...(options?.includes('allow_') ? [] : ['allow_other']),
    // Data that is read ahead over HTTP is mostly unused.
    ...(overHttp ? ['max_readahead=0'] : []),
  ];
  return {
    args: [program, ...(options === undefined ? [] : [[options, ...more].join(',')]), ...rest, ...(takesArguments ? [mountPath, '/'] : [])],
    env: takesArguments ? [] : [{ name: 'MOUNT_POINT', value: mountPath }],
  };
}

/** Metadata of data that does not change is kept for two hours. */
function usual(readOnly: boolean, libfuse2: boolean): readonly string[] {
  const cached = ['attr_timeout=7200', 'entry_timeout=7200'];
  if (!libfuse2) return readOnly ? ['kernel_cache', 'ro', ...cached] : ['kernel_cache', 'rw'];
  return readOnly ? ['kernel_cache', 'ro', 'max_read=131072', ...cached, 'nonempty'] : ['kernel_cache', 'rw', 'max_read=131072'];
}

/** Versions differ, and only the tag of the image says which it is. */
export function clientTakesArguments({ image }: { readonly image: string }): boolean {
  const tag = image.slice(image.lastIndexOf(':') + 1);
  const [major, minor] = WITH_ARGUMENTS;
  const [, first, second] = /^v?(\d+)\.(\d+)/.exec(tag) ?? [];
  must(second !== undefined, 'spec.fuse.imageTag', 'a version such as 2.9.0, since versions are called in different ways', tag);
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}

/** The memory limit of a client whose cache is memory: what it reads there counts as its own. */
export function withTier(resources: ResourceRequirements | undefined, memory: string | undefined): ResourceRequirements | undefined {
  const limit = resources?.limits?.['memory'];
  if (!limit || !memory) return resources;
  const bytes = quantity(limit, 'spec.fuse.resources.limits.memory') + quantity(memory, 'spec.tieredstore');
  return { ...resources, limits: { ...resources.limits, memory: bytesQuantity(bytes) } };
}
