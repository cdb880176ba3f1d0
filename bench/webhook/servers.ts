/** The processes that are asked: `sluice webhook`, and Fluid's, if its binary is named. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../harness/control-plane/ports.ts';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { VALIDATION_MEMORY, WEBHOOK_MEMORY } from '../../src/install/memory.ts';
import type { Client } from '../client.ts';
import { bundled, PROGRAM } from '../controller.ts';
import { until } from '../lab.ts';
import { paths } from '../objects.ts';
import type { Target } from './client.ts';

export interface Server {
  readonly pid: number;
  readonly target: Target;
  /** From the start of the process until it says that it is ready. */
  readonly readySeconds: number;
  stop(): Promise<void>;
}

export interface Cluster {
  readonly kubeconfig: string;
  readonly user: Client;
  /** Where the Secret is; it exists. */
  readonly namespace: string;
}

/** For --cpu-prof and the like. */
const NODE_FLAGS = (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(Boolean);
const READY_SECONDS = 60;
const EVERY_MS = 20;
/** Limit of the container that `sluice install` prints. */
const LIMIT_MIB = 384;

export async function startOurs({ kubeconfig, user, namespace }: Cluster, ...further: readonly string[]): Promise<Server> {
  await bundled();
  // One of the manifests. It may exist.
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: webhookNames.secret, namespace } };
  await user.send('POST', paths.core(namespace, 'secrets'), secret).catch(() => undefined);
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const flags = ['--port', String(port), '--metrics-addr', `127.0.0.1:${metricsPort}`, '--kubeconfig', kubeconfig, ...further];
  const server = start(process.execPath, [...NODE_FLAGS, PROGRAM, 'webhook', ...flags], {
    ...installedMemory(further.includes('--validate') ? VALIDATION_MEMORY : WEBHOOK_MEMORY),
    MY_POD_NAMESPACE: namespace,
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const readySeconds = await server.until('the webhook is ready', isReady);
  return { ...server, readySeconds, target: await targetOf(user, namespace, port) };
}

/** There is no container with a limit here, of which a share could be taken. */
function installedMemory(variables: typeof WEBHOOK_MEMORY | typeof VALIDATION_MEMORY): Readonly<Record<string, string>> {
  const inMebibytes = (_: string, share: string) => `--max-old-space-size=${Math.floor((LIMIT_MIB * Number(share)) / 100)}`;
  return {
    ...variables,
    NODE_OPTIONS: variables.NODE_OPTIONS.replace(/--max-old-space-size-percentage=(\d+)/, inMebibytes),
  };
}

/** Path of the binary of Fluid's cmd/webhook. */
export const FLUID_WEBHOOK = process.env['FLUID_WEBHOOK'];
/** Where Fluid's chart mounts the ConfigMap `webhook-plugins`, and where the binary looks. */
const PROFILE = '/etc/fluid/plugins.profile';

/** With the flags of its chart, and the requests to the API server not throttled, which would be in the way of its start. */
export async function startFluid(program: string, folder: string, { kubeconfig, user, namespace }: Cluster): Promise<Server> {
  if (!existsSync(PROFILE)) throw new Error(`FLUID_WEBHOOK: expected the profile of its chart at ${PROFILE}, found nothing`);
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const flags = ['--webhook-port', String(port), '--webhook-cert-dir', join(folder, 'certificates')];
  const server = start(program, ['start', ...flags, '--metrics-addr', `127.0.0.1:${metricsPort}`, '--development=false'], {
    KUBECONFIG: kubeconfig,
    MY_POD_NAMESPACE: namespace,
    TIME_TRACK: 'false',
  });
  const isReady = () =>
    fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const readySeconds = await server.until("Fluid's webhook serves metrics", isReady);
  return { ...server, readySeconds, target: await targetOf(user, namespace, port) };
}

async function targetOf(user: Client, namespace: string, port: number): Promise<Target> {
  const secret = await until('the Secret with the CA', READY_SECONDS, () =>
    user.send('GET', `${paths.core(namespace, 'secrets')}/${webhookNames.secret}`).catch(() => undefined),
  );
  const { 'ca-cert.pem': ca = '' } = (secret['data'] ?? {}) as Readonly<Record<string, string>>;
  return { port, host: `${webhookNames.service}.${namespace}.svc`, ca: Buffer.from(ca, 'base64').toString('utf8') };
}

function start(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const startedAt = performance.now();
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let said = '';
  const hear = (chunk: string) => {
    if (process.env['BENCH_VERBOSE']) process.stderr.write(chunk);
    said = (said + chunk).slice(-4000);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', hear);
  const ended = once(child, 'exit').then(() => void process.off('exit', kill));
  return {
    pid: child.pid ?? 0,
    async until(what: string, isSo: () => Promise<boolean>): Promise<number> {
      const check = async () => {
        if (child.exitCode !== null) throw new Error(`${program} ended by itself:\n${said}`);
        return isSo();
      };
      await until(what, READY_SECONDS, check, EVERY_MS).catch((error: unknown) => {
        kill();
        throw error;
      });
      return (performance.now() - startedAt) / 1000;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}
