import type { SecretState } from '../../../planning/facts.ts';
import type { Monotonic } from '../../../kube/clock.ts';
import type { ClaimFact } from '../../../constructs/index.ts';

/** For which runtime something is looked up. What was found is forgotten when the specs that it was found for change. */
export interface Asker {
  readonly uid: string;
  readonly generations: string;
  /**
   * When the specs came to be, ms since the epoch by the API server's clock; infinite if nobody knows. What was read for another runtime
   * before that is no answer: it may be gone since. Absent: an answer from before will do.
   */
  readonly since?: number;
}
/** The last answer to one question. */
export interface Answer {
  readonly state: SecretState | ClaimFact | readonly string[];
  /** In a row that found it missing. */
  readonly tries: number;
  /** Monotonic, in ms. */
  readonly at: number;
  readonly message?: string;
  /** The value of a claim's label `fluid.io/managed-by`. */
  manager?: string | undefined;
}

/** Answers to the look-ups of each runtime. */
export interface LookupMemory {
  /** Answers by question. Empty after a change of the specs, and once answers that no plan accepted are due again. */
  answersFor(asker: Asker): Map<string, Answer>;
  answer(uid: string, question: string): Answer | undefined;
  /** No plan accepts the answers. Returns in how many ms they are looked up again; undefined if nothing was looked up. */
  refused(asker: Asker): number | undefined;
  accepted(uid: string): void;
  forget(uid: string): void;
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** How long until the next try, after so many in a row. */
export const retryAfterMs = (tries: number): number => Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1));

interface Known {
  readonly generations: string;
  readonly answers: Map<string, Answer>;
  refusals: number;
  /** From then on the answers are looked up again. */
  staleAt: number;
}

export function createLookupMemory(clock: Monotonic): LookupMemory {
  // By UID of the runtime.
  const known = new Map<string, Known>();
  return {
    answersFor({ uid, generations }) {
      const before = known.get(uid);
      if (before?.generations !== generations) {
        const answers = new Map<string, Answer>();
        known.set(uid, { generations, answers, refusals: 0, staleAt: Infinity });
        return answers;
      }
      if (clock.monotonic() >= before.staleAt) {
        before.answers.clear();
        before.staleAt = Infinity;
      }
      return before.answers;
    },
    answer: (uid, question) => known.get(uid)?.answers.get(question),
    refused({ uid, generations }) {
      const found = known.get(uid);
      if (found?.generations !== generations || found.answers.size === 0) return undefined;
      // A plan that is computed again before that, for another reason, is no further try.
      if (found.staleAt === Infinity) found.staleAt = clock.monotonic() + retryAfterMs(++found.refusals);
      return Math.max(0, found.staleAt - clock.monotonic());
    },
    accepted(uid) {
      const found = known.get(uid);
      if (found) Object.assign(found, { refusals: 0, staleAt: Infinity });
    },
    forget: (uid) => void known.delete(uid),
  };
}
