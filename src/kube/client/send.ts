import { attempt, isDistrust, type Request, type Wire } from './attempt.ts';
import { backoff, sleep } from '../clock.ts';
import { apiErrorFrom, NoAnswer } from '../errors.ts';

/**
 * Sends, and retries if the request cannot have been carried out, or may be carried out twice.
 *
 * @param done called once at the end, with the HTTP status (0: no answer) and the number of retries
 * @throws ApiError, NoAnswer, NotLeader, or the signal's reason
 */
export async function send(wire: Wire, request: Request, done: (status: number, retries: number) => void): Promise<string> {
  for (let [retries, isRenewed] = [0, false]; ; retries++) {
    const mayRetry = retries < request.retries;
    try {
      const { status, text, retryAfterMs, later } = await attempt(wire, request);
      // Nothing was done: with another token, if there is one, it may be.
      if (status === 401 && wire.connection.refused && !isRenewed) {
        isRenewed = true;
        continue;
      }
      if (!later || !mayRetry) {
        done(status, retries);
        if (status >= 300) throw apiErrorFrom(request, status, text, { confidential: request.confidential, retryAfterMs });
        return text;
      }
      // A refusal that concerns all requests makes the limiter wait.
      if (!later.forAll) await sleep(wire.clock, Math.max(later.waitMs, backoff(retries + 1, wire.clock.random)), request.signal);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (!mayRetry || !isHarmlessToRepeat(request, error)) {
        done(0, retries);
        throw error;
      }
      await sleep(wire.clock, backoff(retries + 1, wire.clock.random), request.signal);
    }
  }
}

/**
 * A timeout is not repeated: the caller has waited long enough, and knows better whether it still wants the answer.
 * Nor is distrust: it will not be better a second later. Nor what is too large: the caller is to ask for less.
 */
function isHarmlessToRepeat({ method }: Request, { code, mayHaveArrived }: NoAnswer): boolean {
  if (code === 'TIMEOUT' || code === 'TOO_LARGE' || (code !== undefined && isDistrust(code))) return false;
  return !mayHaveArrived || method === 'GET';
}
