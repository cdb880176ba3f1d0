/**
 * A real control plane for tests and demos: etcd, kube-apiserver, kube-controller-manager and kube-scheduler on free loopback ports, with
 * nodes and pods simulated by kwok. However the starting process ends, a keeper process (control-plane/keeper.ts) ends the rest and removes
 * its folder.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, connectApi } from './api.ts';
import * as components from './components.ts';
import { connectControlPlane, type SharedControlPlane } from './connect.ts';
import { type Keeper, startKeeper } from './keeper-client.ts';
import { createNode, untilSchedulable } from './nodes.ts';
import { freePorts } from './ports.ts';
import { createDir, writePki } from './prepare.ts';
import { keepsFolder, sweep } from './stale.ts';
import { until } from './until.ts';
import { type Tools, tools } from '../tools/tools.ts';

export interface ControlPlane extends SharedControlPlane, AsyncDisposable {
  /** Ends the API server (SIGKILL: as hard as it gets) and starts it again: same port, same data. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions extends components.ExtraArgs {
  /** Simulated nodes, node-0, node-1, …; default 3. */
  readonly nodes?: number;
  /** Log every request (level Metadata) to `auditLog`. */
  readonly audit?: boolean;
  /** Leave the folder with logs and data where it is after `stop`. */
  readonly keep?: boolean;
  /** Heard as things come up, with the milliseconds since the start. */
  readonly onProgress?: (what: string, ms: number) => void;
}

/** Starts a control plane; ready, with schedulable nodes and the default ServiceAccount, when it returns. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = tools();
  sweep();
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptStart(programs, options);
    } catch (error) {
      // Another process took one of the ports first.
      if (attempt === 3 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function attemptStart(programs: Tools, options: ControlPlaneOptions): Promise<ControlPlane> {
  const began = performance.now();
  const reached = (what: string) => options.onProgress?.(what, Math.round(performance.now() - began));
  const dir = createDir();
  const [keeper, [api = 0, etcd = 0, kwok = 0]] = await Promise.all([startKeeper(dir), freePorts(3)]);
  const layout: components.Layout = { dir, ports: { api, etcd, kwok } };
  const server = `https://127.0.0.1:${api}`;
  try {
    keeper.spawn('etcd', programs.etcd, components.etcdArgs(layout));
    const { ca, admin, kubelet } = await writePki(dir, server);
    const client = connectApi(server, ca.certificate, admin);
    const startApiServer = () =>
      keeper.spawn('kube-apiserver', programs['kube-apiserver'], [
        ...components.apiServerArgs(layout, options.audit ?? false),
        ...(options.apiServerArgs ?? []),
      ]);
    startApiServer();
    reached('certificates');
    const port = await keeper.serveKubelet({ ...kubelet, ca: ca.certificate, kwokPort: kwok });
    writeFileSync(join(dir, 'kubelet.port'), String(port));
    await untilReady(client, keeper);
    reached('API ready');
    keeper.spawn('kube-controller-manager', programs['kube-controller-manager'], [
      ...components.controllerManagerArgs(layout),
      ...(options.controllerManagerArgs ?? []),
    ]);
    keeper.spawn('kube-scheduler', programs['kube-scheduler'], [...components.schedulerArgs(layout), ...(options.schedulerArgs ?? [])]);
    keeper.spawn('kwok', programs.kwok, components.kwokArgs(layout, port));
    const names = Array.from({ length: options.nodes ?? 3 }, (_, index) => `node-${index}`);
    await Promise.all(names.map((name) => createNode(client, name, {})));
    await Promise.all([
      untilSchedulable(client, names, keeper.failure).then(() => reached('nodes Ready')),
      untilAccount(client, keeper).then(() => reached('default ServiceAccount')),
    ]);
    const handle = { server, dir, kubeconfig: join(dir, 'admin.kubeconfig'), kubectlPath: programs.kubectl };
    const stop = async () => {
      await client.close();
      await keeper.stop(keepsFolder(dir, options.keep));
    };
    return {
      ...connectControlPlane(handle),
      restartApiServer: async () => {
        await keeper.kill('kube-apiserver', 'SIGKILL');
        startApiServer();
        await untilReady(client, keeper);
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    const logs = logTails(dir);
    await keeper.stop(false);
    throw new Error(`the control plane did not start: ${error instanceof Error ? error.message : error}\n${logs}`, { cause: error });
  }
}

async function untilReady(client: Api, keeper: Keeper): Promise<void> {
  await until('the API server is ready', 60, async () => (await client.status('/readyz')) === 200, keeper.failure);
}

/** The controller manager works once it made this account; pods are refused before. */
async function untilAccount(client: Api, keeper: Keeper): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  await until('the default ServiceAccount', 60, async () => (await client.status(path)) === 200, keeper.failure);
}

function logTails(dir: string): string {
  return ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok']
    .map((name) => {
      try {
        return `--- ${name}\n${lastLines(readFileSync(join(dir, 'logs', `${name}.log`), 'utf8'))}`;
      } catch {
        return `--- ${name} was not started`;
      }
    })
    .join('\n');
}

function lastLines(log: string): string {
  const lines = log.trimEnd().split('\n').slice(-8);
  return lines.map((line) => line.slice(0, 300)).join('\n');
}
