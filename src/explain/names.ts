import { type CustomResource, Dataset, GROUP, operationKinds } from '../api/index.ts';
import type { Runtime } from '../constructs/index.ts';

/** Nothing is called what was asked for, or its kind has no explanation. */
export class UnknownSubject extends Error {}

/** An argument of `explain`. */
export interface AskedName {
  /** As it was typed. */
  readonly text: string;
  readonly name: string;
  /** Absent: of any kind. */
  readonly kind?: string;
}

type Known = Pick<CustomResource, 'kind' | 'plural' | 'singular' | 'shortNames'>;
/** Kinds of Kubernetes from which a way leads to a Dataset. */
const KUBERNETES: readonly Known[] = [
  { kind: 'Pod', plural: 'pods', shortNames: ['po'] },
  { kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', shortNames: ['pvc'] },
  { kind: 'PersistentVolume', plural: 'persistentvolumes', shortNames: ['pv'] },
];
export const isOfKubernetes = ({ kind }: AskedName): boolean => KUBERNETES.some((known) => known.kind === kind);

/**
 * `demo`, or `<kind>/demo` with any name by which kubectl knows the kind: `alluxioruntime`, `alluxioruntimes.data.fluid.io`, `alluxio`.
 *
 * @throws UnknownSubject for another kind
 */
export function askedOf(text: string, runtimes: readonly Pick<Runtime, 'resource'>[]): AskedName {
  const slash = text.indexOf('/');
  if (slash < 0) return { text, name: text };
  const [word, name] = [text.slice(0, slash).toLowerCase(), text.slice(slash + 1)];
  const known = [...KUBERNETES, Dataset, ...operationKinds, ...runtimes.map(({ resource }) => resource)];
  const found = known.find((each) => wordsOf(each).includes(word.replace(`.${GROUP}`, '')));
  if (found) return { text, name, kind: found.kind };
  const kinds = known.map(({ kind }) => kind.toLowerCase()).join(', ');
  throw new UnknownSubject(`${text}: expected a kind, one of ${kinds}, or a name of one for kubectl; found ${word}`);
}

const wordsOf = ({ kind, plural, singular, shortNames = [] }: Known): readonly string[] => [
  kind.toLowerCase(),
  plural,
  ...(singular === undefined ? [] : [singular]),
  ...shortNames,
];
