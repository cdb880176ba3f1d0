/** Other controllers that write the same objects, and the Lease that each renews while it runs. */
import { FLUID_LEASES, fluidController, TAKEOVER_HOLDER } from '../../install/fluid.ts';
import { ELECTION_LEASE } from '../../install/rights.ts';
import { type Clock, sleep, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { isNotFound } from '../../kube/errors.ts';
import { LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { messageOf, Refused } from '../errors.ts';

export interface OtherController {
  /** In messages, before the identity of the holder. */
  readonly called: string;
  /** Name of its Lease. */
  readonly lease: string;
  /** Namespace of its Lease; absent: any. */
  readonly namespace?: string;
  /** The command that stops it when it runs in this namespace. */
  stop(namespace: string): string;
  /** The user name of a controller in this namespace, for admission policies. */
  user?(namespace: string): string;
}

/** Fluid's controllers, which run in the namespace in which their chart was installed. */
export const fluid: readonly OtherController[] = [...FLUID_LEASES].map(([controller, lease]) => {
  const name = fluidController(controller);
  return {
    called: "Fluid's controller",
    lease,
    stop: (namespace) => `kubectl -n ${namespace} scale deployment ${name} --replicas=0`,
    user: (namespace) => `system:serviceaccount:${namespace}:${name}`,
  };
});

/** A Sluice that takes part in the election, for one that does not. */
export const elected = (namespace: string): OtherController => ({
  called: 'another Sluice',
  lease: ELECTION_LEASE,
  namespace,
  stop: () => `kubectl -n ${namespace} scale deployment sluice-controller --replicas=0, if it runs as that Deployment`,
});

/** The default of client-go, for a Lease without a duration. */
const LEASE_SECONDS = 15;
/** A live controller renews sooner than its Lease's duration. A client that may write Leases must not delay the start by a long one. */
const LONGEST_SECONDS = 60;
/** No clocks differ so much, and no live controller renews so rarely. */
const LONG_DEAD_MS = 600_000;
const POLL_MS = 500;

interface Found {
  readonly controller: OtherController;
  readonly lease: Lease;
}

export interface Check {
  readonly others: readonly OtherController[];
  /** Namespaces of operators: in another one a tenant could write a Lease of that name, and prevent the start. */
  readonly trusted: ReadonlySet<string>;
  /**
   * Why this user may write what is served here; undefined if an admission policy refuses that. Such a controller of Fluid runs on. Absent: all
   * namespaces are served.
   */
  readonly whyOpen?: (user: string) => Promise<string | undefined>;
  /** Gets the message about a renewed lease in another namespace. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Throws Refused when one of these controllers renews its lease in a trusted namespace: two controllers would undo each other's work.
 * A lease counts as renewed when its `renewTime` changes; the time itself comes from another machine's clock.
 * threat-model: R-fluid-leases
 */
export async function checkAlone(
  client: KubeClient,
  { others, trusted, whyOpen, warn, signal, clock = systemClock }: Check,
): Promise<void> {
  const began = clock.monotonic();
  const doubtful = new Map([...(await leases(client, others))].filter(([, { lease }]) => mayBeAlive(lease, clock.wall())));
  const promised = [...doubtful.values()].map(({ lease }) => lease.spec?.leaseDurationSeconds ?? LEASE_SECONDS);
  const patience = Math.min(LONGEST_SECONDS, Math.max(0, ...promised)) * 1000;
  while (!signal.aborted && doubtful.size > 0 && clock.monotonic() - began < patience) {
    await sleep(clock, POLL_MS, signal).catch(() => {});
    const current = await leases(client, [...doubtful.values()].map(inItsNamespace));
    const renewed = [...current].filter(
      ([id, { lease }]) =>
        doubtful.has(id) && lease.spec?.holderIdentity && lease.spec.renewTime !== doubtful.get(id)?.lease.spec?.renewTime,
    );
    for (const [id, { controller, lease }] of renewed) {
      const namespace = lease.metadata.namespace ?? '';
      const said = `${controller.called} ${lease.spec?.holderIdentity} renews the lease ${id}: two controllers would undo each other's work.`;
      if (!trusted.has(namespace)) {
        doubtful.delete(id);
        warn(
          `${said} A client that may write Leases there can pretend this. If that controller runs, stop it: ${controller.stop(namespace)}`,
        );
        continue;
      }
      const user = controller.user?.(namespace);
      const open = user === undefined ? undefined : await whyOpen?.(user);
      if (whyOpen && user !== undefined && open === undefined) {
        doubtful.delete(id);
        continue;
      }
      // Controllers of one installation are stopped together.
      const together = [...doubtful.values()].filter((found) => found.controller.called === controller.called);
      const how = together.map((found) => found.controller.stop(found.lease.metadata.namespace ?? ''));
      throw new Refused([
        said,
        ...(open === undefined ? [] : [`It may write in the namespaces that are served here: ${open}.`]),
        `Stop it first (${how.join('; ')}), or start with --take-over.`,
      ]);
    }
  }
}

/** A cluster has a Lease for each node: all Leases are searched once, and from then on only the namespaces of those that were found. */
const inItsNamespace = ({ controller, lease: { metadata } }: Found): OtherController => ({
  ...controller,
  namespace: metadata.namespace ?? '',
});

/** The Leases of these controllers, by `<namespace>/<name>`. */
async function leases(client: KubeClient, others: readonly OtherController[]): Promise<ReadonlyMap<string, Found>> {
  const found = await Promise.all(
    others.map(async (controller) =>
      (await leasesOf(client, controller)).map(
        (lease) => [`${lease.metadata.namespace}/${controller.lease}`, { controller, lease }] as const,
      ),
    ),
  );
  return new Map(found.flat());
}

async function leasesOf(client: KubeClient, { lease: name, namespace }: OtherController): Promise<readonly Lease[]> {
  try {
    const selection = { fieldSelector: `metadata.name=${name}`, ...(namespace !== undefined && { namespace }) };
    return (await client.list(LEASE, selection)).items as readonly Lease[];
  } catch (error) {
    if (isNotFound(error)) return [];
    const where = namespace === undefined ? 'of all namespaces' : `in namespace ${namespace}`;
    throw new Refused(
      [
        `cannot check whether another controller runs: Leases called ${name} ${where} cannot be read: ${messageOf(error)}.`,
        'Grant that right, or make sure that no other controller runs and start with --take-over.',
      ],
      { cause: error },
    );
  }
}

const mayBeAlive = ({ spec }: Lease, now: number): boolean =>
  Boolean(spec?.holderIdentity) &&
  spec?.holderIdentity !== TAKEOVER_HOLDER &&
  Math.abs(now - Date.parse(spec?.renewTime ?? '')) < LONG_DEAD_MS;
