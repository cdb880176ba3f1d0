import { ownerUid } from '../api/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { adviceOfRefusal } from '../planning/advice.ts';
import { causeOf, causes, type Reason } from '../planning/reasons.ts';
import { eventsSince } from './event-lines.ts';
import type { ExplainedCause } from './finding.ts';
import { readiness, type ExplainInput } from './gather.ts';
import { isAlive, PATIENCE_MS, podsOf, troubleOf } from './pod-lines.ts';
import { toDoAboutPod, unreadySince } from './pod-advice.ts';
import { textsIn } from './texts/texts.ts';

/** A workload of a runtime that has fewer ready pods than it should. */
export interface Lack {
  readonly workload: KubeObject;
  readonly cause: ExplainedCause;
  /** The message of the cause without the counts. */
  readonly why: string;
  /** A text that contains this says the same: what an event says, or the name of a pod. */
  readonly words: string;
  /** Whether the lack has lasted for a minute. */
  readonly isLasting: boolean;
}

/** Controllers of workloads try again after at most 17 minutes: an older event is about pods that were created since. */
const RECENT_MS = 20 * 60_000;

/** Workloads without enough ready pods: of a runtime, or of the runtimes of a Dataset. */
export function lacksOf({ kind, metadata }: KubeObject, input: ExplainInput): readonly Lack[] {
  const served = input.runtimes.filter((each) => each.metadata.name === metadata.name && each.metadata.namespace === metadata.namespace);
  const uids = new Set(kind === 'Dataset' ? served.map(({ metadata: { uid } }) => uid) : [metadata.uid]);
  return input.workloads.filter((each) => uids.has(ownerUid(each))).flatMap((each) => lackOf(each, input) ?? []);
}

/** Causes with what their pods lack in place of what conditions say of these, and with what no condition says. */
export function withLacks(said: readonly ExplainedCause[], lacks: readonly Lack[]): readonly ExplainedCause[] {
  const unsaid = lacks.filter(({ isLasting, words }) => isLasting && !said.some(({ message }) => message.includes(words)));
  return [...said, ...unsaid.map(({ cause }) => cause)];
}

/** The lack behind a reason of the runtime that says only that pods are not ready. */
export function lackBehind(reason: string, lacks: readonly Lack[]): Lack | undefined {
  const role = Object.hasOwn(causes, reason) ? causeOf(reason as Reason).role : undefined;
  if (role === undefined) return undefined;
  const sets = lacks.filter(({ workload }) => workload.kind === 'StatefulSet');
  const isMaster = ({ workload }: Lack) => workload.metadata.name.endsWith('master');
  return sets.find((lack) => isMaster(lack) === (role === 'master')) ?? sets[0];
}

function lackOf(workload: KubeObject, input: ExplainInput): Lack | undefined {
  const { ready, desired } = readiness(workload);
  if (ready >= desired) return undefined;
  const pods = podsOf(workload, input);
  const isShort = pods.filter(isAlive).length < desired;
  const behind =
    (isShort ? ofEvents(workload, input) : undefined) ?? ofPods(pods, input) ?? (isShort ? ofNothing(workload, input) : undefined);
  if (!behind) return undefined;
  const { reason, why, words, since, toDo } = behind;
  const message = `${workload.kind} ${workload.metadata.name}: ${ready} of ${desired} pods ready; ${why}`;
  const isLasting = reason === 'CrashLoopBackOff' || !(input.now - Date.parse(since) < PATIENCE_MS);
  return { workload, cause: { reason, message, ...(since && { since }), toDo }, why, words, isLasting };
}

interface Behind {
  readonly reason: string;
  readonly why: string;
  readonly words: string;
  /** RFC 3339; empty if it is not known. */
  readonly since: string;
  readonly toDo: string;
}

/** Kubernetes creates no pod, and an event of the workload says why. */
function ofEvents(workload: KubeObject, { events, now, language }: ExplainInput): Behind | undefined {
  const found = eventsSince(workload, events, now, RECENT_MS);
  if (!found) return undefined;
  const { reason, message, since } = found;
  const isRefusal = reason === 'FailedCreate';
  return { reason, why: message, words: message, since, toDo: isRefusal ? adviceOfRefusal(language) : describe(workload) };
}

/** The pod that needs help most. */
function ofPods(pods: readonly KubeObject[], input: ExplainInput): Behind | undefined {
  const troubled = pods.flatMap((pod) => {
    const isGoing = pod.metadata.deletionTimestamp !== undefined;
    const trouble = isGoing ? { reason: 'Terminating', message: 'is being deleted', isStuck: false } : troubleOf(pod, input);
    return trouble ? [{ pod, trouble }] : [];
  });
  const [worst] = troubled.toSorted((a, b) => Number(b.trouble.isStuck) - Number(a.trouble.isStuck));
  if (!worst) return undefined;
  const { pod, trouble } = worst;
  const why = `pod ${pod.metadata.name}: ${trouble.message}`;
  return {
    reason: trouble.reason,
    why,
    words: pod.metadata.name,
    since: unreadySince(pod),
    toDo: toDoAboutPod(pod, trouble, input.language),
  };
}

function ofNothing(workload: KubeObject, { language }: ExplainInput): Behind {
  const why = 'Kubernetes has not created the others, and no event says why';
  const since = workload.metadata.creationTimestamp ?? '';
  return { reason: 'NoPods', why, words: why, since, toDo: textsIn(language).noPods(describe(workload)) };
}

const describe = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  `kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`;
