import type { Pod } from '../pod.ts';
import { type Fields, isRecord } from '../shapes.ts';
import { patchOf } from './patch.ts';

const VERSIONS = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'] as const;

/** A request for admission, of which only the envelope has been checked. */
export interface Review {
  readonly apiVersion: string;
  readonly uid: string;
  readonly namespace: string;
  /** What is created; undefined if it is not the creation of a pod. */
  readonly object: unknown;
}

/** A text is not what it should be; the message names the field, what was expected and what was found. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

function expect(holds: boolean, field: string, expected: string, found: unknown): asserts holds {
  if (!holds) throw new Malformed(`${field}: expected ${expected}, found ${foundOf(found)}`);
}

/** Never more than a short text: what is in a pod may be secret, or nested too deeply to be printed. */
function foundOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
}

/** @throws Malformed */
export function reviewIn(text: string): Review {
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
  const { uid, namespace = '', operation, object } = request;
  expect(typeof uid === 'string' && uid !== '', 'request.uid', 'a text', uid);
  expect(typeof namespace === 'string', 'request.namespace', 'a text', namespace);
  const isOurs = operation === 'CREATE' && (request['subResource'] ?? '') === '' && isPods(request['resource']);
  return { apiVersion: String(apiVersion), uid, namespace, object: isOurs ? object : undefined };
}

const isPods = (resource: unknown): boolean =>
  isRecord(resource) && (resource['group'] ?? '') === '' && resource['version'] === 'v1' && resource['resource'] === 'pods';

/**
 * The pod, if every part that an admission looks at has its type. The API server checks the rest.
 * @throws Malformed
 */
export function podIn(object: unknown): Pod {
  expect(isRecord(object), 'object', 'a Pod', object);
  const { metadata, spec } = object;
  expect(isRecord(metadata), 'metadata', 'an object', metadata);
  for (const field of ['labels', 'annotations']) checkTexts(metadata[field], `metadata.${field}`);
  for (const field of ['name', 'generateName', 'namespace'])
    expect(['string', 'undefined'].includes(typeof metadata[field]), `metadata.${field}`, 'a text', metadata[field]);
  expect(isRecord(spec), 'spec', 'an object', spec);
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    checkList(spec[field], `spec.${field}`, (container, at) => {
      for (const list of ['env', 'envFrom', 'volumeMounts', 'volumeDevices', 'ports']) checkList(container[list], `${at}.${list}`);
    });
  }
  checkList(spec['volumes'], 'spec.volumes', (volume, at) => {
    const claim = volume['persistentVolumeClaim'];
    if (claim === undefined) return;
    expect(isRecord(claim), `${at}.persistentVolumeClaim`, 'an object', claim);
    expect(typeof claim['claimName'] === 'string', `${at}.persistentVolumeClaim.claimName`, 'a text', claim['claimName']);
  });
  // The cast: what was checked is what admissions look at.
  return object as unknown as Pod;
}

function checkTexts(value: unknown, path: string): void {
  if (value === undefined) return;
  expect(isRecord(value), path, 'a map of texts', value);
  for (const [key, text] of Object.entries(value))
    expect(typeof text === 'string', `${path}[${JSON.stringify(key.slice(0, 80))}]`, 'a text', text);
}

function checkList(value: unknown, path: string, check?: (element: Fields, at: string) => void): void {
  if (value === undefined) return;
  expect(Array.isArray(value), path, 'a list', value);
  for (const [i, element] of value.entries()) {
    expect(isRecord(element), `${path}[${i}]`, 'an object', element);
    check?.(element, `${path}[${i}]`);
  }
}

/** What becomes of an admission. */
export type Verdict =
  | { readonly outcome: 'mutated'; readonly before: Pod; readonly after: Pod; readonly warnings?: readonly string[] }
  | { readonly outcome: 'unchanged'; readonly warnings?: readonly string[] }
  | { readonly outcome: 'denied' | 'failed'; readonly code: number; readonly reason: string; readonly message: string };

/** The AdmissionReview that answers this one, as JSON. */
export function answerTo({ apiVersion, uid }: Pick<Review, 'apiVersion' | 'uid'>, verdict: Verdict): string {
  return JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: { uid, ...responseOf(verdict) } });
}

function responseOf(verdict: Verdict): object {
  if (verdict.outcome === 'unchanged') return allowed(verdict);
  if (verdict.outcome === 'mutated') {
    const operations = patchOf(verdict.before, verdict.after);
    if (operations.length === 0) return allowed(verdict);
    return { ...allowed(verdict), patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
  }
  const { code, reason, message } = verdict;
  return { allowed: false, status: { code, reason, message } };
}

/** kubectl and other clients print the warnings. */
const allowed = ({ warnings = [] }: { readonly warnings?: readonly string[] }): object => ({
  allowed: true,
  ...(warnings.length > 0 && { warnings }),
});
