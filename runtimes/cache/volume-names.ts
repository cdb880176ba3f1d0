import { InvalidSpec, type PodSpec, shown } from '../../src/api/index.ts';
import { hashOfScript, type Mounted, secretFiles } from '../../src/constructs/index.ts';

/** Longest name of a volume. */
const LONGEST = 63;

/** A Secret of the Dataset as files. As in Fluid a hash ends a name that is cut, or that has dots: so no two Secrets share a volume. */
export function secretVolume(secret: string): Mounted {
  const whole = `cache-mnt-secret-${secret}`;
  if (whole.length <= LONGEST && !whole.includes('.')) return secretFiles(whole, secret);
  const hash = hashOfScript(whole).slice(0, 8);
  return secretFiles(`${whole.replaceAll('.', '-').slice(0, LONGEST - hash.length - 1)}-${hash}`, secret);
}

/**
 * Volumes of a class without those that the runtime mounts from it.
 * @throws InvalidSpec when a volume of the class has the name of one that Sluice adds: one would take the place of the other
 */
export function classVolumes(
  volumes: NonNullable<PodSpec['volumes']>,
  added: { readonly own: readonly Mounted[]; readonly users: readonly Mounted[] },
  where: { readonly component: string; readonly object: string },
): NonNullable<PodSpec['volumes']> {
  const [own, users] = [added.own, added.users].map((mounted) => new Set(mounted.map(({ volume }) => volume.name)));
  for (const [i, { name }] of volumes.entries())
    if (own?.has(name))
      throw new InvalidSpec(
        {
          path: `topology.${where.component}.template.spec.volumes[${i}].name`,
          expected: 'a name of no volume that Sluice adds',
          found: shown(name),
        },
        { object: where.object },
      );
  return volumes.filter(({ name }) => !users?.has(name));
}
