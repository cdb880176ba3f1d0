import { join } from 'node:path';
import { startChild } from '../../src/cli/playground/children.ts';
import { unlessAborted } from './steps.ts';

export interface ReconcilerProcess {
  readonly pid: number;
  readonly role: string;
  /** SIGTERM, by which the controller gives up its Lease; resolves when the process has ended. */
  stop(): Promise<void>;
}

const main = join(import.meta.dirname, '../../src/cli/main.ts');

/** Runs `sluice reconcile` as a process of its own; resolves once it leads or stands by. Throws when it ends before, or the signal's reason. */
export async function startReconciler(args: readonly string[], signal: AbortSignal): Promise<ReconcilerProcess> {
  const child = startChild({ args: ['reconcile', '--metrics-addr', '0', ...args], main });
  const { msg } = await unlessAborted(child.logged('leading', 'standing by'), signal);
  return { pid: child.pid, role: String(msg), stop: () => child.stop('SIGTERM') };
}
