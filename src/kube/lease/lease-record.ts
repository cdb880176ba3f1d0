import { label } from '../../api/index.ts';
import { type KubeObject, resourceType, withoutManagedFields } from '../types.ts';

export const LEASE = resourceType('coordination.k8s.io', 'Lease', 'leases');

/** coordination.k8s.io/v1 Lease. Times are MicroTime, kept as the text they are. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** The next holder of a Lease, and the duration of its hold. */
export interface LeaseTerms {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
}

/**
 * `lease` with us as its holder; without one, a new Lease. Guarded by its resourceVersion: only one taker succeeds. Backups leave it out: it
 * would name a leader of another cluster.
 */
export function taken(lease: Lease | undefined, { namespace, name, identity, leaseDurationMs }: LeaseTerms, now: number): Lease {
  const spec = lease?.spec;
  const hands = spec?.leaseTransitions ?? 0;
  const { managedFields: _, ...metadata } = { ...lease?.metadata, namespace, name };
  return {
    ...lease,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...metadata, labels: { ...metadata.labels, [label.notInBackups]: 'true' } },
    spec: {
      ...spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: microTime(now),
      renewTime: microTime(now),
      leaseTransitions: lease === undefined || spec?.holderIdentity === identity ? hands : hands + 1,
    },
  };
}

export const renewed = (lease: Lease, now: number): Lease => ({
  ...withoutManagedFields(lease),
  spec: { ...lease.spec, renewTime: microTime(now) },
});

/** As client-go releases it: without a holder, and for one second only, since 0 is not valid. */
export const released = (lease: Lease, now: number): Lease => ({
  ...withoutManagedFields(lease),
  spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(now) },
});

/** threat-model: R-lease */
export const holderOf = (lease: Lease): string => lease.spec?.holderIdentity ?? '';

/** meta/v1 MicroTime: RFC 3339 with exactly six digits. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
