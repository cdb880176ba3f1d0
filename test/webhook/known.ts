import type { Known, KnownClaim, KnownDataset, KnownFuse, KnownRuntime, KnownVolume } from '../../src/webhook/known.ts';

/** Everything by `<namespace>/<name>`; runtimes by `<type>/<namespace>/<name>`, volumes by name. */
export interface Cluster {
  readonly claims?: Readonly<Record<string, KnownClaim>>;
  readonly datasets?: Readonly<Record<string, KnownDataset>>;
  readonly runtimes?: Readonly<Record<string, KnownRuntime>>;
  readonly fuses?: Readonly<Record<string, KnownFuse>>;
  readonly volumes?: Readonly<Record<string, KnownVolume>>;
}

export const knownOf = ({ claims, datasets, runtimes, fuses, volumes }: Cluster): Known => ({
  claim: (namespace, name) => claims?.[`${namespace}/${name}`],
  dataset: (namespace, name) => datasets?.[`${namespace}/${name}`],
  runtime: (type, namespace, name) => runtimes?.[`${type}/${namespace}/${name}`],
  fuse: (namespace, name) => fuses?.[`${namespace}/${name}`],
  volume: (name) => volumes?.[name],
});
