/**
 * Names of what the webhook puts into a pod that asks for sidecars, all of them Fluid's. The controller recognizes these containers by
 * their exact names and by the webhook's record: a user's container `my-fluid-fuse` is a user's.
 */
export const sidecar = {
  /** A label of pods that have their sidecars: `true`. */
  done: 'done.sidecar.fluid.io/inject',
  /** With the name of a client's container, `fluid-fuse-0`: the label that says which Dataset it mounts. */
  datasetName: 'dataset-name.sidecar.fluid.io/',
  datasetNamespace: 'dataset-namespace.sidecar.fluid.io/',
  /** The annotation and the label that name the platform. */
  platform: 'serverless.fluid.io/platform',
  prefetcher: 'fluid-file-prefetcher',
  /** An annotation of pods that have the prefetcher: `true`. */
  prefetcherDone: 'file-prefetcher.fluid.io/inject-done',
  /** Where the prefetcher writes its result. */
  prefetcherStatus: '/tmp/fluid-file-prefetcher/status',
} as const;

/** Labels of a pod by which the API server chooses what to ask the webhook about, `true` each but for the last. */
export const ask = {
  serverless: 'serverless.fluid.io/inject',
  /** The older name of it. */
  fuseSidecar: 'fuse.sidecar.fluid.io/inject',
  serverful: 'fuse.serverful.fluid.io/inject',
  unprivileged: 'unprivileged.sidecar.fluid.io/inject',
  /** `false`: the pod stays as it is. */
  injection: 'fluid.io/enable-injection',
} as const;

/** The platforms of sidecars. */
export const PLATFORMS = ['default', 'unprivileged'] as const;

type Texts = Readonly<Record<string, string>>;

/**
 * The platform of a pod's sidecars as its user named it, which may be none of Sluice's. The annotation belongs to the label of today: the
 * older label knows Sluice's platforms only, as in Fluid.
 * @param platformLabel the key that KEY_SERVERLESS_PLATFORM names
 * threat-model: R-pod-request
 */
export function platformOf(labels: Texts, annotations: Texts, platformLabel: string | undefined): string {
  if (labels[ask.unprivileged] === 'true') return 'unprivileged';
  const byLabel = platformLabel === undefined ? undefined : labels[platformLabel];
  if (byLabel !== undefined) return byLabel;
  const isOlder = labels[ask.fuseSidecar] === 'true' && labels[ask.serverless] !== 'true';
  return (isOlder ? undefined : annotations[sidecar.platform]) ?? 'default';
}

/** The container of a pod's client with this number. Further containers of the client have its name, a hyphen, and their own. */
export const clientName = (number: number): string => `fluid-fuse-${number}`;

const CLIENT = /^fluid-fuse-(0|[1-9]\d{0,5})(?:-.+)?$/;

/** The number of the client that a container belongs to, by its name; undefined if the name is no client's. */
export function clientNumber(container: string): number | undefined {
  const digits = CLIENT.exec(container)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A runtime's settings for its FUSE client in a pod of a user, in place of a fuse pod: the annotation `data.fluid.io/sidecar`, as JSON. */
export interface SidecarNote {
  /** Names of volumes that hold cache. A sidecar has them only if its user asks for it. */
  readonly caches: readonly string[];
  /** Why the client cannot be a sidecar: `it needs the session manager of its node`. */
  readonly refused?: string;
}

/** The fields of a fuse DaemonSet's pods that the webhook gives to pods of users. Others may add other fields, such as a toleration. */
const VERIFIED_FIELDS = [
  'containers',
  'initContainers',
  'volumes',
  'imagePullSecrets',
  'resources',
  'securityContext',
  'nodeSelector',
] as const;
/** These fields of a pod spec. */
export const verifiedFieldsOf = (spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(VERIFIED_FIELDS.map((field) => [field, spec[field]]));
