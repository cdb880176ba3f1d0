import type { KubeObject } from '../../kube/types.ts';
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
  readonly certificate: CertificateView;
}

/** The certificate in the webhook's Secret, with which Fluid's webhook would serve for as long as it runs. */
export interface CertificateView {
  /** API servers trust its authority. */
  readonly isTrusted: boolean;
  /** The Secret with a certificate that lasts, of which no other pass has another one; absent: the certificate there lasts. */
  readonly lasting?: KubeObject;
}

export interface PluginCounts {
  /** Whether the other two are of the newest spec. */
  readonly isSeen: boolean;
  readonly wanted: number;
  readonly ready: number;
}
