import type { Clock } from '../clock.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { holderOf, LEASE, type Lease } from './lease-record.ts';
import { type Reflector, reflect } from '../watch/reflector.ts';
import type { Log } from '../types.ts';

/** The Lease as a standby last saw it change. */
export interface Sighting {
  /** Undefined when the Lease does not exist. */
  readonly lease: Lease | undefined;
  /** Monotonic, when we saw it change. Never `renewTime`: that is another machine's clock. */
  readonly at: number;
  /** For how long after `at` its holder may write, ms; of a Lease that vanished too. */
  readonly goodForMs: number;
}

export interface LeaseSightings {
  /** Undefined until the Lease was listed, and from a discard until the next change. */
  readonly latest: Sighting | undefined;
  /** A write showed that the Lease is no longer as in `sighting`. What was seen since then stays. */
  discard(sighting: Sighting): void;
  /** A read found this Lease, or none. What the watch has shown meanwhile stays. */
  found(lease: Lease | undefined): void;
  stop(): void;
}

interface SightingsOptions {
  readonly namespace: string;
  readonly name: string;
  /** The Lease as this process last knew it: its own, which it may hold still, or that of the process that has taken it. */
  readonly known: Lease | undefined;
  /** For a Lease that does not say how long it is good. */
  readonly leaseDurationMs: number;
  /** Called with the holder after each change; empty: the Lease is free or was deleted. */
  readonly onHolder: (holder: string) => void;
  /** Called after each change of `latest`. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Watches one Lease, and keeps when it was last seen to change. */
export function watchLease(client: KubeClient, options: SightingsOptions): LeaseSightings {
  const { namespace, name, known, leaseDurationMs, onHolder, onChange, clock, log } = options;
  const promisedMs = (lease: Lease): number => (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || leaseDurationMs;
  // A lease that this process held may still be its own: the first try does not wait for the reflector.
  let latest: Sighting | undefined = known && { lease: known, at: clock.monotonic(), goodForMs: promisedMs(known) };
  const reflector: Reflector<Lease> = reflect<Lease>(client, LEASE, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    // The one Lease that the selector lets through; its spec is checked where it is read.
    project: (object) => object as Lease,
    onChange({ type, object }) {
      const isGone = type === 'deleted';
      latest = { lease: isGone ? undefined : object, at: clock.monotonic(), goodForMs: promisedMs(object) };
      onHolder(isGone ? '' : holderOf(object));
      onChange();
    },
    onSynced() {
      // The Lease does not exist. Unless this process knew one, it never did as far as it knows, and has no holder.
      if (reflector.store.size === 0) latest = { lease: undefined, at: clock.monotonic(), goodForMs: known ? promisedMs(known) : 0 };
      onChange();
    },
    log,
    clock,
  });
  return {
    get latest() {
      return latest;
    },
    discard(sighting) {
      if (latest === sighting) latest = undefined;
    },
    found(lease) {
      latest ??= { lease, at: clock.monotonic(), goodForMs: lease ? promisedMs(lease) : leaseDurationMs };
    },
    stop: () => reflector.stop(),
  };
}

/** How long until `identity` may take the lease, ms; 0 or less: now. */
export function freeInMs(
  { lease, at, goodForMs }: Sighting,
  { identity, alive, elapsed }: { readonly identity: string; readonly alive: (holder: string) => boolean; readonly elapsed: number },
): number {
  const holder = lease && holderOf(lease);
  if (holder === '' || holder === identity || (holder !== undefined && !alive(holder))) return 0;
  return at + goodForMs - elapsed;
}
