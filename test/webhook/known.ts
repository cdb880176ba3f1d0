import type { SidecarNote } from '../../src/api/index.ts';
import type { KnownObjects, KnownClaim, KnownDataset, KnownFuse, KnownRuntime, KnownVolume } from '../../src/webhook/known.ts';

/** A fuse DaemonSet `<runtime>-fuse`, which the volume of its Dataset names if nothing else is said. */
export interface Fuse extends Pick<KnownFuse, 'template'> {
  readonly sidecar?: SidecarNote;
  readonly uid?: string;
  readonly generation?: number;
}

/** Everything by `<namespace>/<name>`; runtimes by `<type>/<namespace>/<name>`, volumes by name. */
export interface Cluster {
  readonly claims?: Readonly<Record<string, KnownClaim>>;
  readonly datasets?: Readonly<Record<string, KnownDataset>>;
  readonly runtimes?: Readonly<Record<string, Omit<KnownRuntime, 'size'>>>;
  readonly fuses?: Readonly<Record<string, Fuse>>;
  readonly volumes?: Readonly<Record<string, KnownVolume>>;
}

export const knownOf = ({ claims, datasets, runtimes, fuses, volumes }: Cluster): KnownObjects => ({
  claim: (namespace, name) => claims?.[`${namespace}/${name}`],
  dataset: (namespace, name) => datasets?.[`${namespace}/${name}`],
  runtime(type, namespace, name) {
    const found = runtimes?.[`${type}/${namespace}/${name}`];
    return found && { size: JSON.stringify(found.cacheAffinity).length, ...found };
  },
  fuse(namespace, name) {
    const found = fuses?.[`${namespace}/${name.replace(/-fuse$/, '')}`];
    return found && { uid: `uid-${name}`, generation: 1, size: JSON.stringify(found.template).length, ...found };
  },
  volume(name) {
    const found = volumes?.[name];
    const fuse = fuses?.[`${found?.claim.namespace}/${found?.claim.name}`];
    const of = `${found?.claim.name}-fuse`;
    return found && fuse
      ? { fuse: { name: of, uid: `uid-${of}`, generation: 1, hash: 'h', sidecar: fuse.sidecar ?? { caches: [] } }, ...found }
      : found;
  },
});
