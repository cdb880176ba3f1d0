import type { Construct } from 'constructs';
import alluxio from '../../runtimes/alluxio/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import type { DataProcessSpec, Manifest } from '../../src/api/index.ts';
import {
  type BackupSpec,
  type BasePlan,
  basePlan,
  type BoundRuntime,
  defineRuntime,
  type LoadSpec,
  type Operation,
  OperationJob,
  type OperationKind,
  type OperationProps,
  type OperationSpec,
} from '../../src/constructs/index.ts';
import { type Given, planInput } from '../../src/testing/given.ts';
import { ExampleRuntime } from './example-runtime/spec.ts';

export const IMAGES = { alluxio: 'alluxio/alluxio-dev:2.9.0', juicefs: 'juicedata/mount:ce-v1.3.0' };
const onPodNetwork = { networkMode: 'ContainerNetwork' } as const;
const INPUTS = {
  alluxio: { spec: { master: onPodNetwork, worker: onPodNetwork } },
  juicefs: {
    mounts: [
      {
        mountPoint: 'juicefs:///',
        name: 'minio',
        encryptOptions: [{ name: 'metaurl', valueFrom: { secretKeyRef: { name: 'jfs', key: 'url' } } }],
      },
    ],
    spec: { worker: onPodNetwork, fuse: onPodNetwork },
  },
};
const RUNTIMES = { alluxio, juicefs };
export type Loading = keyof typeof RUNTIMES;

/** A runtime of Dataset `demo` that can load. */
export function runtimeOf(runtime: Loading, namespace = 'ml'): BoundRuntime {
  const given: Given<object> = { namespace, ...INPUTS[runtime] };
  return RUNTIMES[runtime].bind(planInput(given));
}

/** What is made for a DataLoad of Dataset `demo`. */
export function madeFor(runtime: Loading, spec: LoadSpec, namespace = 'ml'): readonly Manifest[] {
  const load = runtimeOf(runtime, namespace).operations.DataLoad;
  const facts = { pods: { worker: [{ name: 'demo-worker-0', uid: 'w0', ip: '10.0.0.1', node: 'node-1' }] } };
  return load?.({ kind: 'DataLoad', name: 'op', namespace, uid: '<uid:DataLoad/op>', spec, facts }) ?? [];
}

/** What is made for a DataProcess on Dataset `demo`. */
export const processing = (spec: DataProcessSpec, namespace = 'ml'): readonly Manifest[] =>
  runtimeOf('alluxio', namespace).operations.DataProcess?.({
    kind: 'DataProcess',
    name: 'op',
    namespace,
    uid: '<uid:DataProcess/op>',
    spec,
    facts: { pods: {} },
  }) ?? [];

/** What is made for a DataBackup of Dataset `demo`, whose leading master is on `node-2`. */
export function backingUp(
  spec: BackupSpec,
  namespace = 'ml',
  runtime: BoundRuntime = runtimeOf('alluxio', namespace),
): readonly Manifest[] {
  const pods = { master: [{ name: 'demo-master-0', uid: 'uid-of-master', ip: '10.0.0.2', node: 'node-2' }] };
  const named = { kind: 'DataBackup', name: 'op', namespace, uid: '<uid:DataBackup/op>' } as const;
  return runtime.operations.DataBackup?.({ ...named, spec, facts: { pods } }) ?? [];
}

/** What is made for an operation of which a runtime says no more than this. */
export function job(
  props: Partial<OperationProps>,
  spec: OperationSpec = {},
  kind: OperationKind = 'DataMigrate',
  namespace = 'ml',
): readonly Manifest[] {
  class Any extends OperationJob {
    constructor(scope: Construct, plan: BasePlan, operation: Operation) {
      super(scope, plan, operation, { containers: [{ name: 'main', image: 'i:1' }], ...props });
    }
  }
  const type = kind === 'DataMigrate' ? 'juicefs' : 'alluxio';
  const runtime = defineRuntime({
    type,
    resource: ExampleRuntime,
    plan: (input) => basePlan(input, { mountType: 'fuse', mountDir: `${type}-fuse` }),
    components: {},
    operations: { [kind]: Any },
  });
  const operate = runtime.bind(planInput({ namespace })).operations[kind] as (operation: Operation) => readonly Manifest[];
  return operate({ kind, name: 'op', namespace, uid: `<uid:${kind}/op>`, spec, facts: { pods: {} } });
}
