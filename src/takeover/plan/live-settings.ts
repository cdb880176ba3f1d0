import type { KubeObject } from '../../kube/types.ts';
import type { FluidInstallation } from '../fluid/installation.ts';

/** Settings of Fluid's programs, as the containers of its workloads have them. */
export interface LiveSettings {
  /** Whether a workload of this name exists. */
  has(workload: string): boolean;
  /** The value of a variable, of the first workload that has it. */
  variable(name: string): string | undefined;
  /** The rest of the argument of a workload that begins with this: `--port-allocate-policy=`. */
  flag(beginning: string, workload: string): string | undefined;
}

interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

export function liveSettings({ deployments, nodePlugin }: Pick<FluidInstallation, 'deployments' | 'nodePlugin'>): LiveSettings {
  const objects = [...deployments.map(({ object }) => object), ...(nodePlugin?.object ? [nodePlugin.object] : [])];
  const containers = new Map(objects.map((object) => [object.metadata.name, containersOf(object)]));
  const variables = new Map(
    [...containers.values()]
      .flat()
      .toReversed()
      .flatMap(({ env = [] }) => env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]))),
  );
  return {
    has: (workload) => containers.has(workload),
    variable: (name) => variables.get(name),
    flag: (beginning, workload) =>
      containers
        .get(workload)
        ?.flatMap(({ args = [] }) => args)
        .find((arg) => arg.startsWith(beginning))
        ?.slice(beginning.length),
  };
}

/** Settings where no workload is known, only a file of values. */
export const noSettings: LiveSettings = { has: () => false, variable: () => undefined, flag: () => undefined };

function containersOf({ spec }: KubeObject): readonly Container[] {
  const { template } = (spec ?? {}) as { readonly template?: { readonly spec?: { readonly containers?: readonly Container[] } } };
  return template?.spec?.containers ?? [];
}
