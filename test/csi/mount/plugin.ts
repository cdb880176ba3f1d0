/** The plugin as a process in a mount namespace like that of its pod, with what it says and a client of its socket. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Mount, parseMountinfo } from '../../../src/csi/mounts/mountinfo.ts';
import { type Client, clientOf } from './client.ts';

/** Is given log lines as they come. */
export type Heard = (line: Readonly<Record<string, unknown>>) => void;
export interface TestPlugin {
  readonly pid: number;
  readonly call: Client;
  /** What it told the cluster: labels and events, in order. */
  readonly told: readonly Told[];
  /** Its log lines. */
  readonly log: readonly Record<string, unknown>[];
  /** Resolves with the first told thing, now or later, for which it holds. */
  when(holds: (told: Told) => boolean): Promise<Told>;
  readonly mounts: () => readonly Mount[];
  end(signal?: NodeJS.Signals): Promise<void>;
}
export type Told =
  | { readonly labels: Record<string, string | null> }
  | { readonly dataset: { name: string }; readonly type: string; readonly reason: string; readonly note: string };

interface Program {
  readonly kubelet: string;
  readonly mountRoot: string;
  readonly argv: readonly string[];
  readonly heard?: Heard;
}

/** `within`: what nsenter takes to enter the host's namespace. */
export async function startProgram(within: readonly string[], { kubelet, mountRoot, argv, heard }: Program): Promise<TestPlugin> {
  // As in a pod: what is mounted under the mount root arrives, and nothing goes back.
  const enter = 'mount --make-rslave "$1" && shift && exec "$@"';
  const inPod = ['unshare', '-m', '--propagation', 'unchanged', 'sh', '-ec', enter, 'sh', mountRoot];
  const child = spawn('nsenter', [...within, ...inPod, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const log: Record<string, unknown>[] = [];
  const told: Told[] = [];
  const waiting: { holds: (told: Told) => boolean; resolve: (told: Told) => void }[] = [];
  await new Promise<void>((resolve, reject) => {
    void ended.then(() => reject(new Error(`the plugin ended: ${JSON.stringify(log.at(-1))}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Record<string, unknown>;
      heard?.(said);
      if (said['msg'] === 'serving') resolve();
      if (!('told' in said)) return log.push(said);
      const one = said['told'] as Told;
      told.push(one);
      for (const each of waiting.filter(({ holds }) => holds(one))) each.resolve(one);
    });
  });
  const pid = child.pid ?? 0;
  const call = clientOf(join(kubelet, 'csi-plugins/fuse.csi.fluid.io/csi.sock'), pid);
  return {
    pid,
    call,
    told,
    log,
    when(holds) {
      const before = told.find(holds);
      return before ? Promise.resolve(before) : new Promise((resolve) => void waiting.push({ holds, resolve }));
    },
    mounts: () => parseMountinfo(readFileSync(`/proc/${pid}/mountinfo`, 'utf8')),
    async end(signal = 'SIGTERM') {
      call.close();
      child.kill(signal);
      await ended;
    },
  };
}
