/** Controllers that write what we write, and the lease by which each shows that it runs. */
import { FLUID_LEASES } from '../../install/fluid.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import { type Clock, sleep, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import { LEASE, type Lease } from '../../kube/lease-record.ts';
import { messageOf, Refused } from '../errors.ts';

export interface Rival {
  /** Before the name of who holds the lease. */
  readonly called: string;
  readonly lease: string;
  /** Absent: whichever namespace has it. */
  readonly namespace?: string;
  /** What ends it, where it runs in this namespace. */
  stop(namespace: string): string;
}

/** Fluid runs where its chart was installed. */
export const fluid: readonly Rival[] = [...FLUID_LEASES].map(([controller, lease]) => ({
  called: "Fluid's controller",
  lease,
  stop: (namespace) =>
    `kubectl -n ${namespace} scale deployment ${controller === 'dataset' ? 'dataset-controller' : `${controller}runtime-controller`} --replicas=0`,
}));

/** For who does not take part in the election. */
export const elected = (namespace: string): Rival => ({
  called: 'another Sluice',
  lease: ELECTION_LEASE,
  namespace,
  stop: () => `kubectl -n ${namespace} scale deployment sluice-controller --replicas=0, where that is how it runs`,
});

/** client-go's, where a Lease does not say. */
const LEASE_SECONDS = 15;
/** Who lives renews sooner, whatever is promised. Who may write Leases of any namespace is not to keep us from starting by a long one. */
const LONGEST_SECONDS = 60;
/** No clocks are so far apart, and no controller that lives waits so long. */
const LONG_DEAD_MS = 600_000;
const POLL_MS = 500;

interface Found {
  readonly rival: Rival;
  readonly lease: Lease;
}

export interface Check {
  readonly rivals: readonly Rival[];
  /** Of operators: elsewhere a tenant could write a Lease of that name, and keep us from starting. */
  readonly trusted: ReadonlySet<string>;
  /** What is seen in another namespace. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Throws Refused while one of these renews its lease in a trusted namespace: two controllers would undo each other's work.
 * Whether a lease is renewed is seen by watching it, not by its times, which are another machine's.
 */
export async function checkAlone(client: KubeClient, { rivals, trusted, warn, signal, clock = systemClock }: Check): Promise<void> {
  const began = clock.elapsed();
  const doubtful = new Map([...(await leases(client, rivals))].filter(([, { lease }]) => mayBeAlive(lease, clock.now())));
  const promised = [...doubtful.values()].map(({ lease }) => lease.spec?.leaseDurationSeconds ?? LEASE_SECONDS);
  const patience = Math.min(LONGEST_SECONDS, Math.max(0, ...promised)) * 1000;
  while (!signal.aborted && doubtful.size > 0 && clock.elapsed() - began < patience) {
    await sleep(clock, POLL_MS, signal).catch(() => {});
    const current = await leases(client, [...doubtful.values()].map(inItsNamespace));
    const renewed = [...current].filter(
      ([id, { lease }]) =>
        doubtful.has(id) && lease.spec?.holderIdentity && lease.spec.renewTime !== doubtful.get(id)?.lease.spec?.renewTime,
    );
    for (const [id, { rival, lease }] of renewed) {
      const namespace = lease.metadata.namespace ?? '';
      const said = `${rival.called} ${lease.spec?.holderIdentity} renews the lease ${id}: two controllers would undo each other's work.`;
      if (!trusted.has(namespace)) {
        doubtful.delete(id);
        warn(`${said} Whoever may write Leases there can make it look so; if it is true, stop it: ${rival.stop(namespace)}`);
        continue;
      }
      // Of one kind they are stopped together.
      const others = [...doubtful.values()].filter((found) => found.rival.called === rival.called);
      const how = others.map((found) => found.rival.stop(found.lease.metadata.namespace ?? ''));
      throw new Refused(`${said}\nStop it first (${how.join('; ')}), or start with --take-over.`);
    }
  }
}

/** A cluster has a Lease for each node: they are searched all once, not twice a second. */
const inItsNamespace = ({ rival, lease: { metadata } }: Found): Rival => ({ ...rival, namespace: metadata.namespace ?? '' });

/** By namespace and name. */
async function leases(client: KubeClient, rivals: readonly Rival[]): Promise<ReadonlyMap<string, Found>> {
  const found = await Promise.all(
    rivals.map(async (rival) =>
      (await leasesOf(client, rival)).map((lease) => [`${lease.metadata.namespace}/${rival.lease}`, { rival, lease }] as const),
    ),
  );
  return new Map(found.flat());
}

async function leasesOf(client: KubeClient, { lease: name, namespace }: Rival): Promise<readonly Lease[]> {
  try {
    const selection = { fieldSelector: `metadata.name=${name}`, ...(namespace !== undefined && { namespace }) };
    return (await client.list(LEASE, selection)).items as readonly Lease[];
  } catch (error) {
    if (isNotFound(error)) return [];
    const where = namespace === undefined ? 'of all namespaces' : `in namespace ${namespace}`;
    throw new Refused(
      `whether another controller runs is not known, as Leases called ${name} ${where} cannot be read: ${messageOf(error)}.\n` +
        'Grant that right, or make sure that none runs and start with --take-over.',
      { cause: error },
    );
  }
}

const mayBeAlive = ({ spec }: Lease, now: number): boolean =>
  Boolean(spec?.holderIdentity) && Math.abs(now - Date.parse(spec?.renewTime ?? '')) < LONG_DEAD_MS;
