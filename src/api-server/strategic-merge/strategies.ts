/** How strategic merge patches merge the lists of built-in kinds; what is not here is replaced as a whole. */
import { LIST_KEYS, SETS } from '../list-keys.ts';

/** Where a value is. */
export interface ValuePath {
  readonly kind: string;
  /** Names of fields, of lists those of the list alone: `spec`, `containers`, `ports`. */
  readonly path: readonly string[];
}

/** Lists that server-side apply merges, or that another kind merges, but that patches replace. */
const REPLACED: ReadonlySet<string> = new Set([
  'CustomResourceDefinition status.conditions',
  'ValidatingAdmissionPolicy status.conditions',
  'ServiceAccount imagePullSecrets',
  'Namespace spec.finalizers',
]);
/** Lists that only patches merge. */
const PATCHED: Readonly<Record<string, string>> = { podIPs: 'ip', hostIPs: 'ip', resourceClaims: 'name', drivers: 'name' };
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'];

/** The key of the entries of a list, `set` for a list of plain values; undefined for a list that is replaced. */
export function mergedBy({ kind, path }: ValuePath): { readonly key: string } | 'set' | undefined {
  const [above = '', field = ''] = [path.at(-2), path.at(-1)];
  if (REPLACED.has(`${kind} ${path.join('.')}`)) return undefined;
  if (SETS.has(field)) return 'set';
  const key = field === 'ports' ? portKey(kind, above) : (LIST_KEYS[field]?.[0] ?? PATCHED[field]);
  return key === undefined ? undefined : { key };
}

function portKey(kind: string, above: string): string | undefined {
  if (CONTAINERS.includes(above)) return 'containerPort';
  return kind === 'Service' && above === 'spec' ? 'port' : undefined;
}
