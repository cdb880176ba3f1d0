/** Messages between a test process and the keeper of its node over the IPC channel. */
import type { NodeLayout } from './layout.ts';

export interface NodeStart {
  readonly layout: NodeLayout;
  /** The port of the API server on 127.0.0.1. */
  readonly apiPort: number;
  readonly programs: Readonly<Record<Exclude<Daemon, 'containerd'> | 'pause', string>>;
}

export type Daemon = 'containerd' | 'kubelet' | 'kube-proxy' | 'coredns';

export type ToNodeKeeper =
  | { readonly kind: 'start'; readonly start: NodeStart }
  | { readonly kind: 'restart'; readonly daemon: Daemon; readonly signal: NodeJS.Signals }
  | { readonly kind: 'stop'; readonly keepDir: boolean };

export type FromNodeKeeper =
  | { readonly kind: 'hello' }
  | { readonly kind: 'started' }
  | { readonly kind: 'restarted'; readonly daemon: Daemon }
  /** A daemon ended without a request, or a request failed. */
  | { readonly kind: 'failed'; readonly reason: string };
