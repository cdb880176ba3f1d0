/** Columns of what has pods. Rule: kubernetes/pkg/printers/internalversion. */
import type { KubeObject } from '../../../kube/types.ts';
import { ageOf, humanDuration, timeOf } from './ages.ts';
import { ageColumn, column, containerColumns, integer, nameColumn, type TableColumn, wide } from './columns.ts';
import { at, countAt, isTrue, listAt, mapAt, textAt } from './read.ts';
import { labelsText, selectorCell, selectorText } from './selectors.ts';

const ofPods = ['spec', 'template', 'spec'] as const;
const inStatus = (name: string, field: string): TableColumn => integer(name, (object) => countAt(object, 'status', field));
const ready = column('Ready', (object) => `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`);
const selector = (...path: readonly string[]): TableColumn => wide('Selector', (object) => selectorCell(at(object, ...path, 'selector')));

export const statefulSet: readonly TableColumn[] = [nameColumn, ready, ageColumn, ...containerColumns(...ofPods)];

export const deployment: readonly TableColumn[] = [
  nameColumn,
  ready,
  column('Up-to-date', (object) => countAt(object, 'status', 'updatedReplicas')),
  column('Available', (object) => countAt(object, 'status', 'availableReplicas')),
  ageColumn,
  ...containerColumns(...ofPods),
  wide('Selector', (object) => selectorText(at(object, 'spec', 'selector')) ?? '<invalid>'),
];

export const replicaSet: readonly TableColumn[] = [
  nameColumn,
  integer('Desired', (object) => countAt(object, 'spec', 'replicas')),
  inStatus('Current', 'replicas'),
  inStatus('Ready', 'readyReplicas'),
  ageColumn,
  ...containerColumns(...ofPods),
  selector('spec'),
];

export const daemonSet: readonly TableColumn[] = [
  nameColumn,
  inStatus('Desired', 'desiredNumberScheduled'),
  inStatus('Current', 'currentNumberScheduled'),
  inStatus('Ready', 'numberReady'),
  inStatus('Up-to-date', 'updatedNumberScheduled'),
  inStatus('Available', 'numberAvailable'),
  column('Node Selector', (object) => labelsText(mapAt(object, ...ofPods, 'nodeSelector'))),
  ageColumn,
  ...containerColumns(...ofPods),
  selector('spec'),
];

function jobStatus(job: KubeObject): string {
  const ended = ['Complete', 'Failed'].find((type) => isTrue(job, type));
  if (ended) return ended;
  if (at(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => isTrue(job, type)) ?? 'Running';
}

function completions(job: KubeObject): string {
  const succeeded = countAt(job, 'status', 'succeeded');
  if (at(job, 'spec', 'completions') !== undefined) return `${succeeded}/${countAt(job, 'spec', 'completions')}`;
  const parallelism = countAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const started = timeOf(at(job, 'status', 'startTime'));
  return started === undefined ? '' : humanDuration((timeOf(at(job, 'status', 'completionTime')) ?? now) - started);
}

export const job: readonly TableColumn[] = [
  nameColumn,
  column('Status', jobStatus),
  column('Completions', completions),
  column('Duration', jobDuration),
  ageColumn,
  ...containerColumns(...ofPods),
  selector('spec'),
];

/** Go's bool as a text. */
const boolText = (value: unknown): string => (typeof value === 'boolean' ? (value ? 'True' : 'False') : '<unset>');

export const cronJob: readonly TableColumn[] = [
  nameColumn,
  column('Schedule', (object) => textAt(object, 'spec', 'schedule')),
  column('Timezone', (object) => (at(object, 'spec', 'timeZone') === undefined ? '<none>' : textAt(object, 'spec', 'timeZone'))),
  column('Suspend', (object) => boolText(at(object, 'spec', 'suspend')), { type: 'boolean' }),
  integer('Active', (object) => listAt(object, 'status', 'active').length),
  column('Last Schedule', (object, now) => {
    const last = at(object, 'status', 'lastScheduleTime');
    return last === undefined ? '<none>' : ageOf(last, now);
  }),
  ageColumn,
  ...containerColumns('spec', 'jobTemplate', ...ofPods),
  selector('spec', 'jobTemplate', 'spec'),
];

const orNone = (value: unknown): string => (value === undefined ? 'N/A' : textAt({ value }, 'value'));

export const podDisruptionBudget: readonly TableColumn[] = [
  nameColumn,
  column('Min Available', (object) => orNone(at(object, 'spec', 'minAvailable'))),
  column('Max Unavailable', (object) => orNone(at(object, 'spec', 'maxUnavailable'))),
  inStatus('Allowed Disruptions', 'disruptionsAllowed'),
  ageColumn,
];

export const priorityClass: readonly TableColumn[] = [
  nameColumn,
  integer('Value', (object) => countAt(object, 'value')),
  column('Global-Default', (object) => at(object, 'globalDefault') === true, { type: 'boolean' }),
  ageColumn,
  column('PreemptionPolicy', (object) => textAt(object, 'preemptionPolicy')),
];
