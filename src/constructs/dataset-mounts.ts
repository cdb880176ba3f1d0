import { type DatasetSpec, type Fault, type Mount, shown } from '../api/index.ts';

const CLAIM = /^pvc:\/\/([a-z0-9][-.a-z0-9]*)(?:\/(.*))?$/;

/** What `pvc://<claim>[/<path>]` names. */
export function claimOf(mountPoint: string): { readonly claim: string; readonly path: string } | undefined {
  const [, claim, path = ''] = CLAIM.exec(mountPoint) ?? [];
  return claim === undefined ? undefined : { claim, path };
}
export const claimNames = ({ mounts = [] }: DatasetSpec): readonly string[] => [
  ...new Set(mounts.flatMap(({ mountPoint }) => claimOf(mountPoint)?.claim ?? [])),
];

/** Mounts that share a name or a path, which the engine could not tell apart. */
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
