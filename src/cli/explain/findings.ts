import { label } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { parseSelector, selectorOf } from '../../reconciler/kubernetes/selector.ts';
import { phaseOf as phaseIn } from '../../reconciler/kubernetes/store/objects.ts';
import { causeOf, causes, type Reason } from '../../reconciler/reasons.ts';
import { readiness, type Situation } from './gather.ts';

/** What `explain` reports of one object. */
export interface Finding {
  /** `Dataset ml/demo`. */
  readonly object: string;
  /** Its phase: `Bound`. */
  readonly phase: string;
  readonly healthy: boolean;
  /** What it waits for, or what is wrong, first what matters most. */
  readonly causes: readonly Cause[];
  /** Its workloads, pods that are not ready, and the operations that it waits for. */
  readonly details: readonly string[];
}
export interface Cause {
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; absent if it is not known. */
  readonly since?: string;
  readonly toDo: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Conditions that are True when something is wrong. */
const TROUBLES: ReadonlySet<string> = new Set(['NotReady', 'Failed', 'DatasetTaken', 'MountsDiffer', 'ImmutableFieldChanged']);
/** Conditions that are True when something is worth knowing: the object counts as healthy all the same. */
const NOTES: ReadonlySet<string> = new Set(['SpecWarning', 'PodsOutdated', 'PlacementWaiting']);
/** Conditions that are False when something is wrong. */
const GOALS: ReadonlySet<string> = new Set(['Synced', 'Ready', 'Complete']);
const WELL: ReadonlySet<string> = new Set(['Bound', 'DataMigrating', 'Complete', 'Executing']);

/** One finding for each object, from its conditions, its workloads, its events and the operations before it. */
export const findings = (situation: Situation): readonly Finding[] => situation.objects.map((object) => findingOf(object, situation));

function findingOf(object: KubeObject, situation: Situation): Finding {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly Condition[] };
  const { policy } = (object['spec'] ?? {}) as { policy?: string };
  const told = conditions.filter(({ type, status }) => NOTES.has(type) && status === 'True');
  const isWrong = ({ type, status }: Condition) => (TROUBLES.has(type) && status === 'True') || (GOALS.has(type) && status === 'False');
  const wrong = conditions.filter(isWrong);
  // `Ready` False and `NotReady` True are one thing; a reason may be the name of another condition, which says more.
  const known = wrong.filter(
    ({ type, reason }) =>
      !(type === 'Ready' && wrong.some((other) => other.type === 'NotReady')) &&
      ![...wrong, ...told].some((other) => other.type === reason && other.type !== type),
  );
  const workloads = situation.workloads.filter(({ metadata }) => metadata.labels?.[label.owner] === object.metadata.uid);
  const phase = phaseOf(object) || (workloads.length > 0 ? 'set up' : 'not seen yet');
  const isSeen = phaseOf(object) !== '' || conditions.length > 0;
  const isRuntime = workloads.length > 0 || conditions.some(({ type }) => type === 'Synced');
  // Before its first time, an operation with a schedule waits for nothing else.
  const isWell = isRuntime || WELL.has(phase) || (policy === 'Cron' && phase === 'Pending');
  const healthy = isSeen && wrong.length === 0 && isWell;
  const causes = [...known, ...told].map(causeOfCondition);
  return {
    object: nameOf(object),
    phase: isRuntime ? (wrong.length > 0 ? 'not as its spec says' : 'as its spec says') : phase,
    healthy,
    causes: healthy || causes.length > 0 ? causes : [isSeen ? SILENT : UNSEEN],
    details: [
      ...progressLines(object),
      ...workloads.flatMap((each) => workloadLines(each, situation)),
      ...chainLines(object, situation),
      ...eventLines(object, situation, conditions),
    ],
  };
}

const UNSEEN: Cause = {
  reason: 'NotSeen',
  message: 'no controller has written a status',
  toDo: 'see whether the controller runs: kubectl get pods -n fluid-system',
};
const SILENT: Cause = { reason: 'Changing', message: 'no condition says why', toDo: 'see its runtime, or ask again in a moment' };

/** What to do about conditions that say more than their reasons. */
const ADVICE: Readonly<Record<string, string>> = {
  SpecWarning: 'edit what the message names, when it suits you',
  PodsOutdated: 'delete these pods when it suits you',
  PlacementWaiting: 'nothing: the nodes are left once no pod there mounts the Dataset',
  ImmutableFieldChanged: 'delete the object that the message names once nothing uses it: the controller creates it again',
  MountsDiffer: 'compare the mount with what the engine lists, and edit it',
  Failed: 'correct the cause, then retry the operation by a new text of its annotation data.fluid.io/retry',
};

function causeOfCondition({ type, reason = type, message = '', lastTransitionTime }: Condition): Cause {
  const toDo = plain(ADVICE[type] ?? adviceFor(reason));
  return { reason, message, ...(lastTransitionTime && { since: lastTransitionTime }), toDo };
}
function adviceFor(reason: string): string {
  // Fluid, and Jobs, have reasons of their own.
  if (!(reason in causes) && !reason.endsWith('NotFound')) return 'see the message';
  const { toDo } = causeOf(reason as Reason);
  const [, other] = /^as for `(\w+)`$/.exec(toDo) ?? [];
  return other === undefined ? toDo : causeOf(other as Reason).toDo;
}

/** Without the links of the page from which it comes. */
const plain = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');

/** How far an operation is, as its engine reports it. */
function progressLines({ status }: KubeObject): readonly string[] {
  const { Progress, Step, Rate } = (status as { infos?: Readonly<Record<string, string>> } | undefined)?.infos ?? {};
  const said = [Progress, Step, Rate].filter((each) => each !== undefined);
  return said.length > 0 ? [`progress: ${said.join(', ')}`] : [];
}

function workloadLines(workload: KubeObject, { pods }: Situation): readonly string[] {
  const { ready, desired } = readiness(workload);
  const line = `${workload.kind} ${workload.metadata.name}: ${ready} of ${desired} pods ready`;
  if (ready >= desired) return [line];
  const selects = parseSelector(selectorOf(workload));
  const own = pods.filter(({ metadata }) => selects(metadata.labels ?? {}));
  return [line, ...own.flatMap(podLine)];
}

interface PodStatus {
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}
interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly exitCode?: number; readonly message?: string };
  };
}

/** Why a pod is not ready. */
function podLine({ metadata, status }: KubeObject): readonly string[] {
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = (status ?? {}) as PodStatus;
  if (conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return [];
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  const said = [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state }) => {
    if (state?.waiting?.reason) return [`${name} ${state.waiting.reason}${state.waiting.message ? `: ${state.waiting.message}` : ''}`];
    if (state?.terminated?.exitCode) return [`${name} ended with exit code ${state.terminated.exitCode}`];
    return [];
  });
  const why = unscheduled?.message ?? (said.join('; ') || 'is not ready yet');
  return [`  pod ${metadata.name}: ${why}`];
}

/** The operations before this one, from the one that it waits for. */
function chainLines(object: KubeObject, { operations }: Situation): readonly string[] {
  const chain: string[] = [];
  for (let next = runAfterOf(object); next && chain.length < LONGEST_CHAIN; ) {
    const { kind, name, namespace: other = '' } = next;
    const isHere = other === '' || other === object.metadata.namespace;
    const found = isHere ? operations.find((each) => each.kind === kind && each.metadata.name === name) : undefined;
    const state = found ? phaseOf(found) || 'not seen yet' : isHere ? 'does not exist' : `of namespace ${other}, which was not read`;
    chain.push(`${kind} ${name} (${state})`);
    next = found && found !== object ? runAfterOf(found) : undefined;
  }
  return chain.length > 0 ? [`after ${chain.join(', after ')}`] : [];
}
const LONGEST_CHAIN = 20;
const runAfterOf = (object: KubeObject) =>
  (object['spec'] as { runAfter?: { kind: string; name: string; namespace?: string } } | undefined)?.runAfter;

interface Occurrence {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly uid?: string };
}
const timeOf = ({ lastTimestamp, eventTime }: Occurrence): string => lastTimestamp ?? eventTime ?? '';

/** The latest warnings that no condition repeats. */
function eventLines({ metadata }: KubeObject, { events }: Situation, known: readonly Condition[]): readonly string[] {
  const own = events
    .map((event) => event as unknown as Occurrence)
    .filter(
      ({ involvedObject, message }) => involvedObject?.uid === metadata.uid && !known.some((condition) => condition.message === message),
    )
    .toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  return own.slice(0, MOST_EVENTS).map(({ reason = '', message = '' }) => `event ${reason}: ${message}`);
}
const MOST_EVENTS = 3;

const phaseOf = (object: KubeObject): string => String(phaseIn(object) ?? '');
const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace}/${metadata.name}`;
