/** The plugin as a process in a mount namespace like that of its pod, with what it says and a client of its socket. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type MountInfo, parseMountinfo } from '../../../src/csi/mounts/mountinfo.ts';
import { type Client, clientOf } from './client.ts';

/** Is given log lines as they come. */
export type Heard = (line: Readonly<Record<string, unknown>>) => void;
export interface TestPlugin {
  readonly pid: number;
  readonly call: Client;
  /** The plugin's writes to the cluster: labels and events, in order. */
  readonly reports: readonly Report[];
  /** The plugin's log lines. */
  readonly log: readonly Record<string, unknown>[];
  /** Resolves with the first report, now or later, for which it holds. */
  when(holds: (report: Report) => boolean): Promise<Report>;
  readonly mounts: () => readonly MountInfo[];
  end(signal?: NodeJS.Signals): Promise<void>;
}
export type Report =
  | { readonly labels: Record<string, string | null> }
  | { readonly dataset: { name: string }; readonly type: string; readonly reason: string; readonly note: string };

interface Program {
  readonly kubelet: string;
  readonly argv: readonly string[];
  readonly heard?: Heard;
}

/** `within`: what nsenter takes to enter the host's namespace. */
export async function startProgram(within: readonly string[], { kubelet, argv, heard }: Program): Promise<TestPlugin> {
  // As in a pod whose mounts are Bidirectional.
  const inPod = ['unshare', '-m', '--propagation', 'unchanged'];
  const child = spawn('nsenter', [...within, ...inPod, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const log: Record<string, unknown>[] = [];
  const reports: Report[] = [];
  const waiting: { holds: (report: Report) => boolean; resolve: (report: Report) => void }[] = [];
  await new Promise<void>((resolve, reject) => {
    void ended.then(() => reject(new Error(`the plugin ended: ${JSON.stringify(log.at(-1))}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said = JSON.parse(line) as Record<string, unknown>;
      heard?.(said);
      if (said['msg'] === 'serving') resolve();
      if (!('report' in said)) return log.push(said);
      const one = said['report'] as Report;
      reports.push(one);
      for (const each of waiting.filter(({ holds }) => holds(one))) each.resolve(one);
    });
  });
  const pid = child.pid ?? 0;
  const call = clientOf(join(kubelet, 'csi-plugins/fuse.csi.fluid.io/csi.sock'), pid);
  return {
    pid,
    call,
    reports,
    log,
    when(holds) {
      const before = reports.find(holds);
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
