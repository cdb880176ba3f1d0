/** Messages between a test process and its keeper over the IPC channel. */
export type ToKeeper =
  | { readonly kind: 'spawn'; readonly name: string; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'kill'; readonly name: string; readonly signal: NodeJS.Signals }
  | { readonly kind: 'kubelet'; readonly certificate: string; readonly key: string; readonly ca: string; readonly kwokPort: number }
  | { readonly kind: 'stop'; readonly keepDir: boolean };

export type FromKeeper =
  | { readonly kind: 'hello' }
  | { readonly kind: 'kubelet'; readonly port: number }
  | { readonly kind: 'exited'; readonly name: string; readonly reason: string };
