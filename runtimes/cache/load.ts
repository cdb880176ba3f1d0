import type { Construct } from 'constructs';
import { InvalidSpec, keyPath } from '../../src/api/index.ts';
import { ignored, literal, loadTargets, must, type Operation, OperationJob, type Warning } from '../../src/constructs/index.ts';
import type { CachePlan } from './plan.ts';
import { CONFIG_PATH } from './runtime-config.ts';

/** Linux starts no program with a longer variable (MAX_ARG_STRLEN, with its name and a NUL). */
const LONGEST_PATHS = 128 * 1024 - 'FLUID_DATALOAD_DATA_PATH=\0'.length;

/** A DataLoad as the class says. Paths are in the environment alone, so that no shell of the class's reads them as code. */
export class CacheLoad extends OperationJob {
  constructor(scope: Construct, plan: CachePlan, load: Operation<'DataLoad'>) {
    const { className, operation, image, pod } = plan.load;
    const fault = (path: string, expected: string) =>
      new InvalidSpec({ path, expected, found: 'none' }, { object: `CacheRuntimeClass ${className}` });
    if (!operation) throw fault('dataOperationSpecs', 'a specification with the name DataLoad');
    if (!operation.command?.length && !operation.args?.length)
      throw fault('dataOperationSpecs[DataLoad].command', 'a command or arguments');
    const targets = loadTargets(load);
    targets.forEach(({ path }, i) =>
      must(!path.includes(':'), `spec.target[${i}].path`, 'a path without ":", which separates paths', path),
    );
    const paths = targets.map(({ path }) => path).join(':');
    const bytes = new TextEncoder().encode(paths).length;
    must(bytes <= LONGEST_PATHS, 'spec.target', `paths of at most ${LONGEST_PATHS} bytes together`, `${bytes} bytes`);
    const chosen = operation.image || image;
    if (!chosen) throw fault('dataOperationSpecs[DataLoad].image', 'an image, since there are no workers');
    super(scope, plan, load, {
      imagePullSecrets: pod.imagePullSecrets,
      volumes: pod.volumes,
      containers: [
        {
          name: 'dataloader',
          image: chosen,
          ...(operation.command && { command: operation.command }),
          ...(operation.args && { args: operation.args }),
          env: [
            { name: 'FLUID_DATALOAD_METADATA', value: String(load.spec.loadMetadata ?? false) },
            { name: 'FLUID_DATALOAD_DATA_PATH', value: literal(paths) },
            { name: 'FLUID_DATALOAD_PATH_REPLICAS', value: targets.map(({ replicas }) => replicas).join(':') },
            { name: 'FLUID_DATASET_NAME', value: plan.name },
            { name: 'FLUID_DATASET_NAMESPACE', value: plan.namespace },
            { name: 'FLUID_RUNTIME_CONFIG_PATH', value: CONFIG_PATH },
          ],
          volumeMounts: pod.volumeMounts,
        },
      ],
    });
  }

  static warnings({ spec: { options = {} } }: Operation<'DataLoad'>): readonly Warning[] {
    return Object.keys(options).map((name) =>
      ignored(keyPath('spec.options', name), 'has no effect; the specification of a class has no options'),
    );
  }
}
