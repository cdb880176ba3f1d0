import { shown } from '../../api/index.ts';
import { sidecar } from '../../api/sidecars.ts';
import { Denied } from '../denied.ts';
import { annotationsOf, type Pod } from '../pod.ts';

/** Annotations by which a pod asks for its files to be read before it starts. All are Fluid's. */
export const prefetchKeys = {
  inject: 'file-prefetcher.fluid.io/inject',
  done: sidecar.prefetcherDone,
  image: 'file-prefetcher.fluid.io/image',
  fileList: 'file-prefetcher.fluid.io/file-list',
  async: 'file-prefetcher.fluid.io/async-prefetch',
  timeout: 'file-prefetcher.fluid.io/prefetch-timeout-seconds',
  extraEnvs: 'file-prefetcher.fluid.io/extra-envs',
} as const;

export interface PrefetchOptions {
  /** Absent: that of the webhook. */
  readonly image?: string;
  /** Absent: all files of all Datasets of the pod. */
  readonly fileList?: string;
  /** The application does not wait. */
  readonly isAsync: boolean;
  /** How long the application waits at most, s. */
  readonly timeoutSeconds: number;
  readonly extraEnvs: readonly { readonly name: string; readonly value: string }[];
}

/** The settings of a file list for all files. */
const ALL = '<ALL>';
/** White space by Go's definition, too: the API server accepts none around an image, the kubelet none within. */
const SPACE = /[\s\u0085]/;
const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 86_400;

/** threat-model: R-pod-request */
export const wantsPrefetch = (pod: Pod): boolean =>
  annotationsOf(pod)[prefetchKeys.inject] === 'true' && annotationsOf(pod)[prefetchKeys.done] !== 'true';

/** @throws Denied that names the annotation, what was expected and what was found */
export function prefetchOptionsOf(pod: Pod): PrefetchOptions {
  const { [prefetchKeys.image]: image, [prefetchKeys.fileList]: list, ...annotations } = annotationsOf(pod);
  if (image === '' || (image !== undefined && SPACE.test(image))) throw wrong(prefetchKeys.image, 'an image, without spaces', image);
  return {
    ...(image !== undefined && { image }),
    ...(list !== undefined && list !== ALL && { fileList: list }),
    isAsync: booleanOf(annotations[prefetchKeys.async] ?? 'false'),
    timeoutSeconds: secondsOf(annotations[prefetchKeys.timeout] ?? String(DEFAULT_SECONDS)),
    extraEnvs: extraEnvsOf(annotations[prefetchKeys.extraEnvs] ?? ''),
  };
}

export const wrong = (annotation: string, expected: string, found: string): Denied =>
  new Denied(`metadata.annotations[${annotation}]: expected ${expected}, found ${shown(found)}`);

/** As Go's strconv.ParseBool, which Fluid uses. */
function booleanOf(text: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw wrong(prefetchKeys.async, 'true or false', text);
}

function secondsOf(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
  if (seconds > MOST_SECONDS) throw wrong(prefetchKeys.timeout, `a whole number of seconds from 0 to ${MOST_SECONDS}`, text);
  return seconds;
}

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,252}$/;
/** The container gets these anyway. */
const OWN = /^FILE_PREFETCHER_/;

/** `NAME=value` separated by spaces. A value may hold `=`, and spaces between double quotes. */
function extraEnvsOf(text: string): PrefetchOptions['extraEnvs'] {
  const expected = 'NAME=value, separated by spaces, values with spaces in double quotes';
  if (text.split('"').length % 2 === 0) throw wrong(prefetchKeys.extraEnvs, expected, text);
  const words = text.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const found = new Map(
    words.map((word) => {
      const at = word.indexOf('=');
      const name = word.slice(0, Math.max(0, at));
      if (!ENV_NAME.test(name)) throw wrong(prefetchKeys.extraEnvs, expected, word);
      if (OWN.test(name)) throw wrong(prefetchKeys.extraEnvs, 'names other than those of the prefetcher', name);
      return [name, word.slice(at + 1).replaceAll('"', '')] as const;
    }),
  );
  return [...found].map(([name, value]) => ({ name, value }));
}
