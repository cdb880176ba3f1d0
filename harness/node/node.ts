/**
 * A real node for tests: containerd, a kubelet, kube-proxy and cluster DNS against a control plane of the harness. It has network,
 * processes and mounts of its own (node/namespaces.ts); of the machine's mounts it shares the kubelet's folder and the mount root, so that
 * a test sees the mounts of pods there. However the starting process ends, its keeper (node/keeper.ts) leaves nothing. Needs Linux and
 * root.
 */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { connectApi } from '../control-plane/api.ts';
import type { ControlPlaneHandle } from '../control-plane/connect.ts';
import { kubeconfigText } from '../control-plane/kubeconfig.ts';
import { untilSchedulable } from '../control-plane/nodes.ts';
import { type Identity, issue, type KeyPair } from '../control-plane/pki.ts';
import { keepsFolder } from '../control-plane/stale.ts';
import { buildImage, type ImageDefinition } from '../../scripts/image/archive.ts';
import { untilReleased } from './hold.ts';
import { busyboxImage, pauseImage } from './images.ts';
import { startNodeKeeper } from './keeper-client.ts';
import type { Daemon } from './keeper-messages.ts';
import { NODE_PREFIX, type NodeLayout, nodeFiles, nodeLayout, nodePaths, SERVICE_ADDRESS } from './layout.ts';
import { sweepNodes } from './leftovers.ts';
import { isTaken, onNode } from './namespaces.ts';
import { serviceFiles } from './services.ts';
import { nodeTools } from '../tools/tools.ts';

const run = promisify(execFile);

export interface RealNode extends AsyncDisposable {
  /** Name of the Node object. */
  readonly name: string;
  /** The private folder: logs and all data. Gone after stop. */
  readonly dir: string;
  /** The kubelet's root directory; the same path on the machine and on the node, as is the mount root. */
  readonly kubeletDir: string;
  /** The kubelet's. */
  readonly podLogsDir: string;
  /** Where FUSE pods mount. */
  readonly mountRoot: string;
  /** The node's InternalIP, which the machine reaches; so are the addresses of its pods. */
  readonly address: string;
  /** The machine's own address, as the node and its pods reach it. */
  readonly machineAddress: string;
  /** Takes an image from an archive (`buildImage`, `docker save`). */
  importImage(archive: string): Promise<void>;
  /** Builds an image and takes it. */
  addImage(image: ImageDefinition): Promise<void>;
  /** Runs a program on the node, in its namespaces; returns what it wrote, throws with its standard error. */
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** Ends a daemon (SIGKILL by default) and starts it again. */
  restart(daemon: Daemon, signal?: NodeJS.Signals): Promise<void>;
  /** The last lines that its daemons wrote: what to show when something failed. */
  logs(): string;
  /** Ends all its pods at once, and returns when nothing of the node is left on the machine. */
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** Default `real`; no simulated node of the control plane may have it. */
  readonly name?: string;
  /** Images beside the busybox one. */
  readonly images?: readonly ImageDefinition[];
  /** Leave the folder where it is after `stop`. */
  readonly keep?: boolean;
  /** Heard as things come up, with the milliseconds since the start. */
  readonly onProgress?: (what: string, ms: number) => void;
}

/** Why this machine cannot run a node; undefined when it can. */
export function whyNoNode(): string | undefined {
  if (process.platform !== 'linux') return 'a kubelet needs Linux';
  if (process.getuid?.() !== 0) return 'a kubelet needs root';
  if (!existsSync('/dev/fuse')) return 'this machine has no /dev/fuse; `modprobe fuse` makes it, and a container has to be given it';
  const missing = NEEDED.filter((path) => !existsSync(path));
  return missing.length === 0 ? undefined : `missing here: ${missing.join(', ')}; as root on Debian, scripts/setup.sh installs them`;
}

const NEEDED = ['/usr/bin/containerd', '/usr/sbin/runc', '/usr/lib/cni/bridge', '/usr/sbin/nft', '/usr/sbin/ip', '/bin/busybox'];

/** Starts a node of this control plane; it takes pods when it returns. */
export async function startNode(plane: ControlPlaneHandle, options: NodeOptions = {}): Promise<RealNode> {
  const impossible = whyNoNode();
  if (impossible !== undefined) throw new Error(`no node can be started: ${impossible}`);
  const began = performance.now();
  const reached = (what: string) => options.onProgress?.(what, Math.round(performance.now() - began));
  const programs = nodeTools();
  sweepNodes();
  const layout = prepareDir(options.name ?? 'real');
  const { dir, name } = layout;
  const { kubelet, mounts, podLogs, socket } = nodePaths(dir);
  const ca = readPair(plane.dir, 'ca');
  const api = connectApi(plane.server, ca.certificate, readPair(plane.dir, 'admin'));
  const keeper = await startNodeKeeper(dir);
  const archive = ({ name: image }: ImageDefinition) => join(dir, 'images', `${image.replaceAll(/[/:]/g, '_')}.tar`);
  const importImage = async (path: string) =>
    void (await run('ctr', ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', path]));
  const addImage = async (image: ImageDefinition) => {
    buildImage(image, archive(image));
    await importImage(archive(image));
  };
  const stop = async () => {
    await untilReleased(dir, plane.kubeconfig);
    await keeper.stop(keepsFolder(dir, options.keep));
    // A control plane that is gone already has no Node either.
    await api.call('DELETE', `/api/v1/nodes/${name}`).catch(() => {});
    await api.close();
  };
  try {
    await writeCredentials(layout, ca);
    reached('credentials');
    await keeper.start({ layout, apiPort: Number(new URL(plane.server).port), programs });
    reached('daemons');
    for (const image of [pauseImage(), busyboxImage(), ...(options.images ?? [])]) await addImage(image);
    reached('images');
    await untilSchedulable(api, [name], keeper.failure);
    reached('Ready');
  } catch (error) {
    const logs = logTails(dir);
    await stop();
    throw new Error(`the node did not start: ${error instanceof Error ? error.message : error}\n${logs}`, { cause: error });
  }
  return {
    name,
    dir,
    kubeletDir: kubelet,
    podLogsDir: podLogs,
    mountRoot: mounts,
    address: layout.address,
    machineAddress: layout.hostAddress,
    importImage,
    addImage,
    run: async (command, ...args) => {
      const init = Number(readFileSync(join(dir, 'init.pid'), 'utf8'));
      const [program = '', ...argv] = onNode(init, command, args);
      return (await run(program, argv, { maxBuffer: 64 << 20 })).stdout;
    },
    restart: (daemon, signal = 'SIGKILL') => keeper.restart(daemon, signal),
    logs: () => logTails(dir),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The private folder with what the daemons read, except their credentials. */
function prepareDir(name: string): NodeLayout {
  // Mount tables have real paths.
  const dir = mkdtempSync(join(realpathSync(tmpdir()), NODE_PREFIX));
  writeFileSync(join(dir, 'owner.pid'), String(process.pid));
  const layout = freeLayout(dir, name);
  for (const [file, text] of Object.entries({ ...nodeFiles(layout, snapshotterOn(dir)), ...serviceFiles(layout), 'images/.keep': '' })) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
  }
  return layout;
}

/** In a container the folder may itself be on an overlay, on which there can be no other; then every container gets a copy of its image. */
function snapshotterOn(dir: string): 'overlayfs' | 'native' {
  return statfsSync(dir).type === OVERLAYFS ? 'native' : 'overlayfs';
}

/** The file system's number in the kernel. */
const OVERLAYFS = 0x79_4c_76_30;

/** Addresses that no other network here uses. */
function freeLayout(dir: string, name: string): NodeLayout {
  for (let attempt = 0; attempt < 20; attempt++) {
    const layout = nodeLayout(dir, name, randomInt(1 << 14));
    if (!isTaken(layout.subnet)) return layout;
  }
  throw new Error('no free addresses in 100.64.0.0/10 for a node');
}

async function writeCredentials({ dir, name, address }: NodeLayout, ca: KeyPair): Promise<void> {
  const kubelet = { user: `system:node:${name}`, groups: ['system:nodes'], hosts: [name, address] };
  const secret = (file: string, text: string) => writeFileSync(join(dir, file), text, { mode: 0o600 });
  const identify = async (daemon: Exclude<Daemon, 'containerd'>, identity: Identity) => {
    const pair = await issue(ca, identity, new Date());
    const { user } = identity;
    secret(`${daemon}.kubeconfig`, kubeconfigText({ server: `https://${SERVICE_ADDRESS}`, ca: ca.certificate, user, credentials: pair }));
    return pair;
  };
  const [pair] = await Promise.all([
    identify('kubelet', kubelet),
    identify('kube-proxy', { user: 'system:kube-proxy' }),
    identify('coredns', { user: 'coredns', groups: ['system:masters'] }),
  ]);
  secret('ca.crt', ca.certificate);
  secret('kubelet-server.crt', pair.certificate);
  secret('kubelet-server.key', pair.key);
}

function readPair(dir: string, name: string): KeyPair {
  const read = (extension: string) => readFileSync(join(dir, 'pki', `${name}.${extension}`), 'utf8');
  return { certificate: read('crt'), key: read('key') };
}

function logTails(dir: string): string {
  return (['containerd', 'kubelet', 'kube-proxy', 'coredns'] as const)
    .map((daemon) => `--- ${daemon}\n${lastLines(join(nodePaths(dir).logs, `${daemon}.log`))}`)
    .join('\n');
}

function lastLines(file: string): string {
  if (!existsSync(file)) return 'was not started';
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15);
  return lines.map((line) => line.slice(0, 400)).join('\n');
}
