import { operationNames } from '../../constructs/operation-names.ts';
import type { OperationKind } from '../../constructs/contract.ts';
import { typeOfRecord } from '../fluid/helm.ts';
import type { Seen } from '../go/step.ts';
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
export const seenRecord = ({ kind, namespace, name, uid }: Pick<FluidRelease, 'kind' | 'namespace' | 'name' | 'uid'>): Seen => ({
  type: typeOfRecord({ kind }),
  namespace,
  name,
  uid,
});
