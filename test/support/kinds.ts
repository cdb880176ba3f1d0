/** The kinds that tests make or look at, by name. */

import { AlluxioRuntime } from '../../runtimes/alluxio/spec.ts';
import { CacheRuntimeClass } from '../../runtimes/cache/class-spec.ts';
import { CacheRuntime } from '../../runtimes/cache/spec.ts';
import { EFCRuntime } from '../../runtimes/efc/spec.ts';
import { JindoRuntime } from '../../runtimes/jindo/spec.ts';
import { JuiceFSRuntime } from '../../runtimes/juicefs/spec.ts';
import { VineyardRuntime } from '../../runtimes/vineyard/spec.ts';
import { DataBackup, DataLoad, DataMigrate, DataProcess, Dataset, ThinRuntime, ThinRuntimeProfile } from '../../src/api/index.ts';
import type { ResourceType } from '../../src/kube/types.ts';
import { Node, ownedKinds, Pod, Secret, typeOf } from '../../src/planning/kinds.ts';
import { ExampleRuntime } from './example-runtime/spec.ts';

const other = (group: string, version: string, kind: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});

export const kinds = {
  ...ownedKinds,
  Secret,
  Pod,
  Node,
  Dataset: typeOf(Dataset),
  DataLoad: typeOf(DataLoad),
  DataMigrate: typeOf(DataMigrate),
  DataProcess: typeOf(DataProcess),
  DataBackup: typeOf(DataBackup),
  ThinRuntime: typeOf(ThinRuntime),
  ThinRuntimeProfile: typeOf(ThinRuntimeProfile),
  JuiceFSRuntime: typeOf(JuiceFSRuntime),
  AlluxioRuntime: typeOf(AlluxioRuntime),
  CacheRuntime: typeOf(CacheRuntime),
  CacheRuntimeClass: typeOf(CacheRuntimeClass),
  JindoRuntime: typeOf(JindoRuntime),
  EFCRuntime: typeOf(EFCRuntime),
  VineyardRuntime: typeOf(VineyardRuntime),
  ExampleRuntime: typeOf(ExampleRuntime),
  /** The kind of examples/vendor-moosefs. */
  MooseFSRuntime: other('data.fluid.io', 'v1alpha1', 'MooseFSRuntime', 'moosefsruntimes'),
  Event: other('', 'v1', 'Event', 'events'),
  Namespace: other('', 'v1', 'Namespace', 'namespaces', false),
  ResourceQuota: other('', 'v1', 'ResourceQuota', 'resourcequotas'),
  Lease: other('coordination.k8s.io', 'v1', 'Lease', 'leases'),
  HorizontalPodAutoscaler: other('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
  FlowSchema: other('flowcontrol.apiserver.k8s.io', 'v1', 'FlowSchema', 'flowschemas', false),
  PriorityLevelConfiguration: other(
    'flowcontrol.apiserver.k8s.io',
    'v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    false,
  ),
} as const satisfies Readonly<Record<string, ResourceType>>;
export type Kind = keyof typeof kinds;

/** Namespaced kinds of our API group: their objects must not outlive a test, since only a controller can let them go. */
export const customKinds = [
  'Dataset',
  'DataLoad',
  'DataMigrate',
  'DataProcess',
  'DataBackup',
  'ThinRuntime',
  'JuiceFSRuntime',
  'AlluxioRuntime',
  'CacheRuntime',
  'JindoRuntime',
  'EFCRuntime',
  'VineyardRuntime',
  'ExampleRuntime',
] as const satisfies readonly Kind[];
/** Kinds of objects that a runtime may have, Secrets included. */
export const madeKinds = [...(Object.keys(ownedKinds) as (keyof typeof ownedKinds)[]), 'Secret'] as const satisfies readonly Kind[];
