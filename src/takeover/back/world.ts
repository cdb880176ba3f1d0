import type { Seen } from '../steps/step.ts';
import type { World } from '../world/world.ts';
import type { Users } from '../world/users.ts';

/** One reading of the cluster for the way back. */
export interface BackWorld extends World {
  readonly users: Users;
  /** Policies of a try, and their bindings, which keep Fluid off namespaces. */
  readonly fence: readonly Seen[];
  /** How far Fluid's DaemonSet is; undefined if it does not exist. */
  readonly pluginCounts: PluginCounts | undefined;
  /** Whether Sluice's webhook wrote the certificate last. Fluid's would never renew it. */
  readonly isCertificateSluices: boolean;
}

export interface PluginCounts {
  /** Whether the other two are of the newest spec. */
  readonly isSeen: boolean;
  readonly wanted: number;
  readonly ready: number;
}
