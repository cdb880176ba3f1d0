import { redactedText } from '../../api/redact.ts';
import { timestamp } from '../../kube/clock.ts';

/** A condition without its times. */
export interface UntimedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}
/** Limit of a message, which may quote a user's texts. Kubernetes' own conditions have 32,768 at most. */
const MOST_CHARACTERS = 8_192;

type Times = 'lastProbeTime' | 'lastUpdateTime';
type Condition = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * The list with `said` in it. A condition that already says the same stays as it is, times included, so that a second report of the same
 * is no write; `lastTransitionTime` changes only with the status. Runtimes have `lastProbeTime`, Datasets `lastUpdateTime`.
 * More people can read a status than the log, so the answers of commands and webhooks are redacted here, in one place.
 */
export function withCondition<C extends Condition>(
  conditions: readonly C[],
  unredacted: UntimedCondition,
  now: number,
  time: Times,
): readonly C[] {
  const said = { ...unredacted, message: redactedText(cut(unredacted.message)) };
  const before = conditions.find(({ type }) => type === said.type);
  if (before && before['status'] === said.status && before['reason'] === said.reason && before['message'] === said.message)
    return conditions;
  const at = timestamp(now);
  const transition = before?.['status'] === said.status ? before['lastTransitionTime'] : at;
  // The cast: both kinds of condition have exactly these fields and the one time.
  const condition = { ...said, [time]: at, lastTransitionTime: transition ?? at } as unknown as C;
  return before ? conditions.map((existing) => (existing === before ? condition : existing)) : [...conditions, condition];
}

/** The end goes, so that no secret is parted from the name by which it is redacted. */
const cut = (message: string): string => (message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)}…` : message);

export const withoutCondition = <C extends Condition>(conditions: readonly C[], type: string): readonly C[] =>
  conditions.some((condition) => condition.type === type) ? conditions.filter((condition) => condition.type !== type) : conditions;
