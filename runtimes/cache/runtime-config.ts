import type { DatasetSpec, Mount } from '../../src/api/index.ts';
import { absolutePath, cleanPath, must, secretDirectory, secretOptions, sorted } from '../../src/constructs/index.ts';
import type { TierConfig } from './tiers.ts';
import { COMPONENTS, type Component, type Parts } from './topology.ts';

/** The file that every component reads, and its directory in each pod. */
export const CONFIG_FILE = 'runtime.json';
export const CONFIG_DIRECTORY = '/etc/fluid/config';
export const CONFIG_PATH = `${CONFIG_DIRECTORY}/${CONFIG_FILE}`;

/**
 * Where each mount appears below the root of the Dataset, without slashes that say nothing.
 * @throws InvalidSpec when a path is not absolute, or is that of another mount
 */
export function pathsOf(mounts: readonly Mount[]): readonly string[] {
  const seen = new Set<string>();
  return mounts.map(({ path: said, name = '' }, i) => {
    const field = `spec.mounts[${i}].${said ? 'path' : 'name'}`;
    const path = cleanPath(absolutePath(said || `/${name}`, field));
    must(!seen.has(path), field, 'a path that no other mount has', path);
    seen.add(path);
    return path;
  });
}

interface Shown {
  readonly dataset: DatasetSpec;
  readonly accessModes: readonly string[];
  readonly targetPath: string;
  readonly parts: Parts;
  /** Names of the workloads. */
  readonly names: Readonly<Record<Component, string>>;
  readonly tiers: Readonly<Partial<Record<Component, readonly TierConfig[]>>>;
}

/** runtime.json, in the fields and the order of Fluid. A component that does not exist is absent. */
export function runtimeConfig({ dataset, accessModes, targetPath, parts, names, tiers }: Shown): string {
  const paths = pathsOf(dataset.mounts ?? []);
  const components = COMPONENTS.flatMap((component) => {
    const part = parts[component];
    if (!part) return [];
    const { options, replicas, service } = part;
    const levels = tiers[component] ?? [];
    return [
      [
        component,
        {
          enabled: true,
          name: names[component],
          ...(Object.keys(options).length > 0 && { options: sorted(options) }),
          ...(component !== 'client' && { replicas }),
          service: { name: service },
          ...(levels.length > 0 && { tieredStoreLevels: levels }),
        },
      ] as const,
    ];
  });
  return JSON.stringify({
    mounts: (dataset.mounts ?? []).map((mount, i) => mountConfig(mount, i, dataset, paths[i] ?? '')),
    accessModes,
    targetPath,
    ...Object.fromEntries(components),
  });
}

function mountConfig(mount: Mount, index: number, { sharedOptions, sharedEncryptOptions }: DatasetSpec, path: string) {
  const { mountPoint, name, readOnly, shared } = mount;
  const secrets = [
    ...secretOptions(sharedEncryptOptions, 'spec.sharedEncryptOptions'),
    ...secretOptions(mount.encryptOptions, `spec.mounts[${index}].encryptOptions`),
  ];
  const files = Object.fromEntries(secrets.map(({ option, secret, key }) => [option, `${secretDirectory(secret)}/${key}`]));
  const options = { ...sharedOptions, ...mount.options };
  return {
    mountPoint,
    ...(Object.keys(options).length > 0 && { options: sorted(options) }),
    ...(secrets.length > 0 && { encryptOptions: sorted(files) }),
    ...(name && { name }),
    path,
    ...(readOnly && { readOnly }),
    ...(shared && { shared }),
  };
}
