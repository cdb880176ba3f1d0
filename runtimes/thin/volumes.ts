import { type DatasetSpec, label, type ThinRuntimeProfileSpec } from '../../src/api/index.ts';
import {
  absolutePath,
  claimNames,
  type Facts,
  ignored,
  type Mounted,
  must,
  optionSecrets,
  secretFiles,
  type Warning,
} from '../../src/constructs/index.ts';

export type Policy = ThinRuntimeProfileSpec['nodePublishSecretPolicy'];
export const CONFIG_DIRECTORY = '/etc/fluid/config';
const HOST_VOLUME = 'fluid.fuse.hostvolume';

/**
 * Directories of the node that mounts ask for with `fluid.fuse.hostvolume=<host>[:<container>]`. As in Fluid, one that cannot be is left out,
 * and only a Dataset that says ReadOnlyMany has them read-only.
 */
export function hostVolumes({ mounts = [], accessModes = [] }: DatasetSpec) {
  const asked = new Map<string, number>();
  for (const [i, { options }] of mounts.entries()) {
    const text = options?.[HOST_VOLUME];
    if (text && !asked.has(text)) asked.set(text, i);
  }
  const readOnly = accessModes.includes('ReadOnlyMany');
  const warnings: Warning[] = [];
  const mounted = [...asked].flatMap(([text, i], index): readonly Mounted[] => {
    const [host = '', inside = host, ...more] = text.split(':', 3);
    if (more.length > 0 || ![host, inside].every(isAbsolute)) {
      const why = 'expected one or two absolute paths without "..", separated by ":"; it is not mounted';
      warnings.push(ignored(`Dataset: spec.mounts[${i}].options[${HOST_VOLUME}]`, why));
      return [];
    }
    const name = `fluid-fuse-hostvolume-${index}`;
    return [{ volume: { name, hostPath: { path: host } }, mount: { name, mountPath: inside, ...(readOnly && { readOnly }) } }];
  });
  return { mounted, warnings };
}

const isAbsolute = (path: string): boolean => path.startsWith('/') && !path.split('/').includes('..');

/** The directory of the first tier, on the node and in the container. */
export function cacheVolume(path: string | undefined): readonly Mounted[] {
  if (!path) return [];
  const hostPath = { path: absolutePath(path, 'spec.tieredstore.levels[0].path'), type: 'DirectoryOrCreate' };
  return [{ volume: { name: 'cache-dir', hostPath }, mount: { name: 'cache-dir', mountPath: path } }];
}

export interface ConfigObject {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}
/** Where Fluid had config.json once; what mounts one file stays as it was when the container started. */
const OLD_CONFIG = '/etc/fluid/config.json';

/** The directory that is kept up to date, and the file for programs that look in the old place; unless the user has something there. */
export function configVolumes({ kind, name, data }: ConfigObject, users: readonly Mounted[]): readonly Mounted[] {
  const files = { items: Object.keys(data).map((key) => ({ key, path: key })), defaultMode: 0o444 };
  const volume = {
    name: 'thin-conf',
    ...(kind === 'Secret' ? { secret: { secretName: name, ...files } } : { configMap: { name, ...files } }),
  };
  const mounts = [
    { name: 'thin-conf', mountPath: CONFIG_DIRECTORY, readOnly: true },
    { name: 'thin-conf', mountPath: OLD_CONFIG, subPath: 'config.json', readOnly: true },
  ];
  const isFree = ({ mountPath }: { readonly mountPath: string }) =>
    !users.some(({ mount }) => mount.mountPath === OLD_CONFIG && mountPath === OLD_CONFIG);
  return mounts.filter(isFree).map((mount) => ({ volume, mount }));
}

/** The Secrets whose files config.json names, and the one of the CSI driver behind a `pvc://` mount; one may be both. */
export function secretVolumes(dataset: DatasetSpec, inline: boolean, publish: PublishSecret | undefined): readonly Mounted[] {
  const named = inline ? [] : optionSecrets(dataset);
  return [
    ...named.map((secret) => secretFiles(`thin-fuseconfig-${secret}`, secret)),
    ...(publish && !named.includes(publish.name) ? [secretFiles(publish.name, publish.mounted, publish.name)] : []),
  ];
}

/** The Secret that the CSI driver behind a `pvc://` mount gets on a node. */
export interface PublishSecret {
  /** The volume's name for it: the directory of its files. */
  readonly name: string;
  /** The Secret itself, or the runtime's copy of it. */
  readonly mounted: string;
  readonly copyOf?: { readonly namespace: string; readonly name: string };
}

export function publishSecret(runtime: string, dataset: DatasetSpec, { claims }: Facts, policy: Policy): PublishSecret | undefined {
  const { name, namespace } = claims[claimNames(dataset)[0] ?? '']?.csi?.nodePublishSecretRef ?? {};
  if (!name || policy === 'NotMountNodePublishSecret') return undefined;
  if (!namespace || policy !== 'CopyNodePublishSecretAndMountIfNotExists') return { name, mounted: name };
  return { name, mounted: `${runtime}-thin-publish-secret`, copyOf: { namespace, name } };
}

export function secretCopy(mounted: string, { namespace, name }: NonNullable<PublishSecret['copyOf']>, { secrets }: Facts) {
  const data = secrets[`${namespace}/${name}`];
  // An empty copy would take their credentials from pods that run.
  must(data, 'nodePublishSecretRef', `Secret ${namespace}/${name}, to copy it`, data);
  const origin = `${namespace}_${name}`;
  // A label's value is shorter than namespace and name may be together.
  return { name: mounted, labels: origin.length <= 63 ? { [label.copiedFrom]: origin } : {}, data };
}
