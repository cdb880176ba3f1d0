import type { DatasetSpec } from './dataset.ts';
import { type Fault, shown } from './errors.ts';

const SCHEME = 'dataset://';
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** Linux takes no longer path. */
const LONGEST_PATH = 4096;

/** The target of a mount `dataset://<namespace>/<name>[/<path>]`. */
export interface DatasetReference {
  readonly namespace: string;
  readonly name: string;
  /** Path within the other Dataset, without a slash at either end; empty: all of it. */
  readonly subPath: string;
}

/**
 * The mount point by which a Dataset refers to another one; undefined if it does not.
 * @example
 * referenceIn({ mounts: [{ mountPoint: 'dataset://ml/images' }] }); // → 'dataset://ml/images'
 * referenceIn({ mounts: [{ mountPoint: 's3://images' }] }); // → undefined
 */
export const referenceIn = ({ mounts = [] }: DatasetSpec): string | undefined =>
  mounts.find(({ mountPoint }) => mountPoint.startsWith(SCHEME))?.mountPoint;

/**
 * Parses `dataset://<namespace>/<name>[/<path>]`. For any other text it returns what was expected and found: the path is mounted on nodes,
 * and must not lead out of the Dataset.
 * @example
 * parseReference('dataset://ml/images/train'); // → { namespace: 'ml', name: 'images', subPath: 'train' }
 * parseReference('dataset://ml/images/../x'); // → { expected: 'a path without ".." after dataset://ml/images/', found: '"../x"' }
 */
export function parseReference(mountPoint: string): DatasetReference | Pick<Fault, 'expected' | 'found'> {
  const [namespace = '', name = '', ...rest] = mountPoint.slice(SCHEME.length).split('/');
  const path = rest.join('/');
  if (!mountPoint.startsWith(SCHEME) || !NAMESPACE.test(namespace) || !NAME.test(name))
    return { expected: `${SCHEME}<namespace>/<name>, or a path after it`, found: shown(mountPoint) };
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const wrong = path.startsWith('/')
    ? 'a relative path'
    : parts.includes('..')
      ? 'a path without ".."'
      : path.length > LONGEST_PATH
        ? `a path of at most ${LONGEST_PATH} characters`
        : [...path].some(isControl)
          ? 'a path without control characters'
          : undefined;
  if (wrong !== undefined) return { expected: `${wrong} after ${SCHEME}${namespace}/${name}/`, found: shown(path) };
  return { namespace, name, subPath: parts.join('/') };
}

const isControl = (character: string): boolean => character < ' ' || character === '\u007f';
