import { Malformed } from './malformed.ts';
import { valuesIn } from './size.ts';

/** An answer to a request over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * A request as `read` understands its text, or the answer to one that is too large or no review.
 * @param most values in its JSON, counted before it is parsed
 */
export function requestIn<T extends object>(text: string, most: number, read: (text: string) => T): T | HttpAnswer {
  if (valuesIn(text, most) > most) return { status: 413, body: `body: expected at most ${most} values, found more\n` };
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { status: 400, body: `${error.message}\n` };
  }
}
