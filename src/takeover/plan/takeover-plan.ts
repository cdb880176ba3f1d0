/** The plan of a take-over: the fate of each object, and what has to be decided before. Pure. */
import type { KubeObject } from '../../kube/types.ts';
import { objectText } from '../../planning/key.ts';
import { phaseOf } from '../../planning/views.ts';
import type { FluidInstallation } from '../fluid/installation.ts';
import type { ValuesPlan } from './carry-over.ts';
import { type Decision, decisionsOf } from './decisions.ts';
import { type ObjectPlan, planOf } from './objects.ts';
import { valueAt } from './paths.ts';
import type { TakeoverInput } from './plan-input.ts';
import { taintNotes } from './taints.ts';

export interface TakeoverPlan {
  readonly fluid: FluidInstallation;
  readonly summary: Summary;
  /** The objects of each runtime and operation, and those that Fluid alone has. */
  readonly groups: readonly { readonly of: string; readonly objects: readonly ObjectPlan[] }[];
  readonly values: ValuesPlan;
  /** Open ones: nothing should be taken over before. */
  readonly decisions: readonly Decision[];
  /** Remarks about what changes nothing for those who read, a sentence each. */
  readonly notes: readonly string[];
}

/** Numbers by phase and by kind. */
export interface Summary {
  readonly datasets: Counts;
  readonly runtimes: Counts;
  readonly operations: Counts;
  /** Objects by their fate. */
  readonly objects: Counts;
  /** Pods that restart or end, and mounts that are lost: objects with any. */
  readonly harmed: number;
}
type Counts = Readonly<Record<string, number>>;

export function takeoverPlan(input: TakeoverInput): TakeoverPlan {
  const { fluid, changes, replaced, nodes, home, values, faults, warnings, ungranted } = input;
  const sets = new Map(replaced.map((each) => [`StatefulSet ${each.metadata.namespace}/${each.metadata.name}`, each]));
  const own = changes.map(({ of, changes: each }) => ({ of, objects: each.map((change) => adopting(planOf(change, nodes), sets)) }));
  const groups = [...own, ...(replaced.length > 0 ? [{ of: 'AdvancedStatefulSets of Fluid', objects: replaced.map(replacedPlan) }] : [])];
  const objects = groups.flatMap((group) => group.objects);
  return {
    fluid,
    summary: {
      datasets: countBy(input.datasets, (each) => String(phaseOf(each) || 'NotBound')),
      runtimes: countBy(input.runtimes, ({ kind }) => kind),
      operations: countBy(input.operations, ({ kind }) => kind),
      objects: countBy(objects, ({ fate }) => fate),
      harmed: objects.filter(({ harm }) => harm.length > 0).length,
    },
    groups,
    values,
    decisions: decisionsOf(input, objects),
    notes: [
      ...faults
        .filter(({ lone }) => lone)
        .map(({ object, message }) => `${object ?? ''}: ${message}; nothing is done for it, as under Fluid`),
      ...ungranted.filter(({ isBound }) => isBound).map(({ object, message }) => `${object}: ${message}`),
      ...input.deleting.map((object) => `${object} is being deleted: Sluice finishes that`),
      ...(input.lacked ? [] : ['The API server does not say which rights you have: those for the take-over were not checked']),
      ...taintNotes(home, valueAt(values.values, 'controller.tolerations')),
      ...warnings,
    ],
  };
}

/** docs/reference/taking-over.md: the CRD must exist until then, or the pods are deleted with it. */
function replacedPlan(object: KubeObject): ObjectPlan {
  const { replicas = 1 } = (object['spec'] ?? {}) as { readonly replicas?: number };
  const isOne = replicas === 1;
  return {
    object: objectText(object),
    fate: 'deleted',
    fields: [],
    notes: [`its ${replicas} ${isOne ? 'pod stays' : 'pods stay'}, and the StatefulSet of its name adopts ${isOne ? 'it' : 'them'}`],
    harm: [],
  };
}

/** A StatefulSet in place of an AdvancedStatefulSet. */
function adopting(plan: ObjectPlan, replaced: ReadonlyMap<string, KubeObject>): ObjectPlan {
  const former = replaced.get(plan.object);
  return former && plan.fate === 'created' ? { ...plan, notes: [...plan.notes, `it adopts the pods of the ${former.kind}`] } : plan;
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Counts {
  const groups = [...Map.groupBy(items, key)].map(([name, { length }]) => [name, length] as const);
  return Object.fromEntries(groups.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}
