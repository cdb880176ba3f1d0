import { type DatasetSpec, type Fault, type Mount, shown } from '../api/index.ts';
import { ignored, type Warning } from './warnings.ts';

const CLAIM = /^pvc:\/\/([a-z0-9][-.a-z0-9]*)(?:\/(.*))?$/;

/**
 * Claim and path of a mount point `pvc://<claim>[/<path>]`. Undefined for any other.
 * @example
 * claimOf('pvc://models/llama'); // → { claim: 'models', path: 'llama' }
 * claimOf('s3://models'); // → undefined
 */
export function claimOf(mountPoint: string): { readonly claim: string; readonly path: string } | undefined {
  const [, claim, path = ''] = CLAIM.exec(mountPoint) ?? [];
  return claim === undefined ? undefined : { claim, path };
}
/**
 * The claims that mounts `pvc://<claim>` of a Dataset name, each once: for `needs.claims`.
 * @example
 * claimNames({ mounts: [{ mountPoint: 'pvc://models' }, { mountPoint: 'pvc://models/llama' }] }); // → ['models']
 */
export const claimNames = ({ mounts = [] }: DatasetSpec): readonly string[] => [
  ...new Set(mounts.flatMap(({ mountPoint }) => claimOf(mountPoint)?.claim ?? [])),
];

/**
 * Where an engine that mounts by itself shows a mount: at its path if that is absolute, as in Fluid, or else at its name; without a name at `/`.
 * @example
 * shownAt({ mountPoint: 's3://bucket', name: 'images' }); // → '/images'
 */
export const shownAt = ({ path = '', name = '' }: Mount): string => (path.startsWith('/') ? path : `/${name.replace(/^\/+/, '')}`);
/**
 * Says that a path is not absolute, so that the mount is shown at its name. `field` names the mount.
 * @example
 * relativePath({ mountPoint: 's3://bucket', name: 'images', path: 'a' }, 'spec.mounts[0]').length; // → 1
 */
export const relativePath = ({ path = '', name = '' }: Mount, field: string): readonly Warning[] =>
  ['', name].includes(path) || path.startsWith('/')
    ? []
    : [ignored(`${field}.path`, `expected an absolute path, found ${shown(path)}; mounted at ${shown(`/${name}`)}`)];

/**
 * Mounts of a Dataset that have the same name or path. A runtime throws them as InvalidSpec if its engine needs both to be unique.
 * @example
 * mountsAlike({ mounts: [{ mountPoint: 's3://a', name: 'x' }, { mountPoint: 's3://b', name: 'x' }] })[0]?.path; // → 'spec.mounts[1].name'
 */
export const mountsAlike = ({ mounts = [] }: DatasetSpec): readonly Fault[] => [...alike(mounts, 'name'), ...alike(mounts, 'path')];

function alike(mounts: readonly Mount[], field: 'name' | 'path'): readonly Fault[] {
  const seen = new Set<string>();
  return mounts.flatMap(({ [field]: value }, i) => {
    if (!value) return [];
    if (seen.has(value))
      return [{ path: `spec.mounts[${i}].${field}`, expected: `a ${field} that no other mount has`, found: shown(value) }];
    seen.add(value);
    return [];
  });
}
