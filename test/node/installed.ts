/**
 * An operator's cluster: a control plane, a real node, Sluice's own image on it and the output of `sluice install`. All of it is what users
 * get; only the image's name and the folders are the test's.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ControlPlane, type ImageDefinition, type RealNode, startControlPlane, startNode } from '../../harness/index.ts';
import { nodePaths } from '../../harness/node/layout.ts';
import { type Ended, sluice } from '../cli/run.ts';
import { SLUICE_IMAGE, withSluiceImage } from './sluice-image.ts';

export const NAMESPACE = 'fluid-system';

export interface Installed {
  readonly plane: ControlPlane;
  readonly node: RealNode;
  /** Runs the command line against this cluster, as its administrator. */
  sluice(...args: readonly string[]): Promise<Ended>;
  /** Prints the manifests for this cluster, with further flags, and applies them; returns what kubectl said. */
  install(...flags: readonly string[]): Promise<string>;
  /** Resolves when controller and node plugin run as they were last applied. */
  rolledOut(): Promise<void>;
  /** Texts for a failed test: the end of the logs of Sluice's pods, the kubelet and containerd. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

export interface InstalledOptions {
  /** Images beside Sluice's own. */
  readonly images?: readonly ImageDefinition[];
  /** Further flags of `sluice install`. */
  readonly flags?: readonly string[];
  /** Heard as things begin. */
  readonly onProgress?: (what: string) => void;
}

/** Ready for Datasets when it returns. There is one node, and it is real; who wants others beside it adds them to `plane.nodes`. */
export async function startInstalled({ images = [], flags = [], onProgress = () => {} }: InstalledOptions = {}): Promise<Installed> {
  onProgress('control plane');
  const plane = await startControlPlane({ nodes: 0 });
  const stops: (() => Promise<void>)[] = [() => plane.stop()];
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    onProgress('node');
    const node = await startNode(plane, { images });
    stops.push(() => node.stop());
    onProgress('image of Sluice');
    await withSluiceImage((archive) => node.importImage(archive));
    const command = (...args: readonly string[]) => sluice(args, { env: { KUBECONFIG: plane.kubeconfig } });
    const { kubeletDir, mountRoot, podLogsDir } = node;
    const where = ['--image', SLUICE_IMAGE, '--kubelet-dir', kubeletDir, '--mount-root', mountRoot, '--pod-logs-dir', podLogsDir];
    const installed: Installed = {
      plane,
      node,
      sluice: command,
      stop,
      async install(...more) {
        const { code, stdout, stderr } = await command('install', ...where, ...flags, ...more);
        if (code !== 0) throw new Error(`sluice install: ${stderr}`);
        const file = join(plane.dir, 'install.yaml');
        writeFileSync(file, stdout);
        return plane.kubectl('apply', '--server-side', '-f', file);
      },
      async rolledOut() {
        for (const workload of ['daemonset/sluice-csi', 'deployment/sluice-controller', 'deployment/sluice-webhook'])
          await plane.kubectl('rollout', 'status', '-n', NAMESPACE, workload, '--timeout=240s');
      },
      async logs() {
        const ours = await Promise.all(
          ['controller', 'csi', 'webhook'].map((part) =>
            plane
              .kubectl('logs', '-n', NAMESPACE, '-l', `app.kubernetes.io/component=${part}`, '--prefix', '--tail=40', '--ignore-errors')
              .catch(String),
          ),
        );
        return [...ours, await plane.kubectl('get', 'pods,events', '-A').catch(String), node.logs()].join('\n');
      },
    };
    onProgress('sluice install | kubectl apply --server-side -f -');
    await installed.install();
    await installed.rolledOut().catch(async (error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}\n${await installed.logs()}`, { cause: error });
    });
    return installed;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gives an image on the node a second name. */
export async function tagImage(node: RealNode, image: string, name: string): Promise<void> {
  const { socket } = nodePaths(node.dir);
  await promisify(execFile)('ctr', ['--address', socket, '--namespace', 'k8s.io', 'images', 'tag', image, name]);
}
