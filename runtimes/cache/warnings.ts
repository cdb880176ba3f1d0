import type { DatasetSpec } from '../../src/api/index.ts';
import { ignored, unread, variableWarnings, type Warning, warningsOf } from '../../src/constructs/index.ts';
import type { CacheRuntimeClassSpec, ClassComponent } from './class-spec.ts';
import type { CacheRuntimeSpec } from './spec.ts';
import { COMPONENTS, type Component } from './topology.ts';

/** Fields of the runtime, of its class and of its Dataset, without effect. */
export function specWarnings(
  spec: CacheRuntimeSpec,
  { topology = {}, dataOperationSpecs = [] }: CacheRuntimeClassSpec,
  className: string,
  dataset: DatasetSpec,
): readonly Warning[] {
  const ofClass = `CacheRuntimeClass ${className}: `;
  return warningsOf(
    COMPONENTS.flatMap((component) => templateWarnings(spec, component, topology[component])),
    COMPONENTS.flatMap((component) => {
      const own = spec[component];
      if (!own) return [];
      // The CRD gives every runtime one worker.
      const isSaid = !own.disabled && Object.entries(own).some(([field, value]) => field !== 'replicas' || value !== 1);
      if (!topology[component]) return isSaid ? [ignored(`spec.${component}`, `CacheRuntimeClass ${className} has no ${component}`)] : [];
      const { image, imageTag } = own.runtimeVersion ?? {};
      const why = 'image and imageTag have effect together, each in its own field; the image is that of the class';
      return Boolean(image) === Boolean(imageTag) ? [] : [ignored(`spec.${component}.runtimeVersion`, why)];
    }),
    spec.client?.tolerations?.length && ignored('spec.client.tolerations', 'clients tolerate every taint'),
    entriesWarnings(topology, `${ofClass}topology`),
    dataOperationSpecs.flatMap(({ name }, i) =>
      name === 'DataLoad' ? [] : [ignored(`${ofClass}dataOperationSpecs[${i}]`, `${name} by class is not supported`)],
    ),
    unread(dataset, 'Dataset: spec', {
      runtimes: 'a runtime serves the Dataset of its own name',
      owner: 'the programs of the class say who owns a file',
      dataRestoreLocation: 'a CacheRuntime has no backups',
    }),
  );
}

/** Volumes and variables that both the class's template and the runtime have. */
function templateWarnings({ volumes, ...spec }: CacheRuntimeSpec, component: Component, base: ClassComponent | undefined) {
  const { volumes: theirs = [], containers: [first] = [] } = base?.template?.spec ?? {};
  const mounted = new Set(spec[component]?.volumeMounts?.map(({ name }) => name));
  return [
    ...(volumes ?? []).flatMap(({ name }, i) =>
      mounted.has(name) && theirs.some((each) => each.name === name)
        ? [ignored(`spec.volumes[${i}]`, `the ${component} of the class has a volume of this name, which is mounted`)]
        : [],
    ),
    ...variableWarnings(first?.env, spec[component]?.env, `spec.${component}.env`),
  ];
}

function entriesWarnings({ master, worker, client }: NonNullable<CacheRuntimeClassSpec['topology']>, path: string): readonly Warning[] {
  const ofWorkers = worker?.executionEntries;
  return warningsOf(
    master && ofWorkers && ignored(`${path}.worker.executionEntries`, 'the commands of the master are run'),
    !master && ofWorkers?.mountUFS && ignored(`${path}.worker.executionEntries.mountUFS`, 'without a master nothing is mounted'),
    client?.executionEntries && ignored(`${path}.client.executionEntries`, 'the commands of masters or workers are run'),
  );
}
