import { structural } from '../api/crd.ts';
import { type Fault, InvalidSpec } from '../api/errors.ts';
import { readerOf } from '../api/reader.ts';
import { type Static, t } from '../api/schema.ts';

/** config.json: what the fuse container of a ThinRuntime must mount. */
export interface FuseConfig {
  readonly mounts: readonly FuseMount[];
  /** Absolute path where the file system must appear. */
  readonly targetPath: string;
  /** Kubernetes' access modes: ReadOnlyMany, ReadWriteMany, …; ReadOnlyMany if the file has none. */
  readonly accessModes: readonly string[];
  /** No access mode permits writing. */
  readonly readOnly: boolean;
  /** `spec.fuse.options` of the ThinRuntime, by name. */
  readonly runtimeOptions: Readonly<Record<string, string>>;
  /** The PersistentVolumes behind mounts `pvc://<claim>`, by name of the claim. */
  readonly persistentVolumes: Readonly<Record<string, PersistentVolume>>;
  /** Names of options that are encrypted in the Dataset, if they are known: config.json with Secret storage does not say it. */
  readonly secretOptions: readonly string[];
}
/** A mount of the Dataset. */
export interface FuseMount {
  /** As in the Dataset: `minio://bucket/a/b`. */
  readonly mountPoint: string;
  /** `minio`. Absent if the mount point has none, as in `10.0.0.1:/export`. */
  readonly scheme?: string;
  /** The mount point without its scheme: `bucket/a/b`. */
  readonly source: string;
  readonly name?: string;
  /** Where it must appear in the Dataset: `/a`. */
  readonly path?: string;
  /** The user wants no writes. */
  readonly readOnly: boolean;
  /** Every user of the engine may read it. */
  readonly shared: boolean;
  /**
   * Options by name, those of all mounts included. The value of a secret option is the path of a file, or with Secret storage the secret
   * itself.
   */
  readonly options: Readonly<Record<string, string>>;
}
/** A PersistentVolume behind a mount `pvc://<claim>`. */
export interface PersistentVolume {
  /** CSIPersistentVolumeSource as the API server prints it. Absent for other volumes. */
  readonly csi?: { readonly driver: string; readonly volumeHandle: string; readonly volumeAttributes: Readonly<Record<string, string>> };
  /** `spec.mountOptions` of the volume. */
  readonly mountOptions: readonly string[];
}

const texts = t.Record(t.String(), t.String());
const schema = t.Object({
  mounts: t.Array(
    t.Object({
      mountPoint: t.String({ minLength: 1 }),
      options: t.Optional(texts),
      name: t.Optional(t.String()),
      path: t.Optional(t.String()),
      readOnly: t.Optional(t.Boolean()),
      shared: t.Optional(t.Boolean()),
    }),
  ),
  targetPath: t.String({ pattern: '^/' }),
  runtimeOptions: t.Optional(texts),
  persistentVolumeAttrs: t.Optional(
    t.Record(
      t.String(),
      t.Union([t.Object({ driver: t.String(), volumeHandle: t.String(), volumeAttributes: t.Optional(texts) }), t.Null()]),
    ),
  ),
  persistentVolumeMountOptions: t.Optional(t.Record(t.String(), t.Array(t.String()))),
  accessModes: t.Optional(t.Array(t.String())),
});
const reader = readerOf(structural(schema, 'config.json'));

/**
 * Reads config.json. `file` names it in errors, `secretOptions` are the names of options whose values are secrets.
 * @throws InvalidSpec with every fault, and with no value that may be a secret.
 * @example
 * parseFuseConfig('{"mounts": [{"mountPoint": "s3://bucket/a"}], "targetPath": "/mnt"}').mounts[0]?.source; // → 'bucket/a'
 */
export function parseFuseConfig(text: string, file = 'config.json', secretOptions: readonly string[] = []): FuseConfig {
  const faults: Fault[] = [];
  const raw = reader(jsonOf(text, file), { path: [], faults, unknownFields: 'prune' }) as Static<typeof schema>;
  if (faults.length === 0 && raw.targetPath.split('/').includes('..'))
    faults.push({ path: 'targetPath', expected: 'an absolute path without ".."', found: JSON.stringify(raw.targetPath) });
  if (faults.length > 0) throw new InvalidSpec(faults.map(discreet), { object: file });
  const accessModes = raw.accessModes?.length ? raw.accessModes : ['ReadOnlyMany'];
  const { persistentVolumeAttrs: attrs = {}, persistentVolumeMountOptions: mountOptions = {} } = raw;
  return {
    mounts: raw.mounts.map(mountOf),
    targetPath: raw.targetPath,
    accessModes,
    readOnly: accessModes.every((mode) => mode === 'ReadOnlyMany'),
    runtimeOptions: raw.runtimeOptions ?? {},
    persistentVolumes: Object.fromEntries(
      [...new Set([...Object.keys(attrs), ...Object.keys(mountOptions)])].map((claim) => [
        claim,
        {
          ...(attrs[claim] && { csi: { ...attrs[claim], volumeAttributes: attrs[claim].volumeAttributes ?? {} } }),
          mountOptions: mountOptions[claim] ?? [],
        },
      ]),
    ),
    secretOptions,
  };
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text around the fault, which may contain a secret.
    throw new InvalidSpec({ path: 'the whole file', expected: 'JSON', found: `${text.length} characters that are none` }, { object: file });
  }
}

type RawMount = Static<typeof schema>['mounts'][number];

function mountOf({ mountPoint, options = {}, name, path, readOnly = false, shared = false }: RawMount): FuseMount {
  const [, scheme, source = mountPoint] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(mountPoint) ?? [];
  return { mountPoint, ...(scheme && { scheme }), source, ...(name && { name }), ...(path && { path }), readOnly, shared, options };
}

/** The expected type and the place; of the value found only what cannot be secret. */
function discreet({ path, expected, found }: Fault): Fault {
  const isOpen = found === 'nothing' || path === 'targetPath' || path.startsWith('accessModes');
  return { path: path || 'the whole file', expected, found: isOpen ? found : 'something else, which is not shown' };
}
