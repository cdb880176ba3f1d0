import type { Status } from '../api/index.ts';

/** Which request an error is about. */
export interface RequestName {
  readonly method: string;
  /** With the query. Never the body: it may hold a Secret. */
  readonly path: string;
}

/** The API server (or a proxy before it) answered, and the answer is no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, or the code of an ERROR event in a watch. */
  readonly status: number;
  /** Status.reason, such as NotFound, Conflict, AlreadyExists, Expired. */
  readonly reason: string | undefined;
  readonly body: Status | undefined;
  readonly method: string;
  readonly path: string;
  /** How long the server asked us to stay away, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    request: RequestName,
    status: number,
    message: string,
    { body, retryAfterMs }: { body?: Status; retryAfterMs?: number } = {},
  ) {
    super(`${request.method} ${request.path}: ${status}${body?.reason ? ` ${body.reason}` : ''}${message ? `: ${message}` : ''}`);
    this.status = status;
    this.reason = body?.reason;
    this.body = body;
    this.method = request.method;
    this.path = request.path;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came: connection refused or reset, timeout, not HTTP. The cause has the detail. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /**
   * The code of the socket or of undici, such as ECONNREFUSED, UND_ERR_SOCKET; TIMEOUT when we gave up waiting, TOO_LARGE when we gave up
   * reading.
   */
  readonly code: string | undefined;
  /** False only when it is certain that the server never saw the request. */
  readonly mayHaveArrived: boolean;

  constructor(request: RequestName, cause: unknown, { code, mayHaveArrived }: { code?: string | undefined; mayHaveArrived: boolean }) {
    super(`${request.method} ${request.path}: ${cause instanceof Error ? cause.message || code : String(cause)}`, { cause });
    this.code = code;
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** A write was about to be sent by a process that may no longer be the leader. */
export class NotLeader extends Error {
  override readonly name = 'NotLeader';

  constructor({ method, path }: RequestName) {
    super(`${method} ${path}: not sent, the lease was not renewed in time`);
  }
}

const isApiError = (error: unknown): error is ApiError => error instanceof ApiError;

export const isNotFound = (error: unknown): error is ApiError => isApiError(error) && error.status === 404;
/** No object of that name is there. Of a kind that the server does not know, or not yet, it says nothing: its 404 names no object. */
export const isAbsent = (error: unknown): boolean => isNotFound(error) && error.body?.details?.name !== undefined;
/** For `catch`: an object that is not there is nothing. */
export const ignoreNotFound = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};
/** The server did not answer, or has too much to do: the same may be answered later. */
export const mayPass = (error: unknown): boolean =>
  error instanceof NoAnswer || (isApiError(error) && (error.status >= 500 || error.status === 429));
/** There is more of it than was to be read. */
export const isTooLarge = (error: unknown): boolean => error instanceof NoAnswer && error.code === 'TOO_LARGE';
/** By RBAC, or by an admission policy. */
export const isForbidden = (error: unknown): error is ApiError => isApiError(error) && error.status === 403;
/** Whether a creation was refused since its namespace is gone, or going (403 with cause NamespaceTerminating). */
export const isNoNamespace = (error: unknown): boolean =>
  isNotFound(error) ||
  (isForbidden(error) && Boolean(error.body?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating')));
/** By RBAC alone, whose words these are: an admission policy or a quota, which answers 403 too, has others. */
export const lacksRight = (error: unknown): error is ApiError =>
  isForbidden(error) && / cannot [a-z]+ resource "/.test(error.body?.message ?? error.message);
/**
 * The object changed meanwhile, is another one by now, or another manager owns the field: look again. So is a JSON
 * Patch whose `test` did not hold, which the API server answers with 422. Creating what exists is `isAlreadyExists`.
 */
export const isConflict = (error: unknown): error is ApiError =>
  isApiError(error) && ((error.status === 409 && error.reason !== 'AlreadyExists') || isPatchOnSomethingElse(error));
export const isAlreadyExists = (error: unknown): error is ApiError => isApiError(error) && error.reason === 'AlreadyExists';
/** The resourceVersion or continue token is older than what the server remembers. */
export const isExpired = (error: unknown): error is ApiError => isApiError(error) && (error.status === 410 || error.reason === 'Expired');
/** The object itself is refused: only an edit can help. */
export const isInvalid = (error: unknown): error is ApiError =>
  isApiError(error) && (error.status === 400 || (error.status === 422 && !isPatchOnSomethingElse(error)));

/** apiserver patch.go answers a JSON Patch that does not apply without naming any object; an invalid result names it. */
const isPatchOnSomethingElse = ({ status, method, body }: ApiError): boolean =>
  status === 422 && method === 'PATCH' && body !== undefined && body.details?.name === undefined && body.details?.causes === undefined;

/** Never longer, so that a proxy's error page does not fill a log. */
const LONGEST_EXCERPT = 200;

/**
 * The error for an answer of 400 and above, readable also when it comes from a proxy that knows no Status.
 *
 * @param confidential the body may quote what was sent (Secrets): keep the reason, drop every word of it
 */
export function apiErrorFrom(
  request: RequestName,
  status: number,
  text: string,
  { confidential = false, retryAfterMs }: { confidential?: boolean; retryAfterMs?: number | undefined } = {},
): ApiError {
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  const body = statusIn(text);
  if (confidential) {
    const known: Status = { ...(body?.reason && { reason: body.reason }), ...(body?.code && { code: body.code }) };
    return new ApiError(request, status, '(message withheld: it may quote a Secret)', { body: known, ...wait });
  }
  if (body) return new ApiError(request, status, body.message ?? '', { body, ...wait });
  return new ApiError(request, status, excerpt(text), wait);
}

/** The Status that an answer is, if it is one. */
export function statusIn(text: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    // The kind was checked; a Status has only optional fields.
    return isObject(parsed) && parsed['kind'] === 'Status' ? (parsed as Status) : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Words of an error page: tags and runs of white space removed. */
function excerpt(text: string): string {
  const words = text
    .slice(0, 4096)
    .replace(/<style[^<]*<\/style>|<[^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > LONGEST_EXCERPT ? `${words.slice(0, LONGEST_EXCERPT)}…` : words;
}

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
