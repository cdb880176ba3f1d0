import type { Caller } from './caller.ts';

/** The total that requests of all callers hold of a resource. */
export interface Shares {
  /** False, and nothing is taken, if the caller has its share. */
  take(caller: Caller, amount: number): boolean;
  give(caller: Caller, amount: number): void;
}

/**
 * A namespace may hold as much as its address has left: alone half of it, with one like it a third each; and so on. So there is room for
 * the next few namespaces, and for what none needs nothing is reserved (dynamic thresholds: Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998).
 * @param ofPeer what one address has
 * @param total what all addresses have, shared by the same rule. Default: no bound
 */
export function createShares(ofPeer: number, total = Infinity): Shares {
  const peers = createShared(total);
  const namespaces = new Map<string, Shared>();
  return {
    take({ peer, namespace }, amount) {
      const own = namespaces.get(peer) ?? createShared(ofPeer);
      if (!peers.fits(peer, amount) || !own.fits(namespace, amount)) return false;
      namespaces.set(peer, own);
      peers.add(peer, amount);
      own.add(namespace, amount);
      return true;
    },
    give({ peer, namespace }, amount) {
      const own = namespaces.get(peer);
      if (!own) return;
      peers.add(peer, -amount);
      own.add(namespace, -amount);
      if (own.isUnused()) namespaces.delete(peer);
    },
  };
}

type Shared = ReturnType<typeof createShared>;
function createShared(total: number) {
  const held = new Map<string, number>();
  let sum = 0;
  return {
    fits: (group: string, amount: number): boolean => (held.get(group) ?? 0) + amount <= total - sum - amount,
    add(group: string, amount: number): void {
      const now = (held.get(group) ?? 0) + amount;
      sum += amount;
      if (now > 0) held.set(group, now);
      else held.delete(group);
    },
    isUnused: (): boolean => held.size === 0,
  };
}
