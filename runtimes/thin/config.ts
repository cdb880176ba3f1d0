import { type CSIPersistentVolumeSource, type DatasetSpec, type EncryptOption, shown } from '../../src/api/index.ts';
import { type BasePlan, claimNames, type Facts, fromBase64, must, type Options } from '../../src/constructs/index.ts';
import { secretDirectory, type SecretOption, secretOptions, type Settings } from '../../src/constructs/index.ts';

export const STORAGE_ENV = 'THIN_FUSE_CONFIG_STORAGE';

/** Where config.json is kept. In a Secret it has the values of encrypted options, in a ConfigMap the paths of their files. */
export function storageOf({ env }: Settings): 'configmap' | 'secret' {
  const storage = env[STORAGE_ENV] || 'configmap';
  must(storage === 'configmap' || storage === 'secret', `${STORAGE_ENV} of the controller`, '"configmap" or "secret"', storage);
  return storage;
}

/** config.json, which the fuse container reads: one line, with fields in the order of Fluid's and empty ones left out. */
export function configText(
  dataset: DatasetSpec,
  runtimeOptions: Options | undefined,
  { mountPath, volume }: BasePlan,
  facts: Facts,
  inline: boolean,
): string {
  const valueOf = inline ? inlineValue(facts) : ({ secret, key }: SecretOption) => `${secretDirectory(secret)}/${key}`;
  const encrypted = (list: readonly EncryptOption[] | undefined, path: string) =>
    Object.fromEntries(secretOptions(list, path).map((value) => [value.option, valueOf(value)]));
  const shared = encrypted(dataset.sharedEncryptOptions, 'spec.sharedEncryptOptions');
  const named = new Set(claimNames(dataset));
  const claims = Object.entries(facts.claims).filter(([name]) => named.has(name));
  const withOptions = claims.filter(([, { mountOptions }]) => mountOptions.length > 0);
  return JSON.stringify({
    mounts: (dataset.mounts ?? []).map(({ mountPoint, name, path, readOnly, shared: isShared, options, encryptOptions }, i) => {
      const own = encrypted(encryptOptions, `spec.mounts[${i}].encryptOptions`);
      return {
        mountPoint,
        // An encrypted option wins over a plain one, a mount's own over one of all mounts.
        options: filled({ ...dataset.sharedOptions, ...options, ...shared, ...own }),
        name: name || undefined,
        path: path || undefined,
        readOnly: readOnly || undefined,
        shared: isShared || undefined,
      };
    }),
    targetPath: mountPath,
    runtimeOptions: filled(runtimeOptions),
    persistentVolumeAttrs: filled(Object.fromEntries(claims.map(([name, { csi }]) => [name, csi ? inOrder(csi) : null]))),
    persistentVolumeMountOptions: filled(Object.fromEntries(withOptions.map(([name, { mountOptions }]) => [name, mountOptions]))),
    accessModes: volume.accessModes,
  });
}

/** Options that are a secret for one mount or for all. */
export const secretOptionNames = ({ sharedEncryptOptions = [], mounts = [] }: DatasetSpec): readonly string[] =>
  [
    ...new Set([...sharedEncryptOptions, ...mounts.flatMap(({ encryptOptions = [] }) => encryptOptions)].map(({ name }) => name)),
  ].toSorted();

function inlineValue({ secrets }: Facts): (value: SecretOption) => string {
  return ({ option, secret, key }) => {
    const value = secrets[secret]?.[key];
    must(value !== undefined, `option ${option}`, `a key ${shown(key)} in Secret ${secret}`, value);
    return fromBase64(value, `key ${shown(key)} of Secret ${secret}`);
  };
}

/** As the API server prints them. */
const CSI_FIELDS: readonly string[] = (
  'driver volumeHandle readOnly fsType volumeAttributes controllerPublishSecretRef nodeStageSecretRef nodePublishSecretRef ' +
  'controllerExpandSecretRef nodeExpandSecretRef'
).split(' ');
const inOrder = (csi: CSIPersistentVolumeSource) =>
  Object.fromEntries(
    Object.entries(csi)
      .map(([field, value]) => [field, typeof value === 'object' ? filled(value) : value] as const)
      .toSorted(([a], [b]) => CSI_FIELDS.indexOf(a) - CSI_FIELDS.indexOf(b)),
  );

/** Keys in order; nothing at all when there are none. */
function filled(record: object | undefined): object | undefined {
  const entries = Object.entries(record ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
