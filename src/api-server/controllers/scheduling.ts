import { isDeepStrictEqual } from 'node:util';
import type { NodeSelectorRequirement, PodSpec, Toleration } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { Changed } from '../index.ts';

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Tolerations of a daemon's pod beside its own (kubernetes.io/docs/concepts/workloads/controllers/daemonset). */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/** Whether a node takes new pods of a daemon, may keep those that it has, or must not have any. */
export function admits(node: KubeObject, spec: PodSpec): 'yes' | 'keeps' | 'no' {
  if (!fits(node, spec)) return 'no';
  const taints = untolerated(node, [...DAEMON_TOLERATIONS, ...(spec.tolerations ?? [])]);
  if (taints.some(({ effect }) => effect === 'NoExecute')) return 'no';
  return taints.some(({ effect }) => effect === 'NoSchedule') ? 'keeps' : 'yes';
}

/** Whether the scheduler may put a pod there. */
export const canRunOn = (node: KubeObject, spec: PodSpec): boolean =>
  fits(node, spec) && untolerated(node, spec.tolerations ?? []).every(({ effect }) => effect === 'PreferNoSchedule');

/** Which labels of a node a change has changed; `all` for a node that is new or gone, or takes other pods for another reason. */
export function labelsChanged({ object, old }: Changed): readonly string[] | 'all' {
  if (!isNode(object ?? old)) return [];
  if (!object || !old || object.metadata.deletionTimestamp || !isDeepStrictEqual(object['spec'], old['spec'])) return 'all';
  const [now = {}, before = {}] = [object.metadata.labels, old.metadata.labels];
  return now === before ? [] : Object.keys({ ...now, ...before }).filter((key) => now[key] !== before[key]);
}
const isNode = (object: KubeObject | undefined): boolean => object?.kind === 'Node' && object.apiVersion === 'v1';

function fits({ metadata: { name, labels = {} } }: KubeObject, { nodeSelector = {}, affinity }: PodSpec): boolean {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    (terms === undefined ||
      terms.some(
        ({ matchExpressions = [], matchFields = [] }) =>
          matchExpressions.length + matchFields.length > 0 &&
          matchExpressions.every((expression) => holds(expression, labels[expression.key])) &&
          matchFields.every((expression) => holds(expression, name)),
      ))
  );
}

function holds({ operator, values = [] }: NodeSelectorRequirement, found: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return found !== undefined && values.includes(found);
    case 'NotIn':
      return found === undefined || !values.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
    case 'Gt':
      return Number(found) > Number(values[0]);
    case 'Lt':
      return Number(found) < Number(values[0]);
    default:
      throw new Error(`expected an operator of node affinity, found ${operator}`);
  }
}

/** The taint that Kubernetes' controller of nodes gives one that is cordoned. */
const CORDONED: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

function untolerated(node: KubeObject, tolerations: readonly Toleration[]): readonly Taint[] {
  const { taints = [], unschedulable } = (node['spec'] ?? {}) as { taints?: readonly Taint[]; unschedulable?: boolean };
  return [...taints, ...(unschedulable ? [CORDONED] : [])].filter(
    (taint) =>
      !tolerations.some(
        ({ key, operator = 'Equal', value, effect }) =>
          (effect === undefined || effect === '' || effect === taint.effect) &&
          (key === undefined || key === ''
            ? operator === 'Exists'
            : key === taint.key && (operator === 'Exists' || (value ?? '') === (taint.value ?? ''))),
      ),
  );
}
