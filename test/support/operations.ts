import type { Manifest } from '../../src/api/index.ts';
import {
  basePlan,
  defineRuntime,
  type LoadSpec,
  type Operation,
  type OperationClass,
  OperationJob,
  type OperationKind,
  type OperationProps,
  type OperationSpec,
} from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { ExampleRuntime } from './example-runtime/spec.ts';
import { AlluxioLoad, JuiceFSLoad, type LoadPlan } from './load.ts';

export const IMAGES = { alluxio: 'alluxio/alluxio-dev:2.9.0', juicefs: 'juicedata/mount:ce-v1.3.0' };
const withLoad = (type: 'alluxio' | 'juicefs', Load: OperationClass<LoadPlan, 'DataLoad'>) =>
  defineRuntime({
    type,
    resource: ExampleRuntime,
    plan: (input): LoadPlan => ({ ...basePlan(input, { mountType: 'fuse', mountDir: `${type}-fuse` }), image: IMAGES[type] }),
    components: {},
    operations: { DataLoad: Load },
  });
export const RUNTIMES = { alluxio: withLoad('alluxio', AlluxioLoad), juicefs: withLoad('juicefs', JuiceFSLoad) };

/** What is made for a DataLoad of Dataset `demo`. */
export function madeFor(runtime: keyof typeof RUNTIMES, spec: LoadSpec, namespace = 'ml'): readonly Manifest[] {
  const load = RUNTIMES[runtime].bind(planInput({ namespace })).operations.DataLoad;
  const facts = { pods: { worker: [{ name: 'demo-worker-0', ip: '10.0.0.1', node: 'node-1' }] } };
  return load?.({ kind: 'DataLoad', name: 'op', namespace, uid: '<uid:DataLoad/op>', spec, facts }) ?? [];
}

/** What is made for an operation of which a runtime says no more than this. */
export function job(
  props: Partial<OperationProps>,
  spec: OperationSpec = {},
  kind: OperationKind = 'DataMigrate',
  namespace = 'ml',
): readonly Manifest[] {
  class Any extends OperationJob {
    constructor(...[scope, plan, operation]: ConstructorParameters<typeof AlluxioLoad>) {
      super(scope, plan, operation as Operation, { containers: [{ name: 'main', image: 'i:1' }], ...props });
    }
  }
  const { plan } = RUNTIMES[kind === 'DataMigrate' ? 'juicefs' : 'alluxio'].bind(planInput({ namespace }));
  const runtime = defineRuntime({
    type: 'any',
    resource: ExampleRuntime,
    plan: () => plan as LoadPlan,
    components: {},
    operations: { [kind]: Any },
  });
  const operate = runtime.bind(planInput()).operations[kind] as (operation: Operation) => readonly Manifest[];
  return operate({ kind, name: 'op', namespace, uid: `<uid:${kind}/op>`, spec, facts: { pods: {} } });
}
