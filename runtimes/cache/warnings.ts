import { ignored, type Warning } from '../../src/constructs/index.ts';
import type { CacheRuntimeClassSpec } from './class-spec.ts';
import type { CacheRuntimeSpec } from './spec.ts';
import { COMPONENTS } from './topology.ts';

/** Fields of the runtime, and of its class, without effect. */
export function specWarnings(
  spec: CacheRuntimeSpec,
  { topology = {}, dataOperationSpecs = [] }: CacheRuntimeClassSpec,
  className: string,
): readonly Warning[] {
  const ofClass = `CacheRuntimeClass ${className}: `;
  return [
    ...COMPONENTS.flatMap((component) => {
      const own = spec[component];
      if (!own) return [];
      if (!topology[component])
        return own.disabled ? [] : [ignored(`spec.${component}`, `CacheRuntimeClass ${className} has no ${component}`)];
      const { image, imageTag } = own.runtimeVersion ?? {};
      return Boolean(image) === Boolean(imageTag)
        ? []
        : [ignored(`spec.${component}.runtimeVersion`, 'image and imageTag have effect together; the image is that of the class')];
    }),
    ...(topology.master && topology.worker?.executionEntries
      ? [ignored(`${ofClass}topology.worker.executionEntries`, 'the commands of the master are run')]
      : []),
    ...(!topology.master && topology.worker?.executionEntries?.mountUFS
      ? [ignored(`${ofClass}topology.worker.executionEntries.mountUFS`, 'without a master nothing is mounted')]
      : []),
    ...(topology.client?.executionEntries
      ? [ignored(`${ofClass}topology.client.executionEntries`, 'the commands of masters or workers are run')]
      : []),
    ...dataOperationSpecs.flatMap(({ name }, i) =>
      name === 'DataLoad' ? [] : [ignored(`${ofClass}dataOperationSpecs[${i}]`, `${name} by class is not supported`)],
    ),
  ];
}
