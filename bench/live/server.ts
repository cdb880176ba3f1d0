/** The scripted API server as a process of its own, so that what it costs is not the controller's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCa, issue } from '../../harness/control-plane/pki.ts';
import { BENCHED, COMPANIONS, KINDS } from '../kinds.ts';
import type { Samples } from './sample.ts';
import type { Size } from './world.ts';

export interface Setup {
  /** A file: it is large. */
  readonly samples: string;
  readonly size: Size;
  readonly key: string;
  readonly certificate: string;
  /** Plurals of the group. */
  readonly kinds: readonly string[];
}
export type Command =
  | { readonly do: 'traffic'; readonly on: boolean }
  /** So many runtimes change in a way that makes no difference. */
  | { readonly do: 'touch'; readonly count: number; readonly what: 'label' | 'unread' }
  /** All watches end with 410. */
  | { readonly do: 'expire' }
  | { readonly do: 'forget' }
  | { readonly do: 'report' };
export interface Answer {
  readonly writes: number;
  readonly examples: readonly string[];
  readonly events: number;
  readonly execs: number;
  readonly bytes: number;
  /** ms since the epoch. */
  readonly firstListAt: number | undefined;
  readonly watches: number;
}
export interface LiveServer {
  readonly kubeconfig: string;
  readonly url: string;
  readonly ca: string;
  send(command: Command): Promise<Answer>;
  stop(): void;
}

const SERVED = ['datasets', ...COMPANIONS.map(({ plural }) => plural), ...KINDS.map((kind) => BENCHED[kind].plural)];

export async function startLiveServer(samples: Samples, size: Size): Promise<LiveServer> {
  const now = new Date();
  const ca = await createCa(now);
  const { certificate, key } = await issue(ca, { user: 'server', hosts: ['127.0.0.1'] }, now);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-live-'));
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const setup: Setup = { samples: write('samples.json', JSON.stringify(samples)), size, key, certificate, kinds: SERVED };
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [write('setup.json', JSON.stringify(setup))]);
  const stop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', stop);
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the scripted API server ended by itself')));
  ended.catch(() => {});
  const message = async <T>(): Promise<T> => (await Promise.race([once(child, 'message'), ended]))[0] as T;
  const { port } = await message<{ port: number }>();
  const url = `https://127.0.0.1:${port}`;
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'live',
    contexts: [{ name: 'live', context: { cluster: 'live', user: 'live' } }],
    clusters: [{ name: 'live', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca.certificate).toString('base64') } }],
    users: [{ name: 'live', user: { token: 'live' } }],
  };
  return {
    kubeconfig: write('kubeconfig', JSON.stringify(kubeconfig)),
    url,
    ca: write('ca.pem', ca.certificate),
    send(command) {
      const answer = message<Answer>();
      child.send(command);
      return answer;
    },
    stop() {
      process.off('exit', stop);
      stop();
    },
  };
}
