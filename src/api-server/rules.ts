import type { KubeObject } from '../kube/types.ts';
import { Refusal, type Target } from './refusals.ts';

/** Verbs of requests; `apply` is a PATCH by server-side apply. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete';
export const WRITES: readonly Verb[] = ['create', 'update', 'patch', 'apply', 'delete'];

/** A request of a client. */
export interface ApiRequest extends Target {
  readonly verb: Verb;
  readonly kind: string;
  /** Field manager of the client. */
  readonly manager: string;
  /** The object or the patch. */
  readonly body?: unknown;
  /** Query parameters, by name. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Which requests a rule applies to. A field that is absent matches all. */
export interface Match {
  /** One verb, or several. */
  readonly verb?: Verb | readonly Verb[] | undefined;
  /** One kind, or several. */
  readonly kind?: string | readonly string[] | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** `status`, for example. Empty: only the object itself. */
  readonly subresource?: string | undefined;
  /** Field manager of the client. */
  readonly manager?: string | undefined;
  /** Any other condition. */
  readonly when?: ((request: ApiRequest) => boolean) | undefined;
  /** How many requests the rule applies to. Default: all, until it is removed. */
  readonly times?: number | undefined;
}

/** The effect of a rule on a request. */
export interface Interference {
  /** Runs before the server acts. What it throws is the answer, and the server does nothing. */
  readonly before?: (request: ApiRequest) => void | Promise<void>;
  /** An admission webhook: returns what the server stores instead of the object. */
  readonly mutate?: (object: KubeObject, request: ApiRequest) => KubeObject;
  /** Runs once the server has acted. What it throws is the answer instead of the real one. */
  readonly after?: (request: ApiRequest) => void | Promise<void>;
}

/** A rule that was added. */
export interface RequestRule {
  /** Ends the rule. */
  remove(): void;
  /** How many requests it has applied to. */
  readonly met: number;
}
/** A rule that holds requests back. */
export interface HeldRequests extends RequestRule {
  /** Number of requests that wait. */
  readonly waiting: number;
  /** Lets all requests continue that wait, and removes the rule. */
  release(): void;
}
/** An answer with an error. */
export interface ErrorAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Kubernetes' reason: `Forbidden`. Absent: the answer has no Status object. */
  readonly reason?: string;
  /** Default: `refused`. */
  readonly message?: string;
}

/** The interference of a test with requests of clients. Every rule that matches applies, the newest first. */
export interface RequestRules {
  /** Adds a rule. */
  add(match: Match, interference: Interference): RequestRule;
  /** Answers with an error: `refuse({ kind: 'Secret' }, { status: 403, reason: 'Forbidden' })`. Default: 500 InternalError. */
  refuse(match: Match, answer?: ErrorAnswer): RequestRule;
  /** A mutating admission webhook. */
  mutate(match: Match, change: (object: KubeObject, request: ApiRequest) => KubeObject): RequestRule;
  /** The server acts so many milliseconds later. */
  delay(match: Match, ms: number): RequestRule;
  /** Requests wait before the server acts. */
  hold(match: Match): HeldRequests;
  /** Requests wait once the server has acted: their answers are on the way. */
  holdAnswers(match: Match): HeldRequests;
}

interface Standing extends Interference {
  readonly match: Match;
  met: number;
}

export interface RuleBook extends RequestRules {
  /** The rules that apply to a request; each is counted as met. */
  meeting(request: ApiRequest): readonly Interference[];
}

export function createRules(): RuleBook {
  const rules = new Set<Standing>();

  const add: RequestRules['add'] = (match, interference) => {
    const rule: Standing = { ...interference, match, met: 0 };
    rules.add(rule);
    return {
      remove: () => void rules.delete(rule),
      get met() {
        return rule.met;
      },
    };
  };
  function holding(match: Match, when: 'before' | 'after'): HeldRequests {
    const waiting = new Set<() => void>();
    const rule = add(match, { [when]: () => new Promise<void>((resolve) => waiting.add(resolve)) });
    return {
      remove: rule.remove,
      get met() {
        return rule.met;
      },
      get waiting() {
        return waiting.size;
      },
      release() {
        rule.remove();
        for (const go of waiting) go();
        waiting.clear();
      },
    };
  }

  return {
    add,
    refuse: (match, { status, reason, message = 'refused' } = { status: 500, reason: 'InternalError' }) =>
      add(match, {
        before: () => {
          throw new Refusal(status, reason, message);
        },
      }),
    mutate: (match, change) => add(match, { mutate: change }),
    delay: (match, ms) => add(match, { before: () => new Promise((resolve) => setTimeout(resolve, ms)) }),
    hold: (match) => holding(match, 'before'),
    holdAnswers: (match) => holding(match, 'after'),
    meeting(request) {
      const met = [...rules].filter(({ match }) => matches(match, request)).toReversed();
      for (const rule of met) if (++rule.met >= (rule.match.times ?? Infinity)) rules.delete(rule);
      return met;
    },
  };
}

export function matches(match: Match, request: ApiRequest): boolean {
  return (
    isAmong(match.verb, request.verb) &&
    isAmong(match.kind, request.kind) &&
    (match.namespace === undefined || match.namespace === request.namespace) &&
    (match.name === undefined || match.name === request.name) &&
    (match.subresource === undefined || match.subresource === (request.subresource ?? '')) &&
    (match.manager === undefined || match.manager === request.manager) &&
    (match.when?.(request) ?? true)
  );
}
const isAmong = (wanted: string | readonly string[] | undefined, found: string): boolean =>
  wanted === undefined || (typeof wanted === 'string' ? wanted === found : wanted.includes(found));
