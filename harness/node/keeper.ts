/**
 * The keeper of a test node: the one child of a test process that owns the node. Like the keeper of a control plane
 * (control-plane/keeper.ts) it notices every end of its parent by the closed IPC channel, and then leaves nothing.
 *
 *   node keeper.ts <private dir>
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { until } from '../control-plane/until.ts';
import { makeCgroups } from './cgroups.ts';
import type { Daemon, FromNodeKeeper, NodeStart, ToNodeKeeper } from './keeper-messages.ts';
import { API_PORT, containerdArgs, kubeletArgs, type NodeLayout, nodePaths } from './layout.ts';
import { removeLeftovers } from './leftovers.ts';
import { childOf, connectNetwork, furnish, type Init, nodeEnv, onNode, shareFolders, startInit } from './namespaces.ts';
import { corednsArgs, kubeProxyArgs } from './services.ts';

const dir = process.argv[2] ?? '';
const daemons = new Map<Daemon, ChildProcess>();
const restarting = new Set<Daemon>();
let started: { readonly start: NodeStart; readonly init: Init } | undefined;
let starting: Promise<void> | undefined;
let keepDir = false;
let ending = false;

writeFileSync(join(dir, 'keeper.pid'), String(process.pid));
process.on('message', (message: ToNodeKeeper) => void obey(message).catch(report));
process.on('disconnect', () => void end());
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => void end());
send({ kind: 'hello' });

async function obey(message: ToNodeKeeper): Promise<void> {
  switch (message.kind) {
    case 'start':
      starting = start(message.start);
      await starting;
      return send({ kind: 'started' });
    case 'restart':
      await restart(message.daemon, message.signal);
      return send({ kind: 'restarted', daemon: message.daemon });
    case 'stop':
      keepDir = message.keepDir;
      return end();
  }
}

async function start(begin: NodeStart): Promise<void> {
  const { layout, apiPort, programs } = begin;
  makeCgroups(dir);
  shareFolders(layout);
  const init = await startInit(layout, programs.pause);
  started = { start: begin, init };
  furnish(layout, init.pid);
  connectNetwork(layout, init.pid);
  await forward(layout, apiPort);
  run('containerd');
  await containerdAnswers();
  for (const daemon of ['kubelet', 'kube-proxy', 'coredns'] as const) run(daemon);
}

/** Without it a kubelet that starts gives up after some milliseconds. */
async function containerdAnswers(): Promise<void> {
  const ended = () => (daemons.has('containerd') ? undefined : 'containerd ended');
  await until('containerd answers', 30, () => answers(nodePaths(dir).socket), ended);
}

/** True when a process listens. */
function answers(socket: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('error', () => resolve(undefined));
    connection.once('connect', () => resolve(true));
    connection.once('connect', () => connection.destroy());
  });
}

/** A kubelet that ends sooner has never worked. */
const EARLY_MS = 20_000;
let kubeletTries = 0;

const ARGS: Readonly<Record<Daemon, (layout: NodeLayout) => readonly string[]>> = {
  containerd: containerdArgs,
  kubelet: kubeletArgs,
  'kube-proxy': kubeProxyArgs,
  coredns: corednsArgs,
};

function run(daemon: Daemon): void {
  if (started === undefined || ending) return;
  const { start: begin, init } = started;
  const { layout, programs } = begin;
  const command = daemon === 'containerd' ? daemon : programs[daemon];
  const [program = '', ...argv] = onNode(init.pid, command, ARGS[daemon](layout));
  const log = openSync(join(nodePaths(dir).logs, `${daemon}.log`), 'a');
  const child = spawn(program, argv, { cwd: '/', env: nodeEnv(dir), stdio: ['ignore', log, log] });
  closeSync(log);
  daemons.set(daemon, child);
  const startedAt = Date.now();
  const gone = (reason: string) => {
    daemons.delete(daemon);
    // As an init system does: a kubelet ends at once where containerd is slow to answer, as on a busy machine.
    if (daemon === 'kubelet' && !restarting.has(daemon) && !ending && Date.now() - startedAt < EARLY_MS && kubeletTries++ < 5)
      return void setTimeout(() => run(daemon), 1000);
    if (!restarting.has(daemon) && !ending) send({ kind: 'failed', reason: `${daemon} ended: ${reason}` });
  };
  child.once('error', (error) => gone(error.message));
  child.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`));
}

/** The daemon is the child of the nsenter that we started. */
async function restart(daemon: Daemon, signal: NodeJS.Signals): Promise<void> {
  const child = daemons.get(daemon);
  const pid = childOf(child?.pid);
  if (child === undefined || pid === undefined) throw new Error(`${daemon} does not run`);
  restarting.add(daemon);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  process.kill(pid, signal);
  await exited;
  restarting.delete(daemon);
  run(daemon);
  if (daemon === 'containerd') await containerdAnswers();
}

/** The API server listens on the machine's loopback address, which is none of the node's. */
function forward({ hostAddress }: NodeLayout, apiPort: number): Promise<void> {
  const server = createServer((incoming) => {
    const outgoing = connect(apiPort, '127.0.0.1');
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.pipe(to);
      from.once('error', () => to.destroy());
      from.once('close', () => to.destroy());
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(API_PORT, hostAddress, resolve);
  });
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  // A start that is under way would mount behind our back.
  await starting?.catch(() => {});
  if (started !== undefined) await killed(started.init);
  removeLeftovers(dir, keepDir);
  process.exit(0);
}

/** With the first process the kernel ends all others, before it reports the end. */
function killed(init: Init): Promise<void> {
  return new Promise((resolve) => {
    if (init.process.exitCode !== null || init.process.signalCode !== null) return resolve();
    init.process.once('exit', () => resolve());
    process.kill(init.pid, 'SIGKILL');
  });
}

function report(error: unknown): void {
  send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
}

function send(message: FromNodeKeeper): void {
  if (process.connected) process.send?.(message, () => {});
}
