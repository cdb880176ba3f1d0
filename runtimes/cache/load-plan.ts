import { type ComponentProps, type PlanInput, volumesOf } from '../../src/constructs/index.ts';
import type { CacheRuntimeClass, CacheRuntimeClassSpec } from './class-spec.ts';
import type { ExtraResources } from './extra-resources.ts';
import { filesOf, imageOf } from './pod.ts';
import type { CacheRuntimeSpec } from './spec.ts';
import type { Parts } from './topology.ts';

/** The class's rules for a DataLoad, and the parts of a worker that its pod gets. */
export interface LoadPlan {
  readonly className: string;
  readonly operation: NonNullable<CacheRuntimeClassSpec['dataOperationSpecs']>[number] | undefined;
  /** Image of the workers, if there are any. */
  readonly image: string | undefined;
  readonly pod: Pick<ComponentProps, 'imagePullSecrets' | 'volumes'> & {
    readonly volumeMounts: NonNullable<ComponentProps['containers'][0]['volumeMounts']>;
  };
}

export function loadPlan(
  input: PlanInput<CacheRuntimeSpec>,
  { metadata, spec: { dataOperationSpecs = [] } }: CacheRuntimeClass,
  { worker }: Parts,
  extra: ExtraResources,
): LoadPlan {
  // A load always gets the files of Secrets, even if the workers do not: runtime.json names the files.
  const { given } = filesOf(input, worker, extra, metadata.name);
  const { secrets } = filesOf(input, undefined, extra, metadata.name);
  const files = [...given, ...secrets];
  const template = worker?.base.template?.spec;
  const { imagePullSecrets } = input.spec;
  return {
    className: metadata.name,
    operation: dataOperationSpecs.find(({ name }) => name === 'DataLoad'),
    image: { ...template?.containers[0], ...imageOf(worker?.own.runtimeVersion) }.image,
    pod: {
      imagePullSecrets: imagePullSecrets?.length ? imagePullSecrets : template?.imagePullSecrets,
      ...volumesOf(files),
    },
  };
}
