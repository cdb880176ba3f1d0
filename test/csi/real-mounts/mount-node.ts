/**
 * A node for the plugin, made of mount namespaces alone: the host's, with the kubelet's directory and the mount root shared as by a
 * kubelet, and within it the plugin's own, as in a pod (Bidirectional). A process that ends with the test's holds it, and everything that
 * was mounted ends with it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FusePod } from '../../../src/csi/cluster/node-cluster.ts';
import { type MountInfo, parseMountinfo, stackAt } from '../../../src/csi/mounts/mountinfo.ts';
import { type Heard, startProgram, type TestPlugin } from './plugin.ts';

const SILENT = fileURLToPath(new URL('../../support/silent-fuse.ts', import.meta.url));
const PLUGIN = fileURLToPath(new URL('plugin-process.ts', import.meta.url));

/** Why these tests cannot run here; undefined when they can. */
export function whyNoMounts(): string | undefined {
  if (process.platform !== 'linux') return 'mounts are tested on Linux';
  if (process.getuid?.() !== 0) return 'mounts are tested as root';
  const { status, stderr } = spawnSync('unshare', ['-m', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `no mount namespace of our own: ${stderr.trim()}`;
}

/** The answers of the API server; in the file that the plugin's process reads at each question. */
export interface State {
  volumes?: Record<string, { attributes: Record<string, string>; claim?: { namespace: string; name: string } }>;
  runtimes?: Record<string, { cleanPolicy: string }>;
  claims?: Record<string, Record<string, string>>;
  datasets?: Record<string, { uid: string; labels: Record<string, string> }>;
  pods?: Record<string, FusePod[]>;
  /** Labels that the node has lost. */
  lost?: string[];
  /** The API server refuses to write labels. */
  readOnlyNode?: true;
  /** The API server does not answer which volumes and pods exist. */
  silent?: true;
}

export interface TestNode {
  readonly dir: string;
  /** A process in the plugin's mount namespace. */
  readonly pid: number;
  readonly kubelet: string;
  readonly mountRoot: string;
  /** Runs a script on the host, with arguments; returns what it prints. Throws when it fails. */
  sh(script: string, ...args: string[]): string;
  /** Where the fuse pod of a ThinRuntime in namespace ml mounts. */
  fusePath(name: string): string;
  /** Where the kubelet would have a volume published for one more pod. */
  newTarget(): string;
  mounts(): readonly MountInfo[];
  stack(path: string): readonly MountInfo[];
  write(state: State): void;
  /** A FUSE mount whose client never reads a request, until it is closed: then it is dead. A process that waits for it can be killed. */
  fuse(path: string): { die(): void };
  /** One whose client reads and is silent: a process that waits for it cannot be killed. */
  silentFuse(path: string): Promise<{ die(): Promise<void> }>;
  /** `heard` is given its log lines as they come. */
  startPlugin(options?: Record<string, unknown>, heard?: Heard): Promise<TestPlugin>;
  /** The same for a program of these arguments, which says `serving` in its log. */
  startProgram(argv: readonly string[], heard?: Heard): Promise<TestPlugin>;
  close(): Promise<void>;
}
export async function startMountNode(): Promise<TestNode> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-csi-test-'));
  const [kubelet, mountRoot] = [join(dir, 'kubelet'), join(dir, 'mounts')];
  const setUp = `
    mount -t tmpfs -o mode=755 node "$1" && cd "$1" && mkdir -p kubelet/pods kubelet/plugins mounts/thin/ml
    mount --bind kubelet kubelet && mount --make-shared kubelet && mount --bind mounts mounts && mount --make-shared mounts
    echo ready && exec cat >/dev/null`;
  const holder = spawn('unshare', ['-m', '--propagation', 'private', 'sh', '-ec', setUp, 'sh', dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once('data', () => resolve());
    holder.once('close', (code) => reject(new Error(`the node ended with code ${code}`)));
  });
  const within = ['-t', String(holder.pid), '-m', '--'];
  const fds = new Set<number>();
  const clients = new Set<() => Promise<void>>();
  const plugins = new Set<TestPlugin>();
  const state = `${dir}.json`;
  let pods = 0;
  writeFileSync(state, '{}');

  const node: TestNode = {
    dir,
    pid: holder.pid ?? 0,
    kubelet,
    mountRoot,
    sh(script, ...args) {
      const { status, stdout, stderr } = spawnSync('nsenter', [...within, 'sh', '-ec', script, 'sh', ...args], {
        encoding: 'utf8',
        timeout: 100_000,
      });
      if (status !== 0) throw new Error(`${script}: ${stderr || `exit code ${status}`}`);
      return stdout;
    },
    fusePath: (name) => `${mountRoot}/thin/ml/${name}/thin-fuse`,
    newTarget: () => `${kubelet}/pods/uid-${++pods}/volumes/kubernetes.io~csi/ml-demo/mount`,
    mounts: () => parseMountinfo(readFileSync(`/proc/${holder.pid}/mountinfo`, 'utf8')),
    stack: (path) => stackAt(node.mounts(), path),
    write(value) {
      writeFileSync(state, JSON.stringify(value));
      // As a kubelet that has begun them.
      const begun = Object.entries(value.pods ?? {}).flatMap(([namespace, all]) =>
        all.map(({ metadata: { name, uid } }) => `${namespace}_${name}_${uid}`),
      );
      node.sh('logs=$1; shift; rm -rf "$logs"; for name; do mkdir -p "$logs/$name"; done', join(dir, 'pod-logs'), ...begun);
    },
    fuse(path) {
      node.sh('mkdir -p "$1"', path);
      const fd = openSync('/dev/fuse', 'r+');
      fds.add(fd);
      const argv = ['mount', '-i', '-c', '-t', 'fuse', '-o', 'fd=3,rootmode=40000,user_id=0,group_id=0', 'test', path];
      const { status, stderr } = spawnSync('nsenter', [...within, ...argv], { stdio: ['ignore', 'ignore', 'pipe', fd], encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      return {
        die() {
          if (fds.delete(fd)) closeSync(fd);
        },
      };
    },
    async silentFuse(path) {
      const argv = [...within, process.execPath, '--no-warnings', SILENT, path];
      const client = spawn('nsenter', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
      const die = async () => {
        client.kill('SIGKILL');
        await ended;
      };
      clients.add(die);
      await new Promise<void>((resolve, reject) => {
        client.stdout.once('data', () => resolve());
        void ended.then(() => reject(new Error(`no client has mounted ${path}`)));
      });
      return { die };
    },
    async startPlugin(options = {}, heard) {
      const all = JSON.stringify({ kubeletDir: kubelet, mountRoot, state, ...options });
      return node.startProgram([process.execPath, '--no-warnings', PLUGIN, all], heard);
    },
    async startProgram(argv, heard) {
      const plugin = await startProgram(within, { kubelet, argv, ...(heard && { heard }) });
      plugins.add(plugin);
      return plugin;
    },
    async close() {
      for (const fd of fds) closeSync(fd);
      for (const die of clients) await die();
      for (const plugin of plugins) await plugin.end('SIGKILL');
      holder.stdin.end();
      await new Promise((resolve) => (holder.exitCode === null ? holder.once('close', resolve) : resolve(undefined)));
      rmSync(dir, { recursive: true });
      rmSync(state);
    },
  };
  return node;
}
