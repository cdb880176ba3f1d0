import type { Dataset } from '../../src/api/index.ts';
import type { MountRow, RuntimeInput, Runtime } from '../../src/constructs/index.ts';
import { bindingOf } from '../../src/planning/bindings.ts';
import type { LiveObject, MountsFailure, MountsObserved, RuntimeObject, WorkloadView, World } from '../../src/reconciler/world.ts';
import { planInput } from '../../src/testing/given.ts';
import example from '../support/example-runtime/index.ts';

export const now = Date.parse('2026-01-02T03:04:05Z');

export type Changes = Omit<Partial<World>, 'dataset' | 'runtime' | 'plan'> & {
  readonly dataset?: Partial<Dataset>;
  readonly runtime?: Partial<RuntimeObject>;
};

/** A reading of `ml/demo`, whose mounts, in the absence of other words, are as they should be. */
export function worldOf(of: Runtime = example, input: RuntimeInput<unknown> = exampleInput(), changes: Changes = {}): World {
  const { dataset, runtime, ...rest } = changes;
  const plan = of.bind(input);
  const metadata = {
    name: input.name,
    namespace: input.namespace,
    generation: 1,
    resourceVersion: '7',
    creationTimestamp: '2026-01-02T03:04:02Z',
  };
  return {
    now,
    key: { namespace: input.namespace, name: input.name },
    dataset: {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: 'Dataset',
      metadata: { ...metadata, uid: 'uid-of-dataset' },
      spec: input.dataset.spec,
      ...dataset,
    },
    runtime: {
      apiVersion: 'data.fluid.io/v1alpha1',
      kind: of.resource.kind,
      metadata: { ...metadata, uid: input.uid },
      spec: input.spec as object,
      ...runtime,
    },
    ...bindingOf(plan),
    bound: false,
    workloads: {},
    names: of.workloads(input.name),
    missingSecrets: [],
    probes: {},
    ...(plan.mounts && { mounts: listed(plan.mounts.wanted) }),
    ...rest,
  };
}

export const exampleInput = (spec: object = {}): RuntimeInput<unknown> =>
  planInput({ spec, facts: { ports: { master: 24001, worker: 24002 } } });

export const pods = (ready: number, desired = ready, more: Partial<WorkloadView> = {}): WorkloadView => ({
  desired,
  current: desired,
  ready,
  available: ready,
  crashing: [],
  unstarted: [],
  outdated: [],
  ...more,
});

export const live = (kind: string, name: string, more: object = {}): LiveObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid: `uid-of-${kind}-${name}`, resourceVersion: '3' },
  ...more,
});
/** Claim and volume name each other; `of` is the UID that the volume remembers. */
export const claim = (phase = 'Bound', volumeName?: string): LiveObject =>
  live('PersistentVolumeClaim', 'demo', { spec: { volumeName: volumeName ?? 'ml-demo' }, status: { phase } });
export const volume = (phase: string, of: string | undefined = claim().metadata.uid): LiveObject =>
  live('PersistentVolume', 'ml-demo', { spec: { claimRef: { namespace: 'ml', name: 'demo', uid: of } }, status: { phase } });

/** The mounts of a world whose engine lists these rows. */
export const listed = (rows: readonly MountRow[], failed?: MountsFailure): MountsObserved => ({
  is: 'listed',
  rows,
  troubles: [],
  ...(failed && { failed }),
});
export const UNLISTED: MountsObserved = { is: 'unlisted', isListing: false, troubles: [] };
