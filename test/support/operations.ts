import type { Construct } from 'constructs';
import alluxio from '../../runtimes/alluxio/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import type { DataMigrateSpec, DataProcessSpec, DatasetSpec, Manifest } from '../../src/api/index.ts';
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

const onPodNetwork = { networkMode: 'ContainerNetwork' } as const;
const INPUTS = {
  alluxio: { spec: { master: onPodNetwork, worker: onPodNetwork } },
  jindo: {
    mounts: [{ mountPoint: 'oss://bucket/', name: 'data', options: { 'fs.oss.endpoint': 'oss.example' } }],
    spec: { networkmode: 'ContainerNetwork', tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/disk1', quota: '4Gi' }] } },
  },
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
const RUNTIMES = { alluxio, juicefs, jindo };
export type Loading = keyof typeof RUNTIMES;

/** A runtime of Dataset `demo` that can load. */
export function runtimeOf(runtime: Loading, namespace = 'ml'): BoundRuntime {
  const given: Given<object> = { namespace, ...INPUTS[runtime] };
  return RUNTIMES[runtime].bind(planInput(given));
}

/** The manifests of a DataLoad of Dataset `demo`. */
export function madeFor(runtime: Loading, spec: LoadSpec, namespace = 'ml'): readonly Manifest[] {
  const load = runtimeOf(runtime, namespace).operations.DataLoad;
  const facts = { pods: { worker: [{ name: 'demo-worker-0', uid: 'w0', ip: '10.0.0.1', node: 'node-1' }] } };
  return load?.({ kind: 'DataLoad', name: 'op', namespace, uid: '<uid:DataLoad/op>', spec, facts }) ?? [];
}

/** The manifests of a DataProcess on Dataset `demo`. */
export const processing = (spec: DataProcessSpec, namespace = 'ml'): readonly Manifest[] =>
  runtimeOf('alluxio', namespace).operations.DataProcess?.({
    kind: 'DataProcess',
    name: 'op',
    namespace,
    uid: '<uid:DataProcess/op>',
    spec,
    facts: { pods: {} },
  }) ?? [];

/** The manifests of a DataBackup of Dataset `demo`, whose leading master is on `node-2`. */
export function backingUp(
  spec: BackupSpec,
  namespace = 'ml',
  runtime: BoundRuntime = runtimeOf('alluxio', namespace),
): readonly Manifest[] {
  const pods = { master: [{ name: 'demo-master-0', uid: 'uid-of-master', ip: '10.0.0.2', node: 'node-2' }] };
  const named = { kind: 'DataBackup', name: 'op', namespace, uid: '<uid:DataBackup/op>' } as const;
  return runtime.operations.DataBackup?.({ ...named, spec, facts: { pods } }) ?? [];
}

/** Keys that are none. */
export const SSH_KEYS = { privateKey: 'private', publicKey: 'public' };
interface Migrating {
  readonly namespace?: string;
  readonly name?: string;
  readonly runtime?: BoundRuntime;
  /** Beside `demo`. */
  readonly datasets?: Readonly<Record<string, DatasetSpec>>;
  readonly isIdle?: boolean;
}
/** The manifests of a DataMigrate of Dataset `demo`, with keys if it asks for some. */
export function migrating(spec: DataMigrateSpec, given: Migrating = {}): readonly Manifest[] {
  const { namespace = 'ml', name = 'op', runtime = runtimeOf('juicefs', namespace), datasets = {}, isIdle } = given;
  const asked = { kind: 'DataMigrate', name, namespace, uid: '<uid:DataMigrate/op>', spec } as const;
  const { sshKeys } = runtime.operationNeeds(asked);
  const facts = { pods: {}, datasets, ...(sshKeys && { sshKeys: SSH_KEYS }), ...(isIdle && { isIdle }) };
  return runtime.operations.DataMigrate?.({ ...asked, facts }) ?? [];
}

/** The manifests of an operation of which a runtime says no more than this. */
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
  const runtime = defineRuntime({
    type: 'example',
    resource: ExampleRuntime,
    plan: (input) => basePlan(input, { mountType: 'fuse', mountDir: 'example-fuse' }),
    components: {},
    operations: { [kind]: Any },
  });
  const operate = runtime.bind(planInput({ namespace })).operations[kind] as (operation: Operation) => readonly Manifest[];
  return operate({ kind, name: 'op', namespace, uid: `<uid:${kind}/op>`, spec, facts: { pods: {} } });
}
