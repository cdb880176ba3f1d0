/** A program of a pod as a process, which ends with this one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { pipeTo } from './pipe-to.ts';

export interface Program {
  readonly ended: Promise<void>;
  /** SIGTERM, and SIGKILL after the grace period; resolves once the process has ended. */
  stop(): Promise<void>;
  kill(): void;
}

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** File to which the process writes. */
  readonly log: string;
  /** Connections to `host:from` go to the port `to`, on which the process listens. */
  readonly forward?: { readonly host: string; readonly from: number; readonly to: number };
}

const GRACE_MS = 10_000;

export async function startProgram({ command, args, env, log, forward }: ProgramOptions): Promise<Program> {
  const server = forward && (await listening(forward));
  // The process dies with this one, however that ends.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = createWriteStream(log, { flags: 'a' });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(written, { end: false });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve())).then(() => {
    server?.close();
    written.end(`--- ${command} ended: ${child.signalCode ?? child.exitCode}\n`);
  });
  return { ended, stop: () => stopped(child, ended), kill: () => void child.kill('SIGKILL') };
}

async function stopped(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(late);
}

/** Two pods listen on one port, each on its own address; a process that listens on all addresses cannot. */
async function listening({ host, from, to }: NonNullable<ProgramOptions['forward']>): Promise<Server> {
  const server = createServer((near) => pipeTo(near, to));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(from, host, resolve));
  return server;
}
