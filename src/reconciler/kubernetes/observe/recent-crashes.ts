import type { Role } from '../../../constructs/index.ts';
import type { Monotonic } from '../../../kube/clock.ts';
import { type CrashingPod, ROLES, type WorkloadView } from '../../world.ts';

/** A container counts as ready from its start: one that cannot work ends some seconds later. */
const STEADY_MS = 30_000;

interface Recent {
  readonly pod: CrashingPod;
  /** Since when it seems ready, monotonic; absent while it does not. */
  readonly since?: number;
}

/** Pods whose containers end again and again, by UID of their runtime: also between two ends, while they seem ready. */
export function createRecentCrashes(clock: Monotonic) {
  const all = new Map<string, ReadonlyMap<string, Recent>>();
  return {
    /**
     * Adds those that crashed a short time ago to those that crash now.
     * @param namesOf names of all pods of a role
     * @returns the workloads with both, and the ms until each pod that crashed counts as steady
     */
    added(uid: string, workloads: Partial<Record<Role, WorkloadView>>, namesOf: (role: Role) => readonly string[]) {
      const now = clock.monotonic();
      const known = [...(all.get(uid) ?? [])];
      const kept = new Map<string, Recent>();
      const afterMs: number[] = [];
      const merged: Partial<Record<Role, WorkloadView>> = {};
      for (const role of ROLES) {
        const view = workloads[role];
        if (!view) continue;
        const names = known.length > 0 ? new Set(namesOf(role)) : new Set();
        const isNow = new Set(view.crashing.map(({ name }) => name));
        const recent = known.flatMap(([name, { pod, since = now }]) =>
          names.has(name) && !isNow.has(name) && now - since < STEADY_MS ? [{ pod, since }] : [],
        );
        for (const each of [...recent, ...view.crashing.map((pod) => ({ pod }))]) kept.set(each.pod.name, each);
        afterMs.push(...recent.map(({ since }) => since + STEADY_MS - now));
        const crashing = [...view.crashing, ...recent.map(({ pod }) => pod)];
        merged[role] = { ...view, crashing: crashing.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true })) };
      }
      if (kept.size > 0) all.set(uid, kept);
      else all.delete(uid);
      return { workloads: merged, afterMs };
    },
    forget: (uid: string) => void all.delete(uid),
  };
}
