import type { Pod } from '../pod.ts';
import { isRecord, type JsonObject } from '../shapes.ts';
import { expect, Malformed } from './malformed.ts';
import { patchOf } from './patch.ts';

const VERSIONS = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'] as const;

/** A request for admission, of which only the envelope has been checked. */
export interface Review {
  readonly apiVersion: string;
  readonly uid: string;
  readonly namespace: string;
  /** The pod that is created; undefined if the request creates none. */
  readonly object: unknown;
}

/** The parts that every request has. */
export interface Envelope extends Omit<Review, 'object'> {
  readonly request: JsonObject;
}

/** @throws Malformed */
export function reviewIn(text: string): Review {
  const { request, ...envelope } = envelopeIn(text);
  const isOurs = request['operation'] === 'CREATE' && (request['subResource'] ?? '') === '' && isPods(request['resource']);
  return { ...envelope, object: isOurs ? request['object'] : undefined };
}

/** threat-model: R-admission-request. @throws Malformed */
export function envelopeIn(text: string): Envelope {
  let review: unknown;
  try {
    review = JSON.parse(text);
  } catch {
    // The parser's message would quote the pod.
    throw new Malformed('body: expected an AdmissionReview as JSON, found another text');
  }
  expect(isRecord(review), 'body', 'an AdmissionReview', review);
  const { apiVersion, kind, request } = review;
  expect(kind === 'AdmissionReview', 'kind', 'AdmissionReview', kind);
  expect(
    VERSIONS.some((version) => version === apiVersion),
    'apiVersion',
    VERSIONS.join(' or '),
    apiVersion,
  );
  expect(isRecord(request), 'request', 'an object', request);
  const { uid, namespace = '' } = request;
  expect(typeof uid === 'string' && uid !== '', 'request.uid', 'a text', uid);
  expect(typeof namespace === 'string', 'request.namespace', 'a text', namespace);
  return { apiVersion: String(apiVersion), uid, namespace, request };
}

const isPods = (resource: unknown): boolean =>
  isRecord(resource) && (resource['group'] ?? '') === '' && resource['version'] === 'v1' && resource['resource'] === 'pods';

/** The result of an admission. */
export type AdmissionOutcome =
  | { readonly outcome: 'mutated'; readonly before: Pod; readonly after: Pod; readonly warnings?: readonly string[] }
  | { readonly outcome: 'unchanged' | 'failed'; readonly warnings?: readonly string[] }
  | {
      readonly outcome: 'denied' | 'failed';
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      /** metav1.StatusDetails: the fields. */
      readonly details?: object;
      readonly warnings?: readonly string[];
    };

/** The AdmissionReview that answers this one, as JSON. */
export function answerTo({ apiVersion, uid }: Pick<Review, 'apiVersion' | 'uid'>, verdict: AdmissionOutcome): string {
  return JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: { uid, ...responseOf(verdict) } });
}

function responseOf(verdict: AdmissionOutcome): object {
  if ('code' in verdict) {
    const { code, reason, message, details, warnings } = verdict;
    return { ...answered(false, warnings), status: { code, reason, message, ...(details && { details }) } };
  }
  if (verdict.outcome === 'mutated') {
    const operations = patchOf(verdict.before, verdict.after);
    if (operations.length === 0) return allowed(verdict);
    return { ...allowed(verdict), patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
  }
  return allowed(verdict);
}

const allowed = ({ warnings }: { readonly warnings?: readonly string[] }): object => answered(true, warnings);
/** kubectl and other clients print the warnings. */
const answered = (isAllowed: boolean, warnings: readonly string[] = []): object => ({
  allowed: isAllowed,
  ...(warnings.length > 0 && { warnings }),
});
