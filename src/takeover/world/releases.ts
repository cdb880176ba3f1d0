import { operationNames } from '../../constructs/operation-names.ts';
import type { OperationKind } from '../../constructs/contract.ts';
import { type HelmRecord, type HelmRelease, typeOfRecord } from '../fluid/helm.ts';
import type { Contribution, Seen } from '../steps/step.ts';
import type { FluidRelease, Users } from './users.ts';

/** Releases whose runtime or operation does not exist. */
export function staleReleases({
  runtimes,
  operations,
  releases,
}: Pick<Users, 'runtimes' | 'operations' | 'releases'>): readonly FluidRelease[] {
  const wanted = new Set([
    ...runtimes.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
    // The cast: the kinds of `operationKinds`.
    ...operations.map(
      ({ kind, metadata: { namespace, name } }) => `${namespace}/${operationNames({ kind: kind as OperationKind, name }).release}`,
    ),
  ]);
  return releases.filter(({ namespace, release }) => !wanted.has(`${namespace}/${release}`));
}

/** The record of a release, for an action. */
export const seenRecord = ({ kind, namespace, name, uid }: Omit<FluidRelease, 'release'>): Seen => ({
  type: typeOfRecord({ kind }),
  namespace,
  name,
  uid,
});

/** helm's label `owner` of a record that helm must not find. */
export const HIDDEN = 'sluice-takeover';

/** Hides records of Fluid's own release from helm, or shows them again with the owner `helm`. */
export function relabelled(
  release: Pick<HelmRelease, 'namespace'> | undefined,
  records: readonly HelmRecord[],
  owner: typeof HIDDEN | 'helm',
): Contribution | undefined {
  if (!release || records.length === 0) return undefined;
  const says = owner === HIDDEN ? 'hide … from helm' : 'show … to helm';
  const patch = { metadata: { labels: { owner } } };
  return {
    actions: records.map((record) => ({ do: 'patch', object: seenRecord({ ...record, namespace: release.namespace }), patch, says })),
  };
}
