import { ownedKinds, Secret } from '../../planning/kinds.ts';
import type { HelmRecord, HelmRelease } from '../fluid/helm.ts';
import type { FluidReader } from '../fluid/reads.ts';
import { HIDDEN } from './step.ts';

/** A record that was hidden. */
export interface HiddenRecord extends HelmRecord {
  readonly uid: string;
}

/** Records of this release that a take-over hid from helm. */
export async function hiddenRecords(
  reads: FluidReader,
  { name, namespace }: Pick<HelmRelease, 'name' | 'namespace'>,
): Promise<readonly HiddenRecord[]> {
  const options = { namespace, labelSelector: `owner=${HIDDEN},name=${name}`, metadataOnly: true };
  const [secrets, configMaps] = await Promise.all([reads.list(Secret, options), reads.list(ownedKinds.ConfigMap, options)]);
  const of = (kind: HelmRecord['kind']) => (object: (typeof secrets)[number]) => ({
    kind,
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    revision: Number(object.metadata.labels?.['version'] ?? 0),
    status: object.metadata.labels?.['status'] ?? '',
  });
  return [...secrets.map(of('Secret')), ...configMaps.map(of('ConfigMap'))];
}
