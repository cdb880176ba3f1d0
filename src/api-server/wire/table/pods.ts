/** Columns of Pods. Rule: kubernetes/pkg/printers/internalversion, `printPod`. */
import type { KubeObject } from '../../../kube/types.ts';
import { humanDuration, timeOf } from './ages.ts';
import { ageColumn, column, nameColumn, type TableColumn, wide } from './columns.ts';
import { at, conditionOf, countAt, isTrue, listAt, textAt } from './read.ts';

/** The state of all containers of a Pod together. */
interface Summary {
  readonly ready: number;
  readonly containers: number;
  readonly status: string;
  readonly restarts: number;
  /** When a container ended last, in milliseconds since the epoch. */
  readonly restarted: number | undefined;
}

/** Containers that are counted, and what they say. */
interface Said {
  readonly ready: number;
  readonly restarts: number;
  readonly restarted: number | undefined;
  readonly reason?: string;
}

const latest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};
const lastEnd = (status: unknown): number | undefined => timeOf(at(status, 'lastState', 'terminated', 'finishedAt'));
const sum = (statuses: readonly unknown[]) => ({
  restarts: statuses.reduce<number>((total, status) => total + countAt(status, 'restartCount'), 0),
  restarted: statuses.reduce<number | undefined>((last, status) => latest(last, lastEnd(status)), undefined),
});

function ended(terminated: unknown): string {
  const signal = countAt(terminated, 'signal');
  return textAt(terminated, 'reason') || (signal === 0 ? `ExitCode:${countAt(terminated, 'exitCode')}` : `Signal:${signal}`);
}

/** Why an init container holds back what comes after it; undefined for one that does not. */
function holdsBack(status: unknown, isSidecar: boolean, place: string): string | undefined {
  const terminated = at(status, 'state', 'terminated');
  if (terminated !== undefined && countAt(terminated, 'exitCode') === 0) return undefined;
  if (isSidecar && at(status, 'started') === true) return undefined;
  if (terminated !== undefined) return `Init:${ended(terminated)}`;
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  return `Init:${waiting !== '' && waiting !== 'PodInitializing' ? waiting : place}`;
}

function initSaid(pod: KubeObject, sidecars: ReadonlySet<string>): { readonly all: Said; readonly sidecars: Said } {
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  const count = listAt(pod, 'spec', 'initContainers').length;
  const isSidecar = (status: unknown) => sidecars.has(textAt(status, 'name'));
  const reasons = statuses.map((status, i) => holdsBack(status, isSidecar(status), `${i}/${count}`));
  const first = reasons.findIndex((reason) => reason !== undefined);
  const seen = first === -1 ? statuses : statuses.slice(0, first + 1);
  const passed = first === -1 ? statuses : statuses.slice(0, first);
  const ready = passed.filter((status) => {
    const terminated = at(status, 'state', 'terminated');
    const runs = terminated === undefined || countAt(terminated, 'exitCode') !== 0;
    return isSidecar(status) && at(status, 'ready') === true && at(status, 'started') === true && runs;
  }).length;
  const reason = first === -1 ? {} : { reason: reasons[first]! };
  return { all: { ready, ...sum(seen), ...reason }, sidecars: { ready, ...sum(seen.filter(isSidecar)) } };
}

function mainSaid(pod: KubeObject): Said & { readonly runs: boolean } {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const reasonOf = (status: unknown): string | undefined => {
    const terminated = at(status, 'state', 'terminated');
    return textAt(status, 'state', 'waiting', 'reason') || (terminated === undefined ? undefined : ended(terminated));
  };
  // The first container has the last word.
  const reason = statuses.map(reasonOf).find((each) => each !== undefined);
  const ready = statuses.filter(
    (status) => reasonOf(status) === undefined && at(status, 'ready') === true && at(status, 'state', 'running') !== undefined,
  ).length;
  return { ready, runs: ready > 0, ...sum(statuses), ...(reason !== undefined && { reason }) };
}

function statusOf(pod: KubeObject, reason: string): string {
  if (at(pod, 'metadata', 'deletionTimestamp') === undefined) return reason;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')) ? reason : 'Terminating';
}

function summaryOf(pod: KubeObject): Summary {
  const inits = listAt(pod, 'spec', 'initContainers').filter((container) => at(container, 'restartPolicy') === 'Always');
  const sidecars = new Set(inits.map((container) => textAt(container, 'name')));
  const containers = listAt(pod, 'spec', 'containers').length + inits.length;
  const isGated = at(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated';
  const first = isGated ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');

  const init = initSaid(pod, sidecars);
  if (init.all.reason !== undefined && !isTrue(pod, 'Initialized')) {
    const { ready, restarts, restarted, reason } = init.all;
    return { ready, containers, status: statusOf(pod, reason), restarts, restarted };
  }
  const main = mainSaid(pod);
  const said = main.reason ?? init.all.reason ?? first;
  const status = said === 'Completed' && main.runs ? (isTrue(pod, 'Ready') ? 'Running' : 'NotReady') : said;
  return {
    ready: init.sidecars.ready + main.ready,
    containers,
    status: statusOf(pod, status),
    restarts: init.sidecars.restarts + main.restarts,
    restarted: latest(init.sidecars.restarted, main.restarted),
  };
}

function restartsText({ restarts, restarted }: Summary, now: number): string {
  return restarts > 0 && restarted !== undefined ? `${restarts} (${humanDuration(now - restarted)} ago)` : String(restarts);
}

function gatesText(pod: KubeObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates');
  const open = gates.filter((gate) => isTrue(pod, textAt(gate, 'conditionType'))).length;
  return gates.length === 0 ? '<none>' : `${open}/${gates.length}`;
}

export const pod: readonly TableColumn[] = [
  nameColumn,
  column('Ready', (object) => {
    const { ready, containers } = summaryOf(object);
    return `${ready}/${containers}`;
  }),
  column('Status', (object) => summaryOf(object).status),
  column('Restarts', (object, now) => restartsText(summaryOf(object), now)),
  ageColumn,
  wide('IP', (object) => textAt(listAt(object, 'status', 'podIPs')[0], 'ip') || '<none>'),
  wide('Node', (object) => textAt(object, 'spec', 'nodeName') || '<none>'),
  wide('Nominated Node', (object) => textAt(object, 'status', 'nominatedNodeName') || '<none>'),
  wide('Readiness Gates', gatesText),
];

/** The condition by which kubectl knows that a row is of a Pod that has ended. */
export function podConditions(object: KubeObject): readonly object[] | undefined {
  const phase = textAt(object, 'status', 'phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Failed' ? 'The pod failed.' : 'The pod has completed successfully.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}
