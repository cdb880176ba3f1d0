/** Remarks before the way back, about all that Fluid does not serve as Sluice does. */
import { ownersOf, pauseWish } from '../../api/records.ts';
import type { OperationKind } from '../../constructs/contract.ts';
import { operationNames } from '../../constructs/operation-names.ts';
import type { KubeObject } from '../../kube/types.ts';
import { objectText } from '../../planning/key.ts';
import { phaseOf } from '../../planning/views.ts';
import { sluiceOnly } from './fields.ts';
import { isLeftUnbound } from '../fluid/unbound.ts';
import { staleReleases } from '../world/releases.ts';
import type { BackWorld } from './world.ts';

export interface Remark {
  /** A sentence about these objects. */
  readonly what: string;
  readonly objects: readonly string[];
  /** Advice for an operator, or the work of `back`. */
  readonly outcome: string;
  /** An operator has to decide before `back` begins. */
  readonly isOpen: boolean;
}

/** In the order of what they cost. Those without objects are left out. */
export function findingsOf(world: BackWorld): readonly Remark[] {
  const { users, record } = world;
  const { runtimes, operations } = users;
  const recorded = new Set((record.workloads ?? []).flatMap((set) => ownersOf(set).map(({ uid }) => uid)));
  const values = new Set(users.configMaps.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`));
  const findings: readonly (Omit<Remark, 'objects'> & { readonly objects: readonly KubeObject[] })[] = [
    {
      what: 'Paused operations: Fluid leaves their Jobs suspended.',
      objects: operations.filter(isPaused),
      outcome: 'Resume them first: remove the annotation data.fluid.io/paused.',
      isOpen: true,
    },
    {
      what: 'Operations that run: Fluid leaves those without a release of its own Executing for ever, and their Datasets taken.',
      objects: operations.filter((operation) => isExecuting(operation) && !hasRelease(world, operation)),
      outcome: 'Wait for their end, or delete them.',
      isOpen: true,
    },
    {
      what: 'CacheRuntimes that were created under Sluice: Fluid creates no AdvancedStatefulSets for them.',
      objects: runtimes.filter(({ kind, metadata: { uid = '' } }) => kind === 'CacheRuntime' && !recorded.has(uid)),
      outcome: 'Delete them before, and create them again under Fluid.',
      isOpen: true,
    },
    {
      what: 'JuiceFSRuntimes that were created under Sluice: Fluid serves and deletes them, but ignores edits, and writes the event `helm value … not found`.',
      objects: runtimes.filter(
        ({ kind, metadata: { namespace, name } }) => kind === 'JuiceFSRuntime' && !values.has(`${namespace}/${name}-juicefs-values`),
      ),
      outcome: 'Delete and create them again when it suits you.',
      isOpen: false,
    },
    {
      what: "Fields that Fluid's CRDs do not have: Fluid ignores them.",
      objects: [...runtimes, ...operations, ...users.companions].filter((object) => sluiceOnly(object).length > 0),
      outcome: 'Nothing; they keep their values.',
      isOpen: false,
    },
    {
      what: 'Datasets that are not bound, with the condition Ready: Fluid sets up none that has it.',
      objects: users.datasets.filter(isLeftUnbound),
      outcome: 'Their conditions are removed while no controller runs.',
      isOpen: false,
    },
    {
      what: "Records of Fluid's releases of runtimes and operations that no longer exist: Fluid would never set up another one of that name.",
      objects: staleReleases(users).map(({ kind, namespace, name }) => ({ apiVersion: 'v1', kind, metadata: { namespace, name } })),
      outcome: 'They are deleted while no controller runs.',
      isOpen: false,
    },
  ];
  return findings.filter(({ objects }) => objects.length > 0).map((finding) => ({ ...finding, objects: finding.objects.map(objectText) }));
}

/** Whether its user paused an operation; a value that is neither true nor false pauses too. */
const isPaused = (operation: KubeObject): boolean => ![undefined, 'false'].includes(pauseWish(operation));

/** A schedule has no run of its own that Fluid could wait for. */
const isExecuting = (operation: KubeObject): boolean =>
  phaseOf(operation) === 'Executing' && (operation['spec'] as { readonly policy?: string } | undefined)?.policy !== 'Cron';

function hasRelease({ users }: BackWorld, { kind, metadata: { namespace, name } }: KubeObject): boolean {
  // The cast: the kinds of `operationKinds`.
  const { release } = operationNames({ kind: kind as OperationKind, name });
  return users.releases.some((each) => each.namespace === namespace && each.release === release);
}
