import { PLATFORMS, sidecar } from '../api/sidecars.ts';
import { annotationsOf, labelsOf, type Pod } from './pod.ts';
import { Denied } from './denied.ts';

/** Keys by which a pod asks for something. All are Fluid's. */
export const wish = {
  serverless: 'serverless.fluid.io/inject',
  /** The older name of it. */
  fuseSidecar: 'fuse.sidecar.fluid.io/inject',
  serverful: 'fuse.serverful.fluid.io/inject',
  unprivileged: 'unprivileged.sidecar.fluid.io/inject',
  platform: sidecar.platform,
  cacheDirectories: 'cachedir.sidecar.fluid.io/inject',
  clientCheck: 'fuse.sidecar.poststart.fluid.io/inject',
  applicationCheck: 'app.poststart.fluid.io/inject',
  skipPrecheck: 'sidecar.fluid.io/skip-precheck',
  injection: 'fluid.io/enable-injection',
  done: sidecar.done,
} as const;

/** What the labels and annotations of a pod ask for. */
export interface Wishes {
  readonly mode: 'serverless' | 'serverful' | 'none';
  readonly platform: (typeof PLATFORMS)[number];
  readonly keepsCaches: boolean;
  readonly checksClient: boolean;
  readonly checksApplication: boolean;
  readonly skipsPrecheck: boolean;
}

/**
 * @param platformLabel the key that KEY_SERVERLESS_PLATFORM names
 * @throws Denied for a platform that does not exist, and for two labels that name one
 */
export function wishesOf(pod: Pod, platformLabel: string | undefined): Wishes {
  const labels = labelsOf(pod);
  const annotations = annotationsOf(pod);
  const byLabel = platformLabel === undefined ? undefined : labels[platformLabel];
  const isServerless = labels[wish.serverless] === 'true' || labels[wish.fuseSidecar] === 'true' || byLabel !== undefined;
  if (byLabel !== undefined && labels[wish.serverless] === 'true')
    throw new Denied(`metadata.labels: expected one of ${wish.serverless} and ${platformLabel}, found both`);
  return {
    mode: isServerless ? 'serverless' : labels[wish.serverful] === 'true' ? 'serverful' : 'none',
    platform: isServerless ? platformOf(labels, annotations, byLabel, platformLabel) : 'default',
    keepsCaches: labels[wish.cacheDirectories] === 'true',
    checksClient: labels[wish.clientCheck] !== 'false',
    checksApplication: labels[wish.applicationCheck] === 'true',
    skipsPrecheck: annotations[wish.skipPrecheck] === 'true',
  };
}

type Texts = Readonly<Record<string, string>>;

function platformOf(labels: Texts, annotations: Texts, byLabel: string | undefined, platformLabel = ''): Wishes['platform'] {
  if (labels[wish.unprivileged] === 'true') return 'unprivileged';
  const where = byLabel === undefined ? `metadata.annotations[${wish.platform}]` : `metadata.labels[${platformLabel}]`;
  // The annotation belongs to the label of today; the older one knows these two platforms only, as in Fluid.
  const found = byLabel ?? (labels[wish.serverless] === 'true' ? annotations[wish.platform] : undefined) ?? 'default';
  const platform = PLATFORMS.find((each) => each === found);
  if (platform === undefined) throw new Denied(`${where}: expected ${PLATFORMS.join(' or ')}, found ${JSON.stringify(found)}`);
  return platform;
}
