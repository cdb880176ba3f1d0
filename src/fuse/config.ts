import { structural } from '../api/crd.ts';
import { type Fault, InvalidSpec } from '../api/errors.ts';
import { readerOf } from '../api/reader.ts';
import { type Static, t } from '../api/schema.ts';

/** What the fuse container of a ThinRuntime is told in config.json. */
export interface FuseConfig {
  readonly mounts: readonly FuseMount[];
  /** Absolute path where the file system is to appear. */
  readonly targetPath: string;
  /** As in Kubernetes: ReadOnlyMany, ReadWriteMany, …; ReadOnlyMany where the file says nothing. */
  readonly accessModes: readonly string[];
  /** None of the access modes lets anybody write. */
  readonly readOnly: boolean;
  /** `spec.fuse.options` of the ThinRuntime. */
  readonly runtimeOptions: Readonly<Record<string, string>>;
  /** What stands behind mounts `pvc://<claim>`, by claim. */
  readonly persistentVolumes: Readonly<Record<string, PersistentVolume>>;
  /** Options that are encrypted in the Dataset, as far as that is known: with Secret storage, config.json itself does not tell. */
  readonly secretOptions: readonly string[];
}
export interface FuseMount {
  /** As in the Dataset, `minio://bucket/a/b`. */
  readonly mountPoint: string;
  /** `minio`; absent where there is none, as in `10.0.0.1:/export`. */
  readonly scheme?: string;
  /** The mount point without its scheme, `bucket/a/b`. */
  readonly source: string;
  readonly name?: string;
  /** Where in the dataset it is to appear, `/a`. */
  readonly path?: string;
  readonly readOnly: boolean;
  readonly shared: boolean;
  /** Those of all mounts included. One that is kept in a Secret has the path of a file as its value, or with Secret storage the secret itself. */
  readonly options: Readonly<Record<string, string>>;
}
export interface PersistentVolume {
  /** CSIPersistentVolumeSource as the API server prints it; absent for volumes of another kind. */
  readonly csi?: { readonly driver: string; readonly volumeHandle: string; readonly volumeAttributes: Readonly<Record<string, string>> };
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
 * Reads config.json; `file` names it in errors, `secretOptions` are those of whose values it is known that they are secrets.
 * Throws InvalidSpec with every fault, and never with a value that may be a secret.
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
    // What the parser says quotes the text around the fault, and in that there may be a secret.
    throw new InvalidSpec({ path: 'the whole file', expected: 'JSON', found: `${text.length} characters that are none` }, { object: file });
  }
}

type RawMount = Static<typeof schema>['mounts'][number];

function mountOf({ mountPoint, options = {}, name, path, readOnly = false, shared = false }: RawMount): FuseMount {
  const [, scheme, source = mountPoint] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(mountPoint) ?? [];
  return { mountPoint, ...(scheme && { scheme }), source, ...(name && { name }), ...(path && { path }), readOnly, shared, options };
}

/** What is expected, and where; of what was found only what cannot be secret. */
function discreet({ path, expected, found }: Fault): Fault {
  const isOpen = found === 'nothing' || path === 'targetPath' || path.startsWith('accessModes');
  return { path: path || 'the whole file', expected, found: isOpen ? found : 'something else, which is not shown' };
}
