import { ask, PLATFORMS, platformOf, sidecar } from '../api/sidecars.ts';
import { Denied } from './denied.ts';
import { annotationsOf, labelsOf, type Pod } from './pod.ts';
import type { JsonObject } from './shapes.ts';

/** Keys by which a pod asks for something. All are Fluid's. */
export const injectionKeys = {
  ...ask,
  platform: sidecar.platform,
  cacheDirectories: 'cachedir.sidecar.fluid.io/inject',
  clientCheck: 'fuse.sidecar.poststart.fluid.io/inject',
  applicationCheck: 'app.poststart.fluid.io/inject',
  skipPrecheck: 'sidecar.fluid.io/skip-precheck',
  done: sidecar.done,
} as const;

/** The requests of a pod, by its labels and annotations. */
export type Mode = 'serverless' | 'serverful' | 'none';

interface ModeSettings {
  readonly disabled: boolean;
  readonly platformLabel?: string;
}

/** The mode that labels ask for; their values may have any shape. threat-model: R-pod-request */
export function modeOf(labels: JsonObject, { disabled, platformLabel }: ModeSettings): Mode {
  if (disabled || labels[injectionKeys.injection] === 'false' || labels[injectionKeys.done] === 'true') return 'none';
  const isByPlatform = platformLabel !== undefined && Object.hasOwn(labels, platformLabel);
  if (isByPlatform || labels[injectionKeys.serverless] === 'true' || labels[injectionKeys.fuseSidecar] === 'true') return 'serverless';
  return labels[injectionKeys.serverful] === 'true' ? 'serverful' : 'none';
}

/** Reads them from the labels and annotations of a pod. */
export interface InjectionOptions {
  readonly mode: Mode;
  readonly platform: (typeof PLATFORMS)[number];
  readonly keepsCaches: boolean;
  readonly checksClient: boolean;
  readonly checksApplication: boolean;
  readonly skipsPrecheck: boolean;
}

/** @throws Denied for a platform that does not exist, and for two labels that name one */
export function injectionOptionsOf(pod: Pod, mode: Mode, platformLabel: string | undefined): InjectionOptions {
  const labels = labelsOf(pod);
  const annotations = annotationsOf(pod);
  return {
    mode,
    platform: mode === 'serverless' ? knownPlatformOf(pod, platformLabel) : 'default',
    keepsCaches: labels[injectionKeys.cacheDirectories] === 'true',
    checksClient: labels[injectionKeys.clientCheck] !== 'false',
    checksApplication: labels[injectionKeys.applicationCheck] === 'true',
    skipsPrecheck: annotations[injectionKeys.skipPrecheck] === 'true',
  };
}

function knownPlatformOf(pod: Pod, platformLabel: string | undefined): InjectionOptions['platform'] {
  const labels = labelsOf(pod);
  const isByLabel = platformLabel !== undefined && labels[platformLabel] !== undefined;
  if (isByLabel && labels[injectionKeys.serverless] === 'true')
    throw new Denied(`metadata.labels: expected one of ${injectionKeys.serverless} and ${platformLabel}, found both`);
  const unprivileged = labels[injectionKeys.unprivileged];
  // Any other text would give the pod a privileged client, which its user did not mean.
  if (unprivileged !== undefined && unprivileged !== 'true' && unprivileged !== 'false')
    throw new Denied(`metadata.labels[${injectionKeys.unprivileged}]: expected true or false, found ${JSON.stringify(unprivileged)}`);
  const found = platformOf(labels, annotationsOf(pod), platformLabel);
  const platform = PLATFORMS.find((each) => each === found);
  if (platform !== undefined) return platform;
  const where = isByLabel ? `metadata.labels[${platformLabel}]` : `metadata.annotations[${injectionKeys.platform}]`;
  throw new Denied(`${where}: expected ${PLATFORMS.join(' or ')}, found ${JSON.stringify(found)}`);
}
