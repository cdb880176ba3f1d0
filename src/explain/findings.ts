import { ownerUid } from '../api/index.ts';
import { redactedText } from '../api/redact.ts';
import type { KubeObject } from '../kube/types.ts';
import { objectText } from '../planning/key.ts';
import { causeIn, toDoAbout } from './advice.ts';
import { chainLines } from './chain-lines.ts';
import { eventLines } from './event-lines.ts';
import { type Condition, conditionsOf, isWellPhase, notesOf, wrongOf } from './conditions.ts';
import { type ExplainedCause, type Explanation, phaseText } from './finding.ts';
import { isOperation, type ExplainInput } from './gather.ts';
import { type Lack, lackBehind, lacksOf, withLacks } from './lacking.ts';
import { jobLines, workloadLines } from './pod-lines.ts';
import { routeFinding } from './route-findings.ts';
import { stuckCause } from './stuck.ts';
import type { Texts } from './texts/en.ts';
import { textsIn } from './texts/texts.ts';

/** One finding for each object, from its conditions, its workloads, its events and the operations before it; those of pods come first. */
export const findings = (input: ExplainInput): readonly Explanation[] => [
  ...(input.routes ?? []).map((route) => routeFinding(route, input)),
  ...input.objects.map((object) => findingOf(object, input)),
];

function findingOf(object: KubeObject, input: ExplainInput): Explanation {
  const texts = textsIn(input.language);
  const conditions = conditionsOf(object);
  const told = notesOf(object);
  const wrong = wrongOf(object);
  // `Ready` False and `NotReady` True are one thing; a reason may be the name of another condition, which says more.
  const apart = wrong.filter(
    ({ type, reason }) =>
      !(type === 'Ready' && wrong.some((other) => other.type === 'NotReady')) &&
      ![...wrong, ...told].some((other) => other.type === reason && other.type !== type),
  );
  const isOwn = (each: KubeObject) => ownerUid(each) === object.metadata.uid;
  const workloads = input.workloads.filter(isOwn);
  const jobs = input.jobs.filter(isOwn);
  const phase = phaseText(object, workloads.length > 0 ? texts.states.setUp : texts.states.unseen);
  const isSeen = phaseText(object) !== '' || conditions.length > 0;
  const isRuntime = !isOperation(object) && (workloads.length > 0 || conditions.some(({ type }) => type === 'Synced'));
  const isWell = isRuntime || isWellPhase(object, phase);
  const stuck = isOperation(object) ? stuckCause(object, { jobs, helpers: workloads }, input) : undefined;
  const lacks = isOperation(object) ? [] : lacksOf(object, input);
  const isLacking = lacks.some(({ isLasting }) => isLasting);
  const healthy = isSeen && wrong.length === 0 && isWell && !stuck && !isLacking;
  const ofConditions = [...apart, ...told].map((each) => causeOfCondition(each, object, input, lacks));
  const causes = [...(stuck ? [stuck] : []), ...withLacks(ofConditions, lacks)];
  const known = [...conditions, ...causes];
  return {
    object: objectText(object),
    phase: isRuntime ? stateOf(wrong, isLacking, texts) : phase,
    healthy,
    causes: healthy || causes.length > 0 ? causes : [isSeen ? silent(texts) : unseen(texts)],
    details: [
      ...scheduleLines(object),
      ...progressLines(object),
      ...jobs.flatMap((each) => jobLines(each, input, known)),
      ...workloads.flatMap((each) => workloadLines(each, input, known)),
      ...chainLines(object, input),
      ...eventLines(object, input, known),
    ],
  };
}

/** Troubles that a runtime may have although all of its objects are as its spec says. */
const AS_ITS_SPEC_SAYS: ReadonlySet<string> = new Set(['PodsCrashing', 'PodsRefused', 'PodsPending', 'DataUnavailable']);

function stateOf(wrong: readonly Condition[], isLacking: boolean, { states }: Texts): string {
  if (wrong.some(({ type }) => !AS_ITS_SPEC_SAYS.has(type))) return states.differs;
  return wrong.length > 0 || isLacking ? states.troubled : states.well;
}

const unseen = ({ seeController }: Texts): ExplainedCause => ({
  reason: 'NotSeen',
  message: 'no controller has written a status',
  toDo: seeController,
});
const silent = ({ askAgain }: Texts): ExplainedCause => ({ reason: 'Changing', message: 'no condition says why', toDo: askAgain });

function causeOfCondition(condition: Condition, object: KubeObject, input: ExplainInput, lacks: readonly Lack[]): ExplainedCause {
  const { type, reason = type, message = '', lastTransitionTime } = condition;
  const said = { type, reason, message };
  const times = lastTransitionTime && { since: lastTransitionTime };
  const lack = lackBehind(causeIn(said, object, input), lacks);
  if (!lack) return { reason: redactedText(reason), message: redactedText(message), ...times, toDo: toDoAbout(said, object, input) };
  const more = message.includes(lack.words) ? '' : `; ${lack.why}`;
  return { reason: redactedText(reason), message: `${redactedText(message)}${more}`, ...times, toDo: lack.cause.toDo };
}

/** When it runs, and has run. */
function scheduleLines({ spec, status }: KubeObject): readonly string[] {
  const { policy, schedule = '' } = (spec ?? {}) as { policy?: string; schedule?: string };
  if (policy !== 'Cron') return [];
  const { lastScheduleTime, lastSuccessfulTime } = (status ?? {}) as { lastScheduleTime?: string; lastSuccessfulTime?: string };
  const last = lastScheduleTime === undefined ? 'has not run yet' : `last due at ${lastScheduleTime}`;
  const well = lastSuccessfulTime === undefined ? '' : `, last complete at ${lastSuccessfulTime}`;
  return [`schedule ${redactedText(schedule)}, ${last}${well}`];
}

/** How far an operation is, as its engine reports it. */
function progressLines({ status }: KubeObject): readonly string[] {
  const { Progress, Step, Rate } = (status as { infos?: Readonly<Record<string, string>> } | undefined)?.infos ?? {};
  const said = [Progress, Step, Rate].filter((each) => each !== undefined);
  return said.length > 0 ? [`progress: ${redactedText(said.join(', '))}`] : [];
}
