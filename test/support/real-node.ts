/** The common part of tests on a real node: whether this machine can have one, pods, and the state that a node may not leave behind. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Cluster, whyNoNode } from '../../harness/index.ts';
import { canRun } from './can-run.ts';

/** For `describe.skipIf(!canHaveNode)`. */
export const canHaveNode = canRun('tests on a real node', whyNoNode());

export interface PodDefinition {
  readonly name: string;
  readonly namespace?: string;
  readonly image: string;
  /** A shell script. */
  readonly script: string;
  /** Added to the container. */
  readonly container?: object;
  /** Added to the pod's spec. */
  readonly spec?: object;
}

/** Creates a pod of one container, `main`. */
export async function createPod(cluster: Pick<Cluster, 'create'>, pod: PodDefinition): Promise<void> {
  const { name, namespace = 'default', image, script, container, spec } = pod;
  const containers = [{ name: 'main', image, command: ['sh', '-c', script], ...container }];
  const labels = { app: name };
  await cluster.create(`/api/v1/namespaces/${namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: { terminationGracePeriodSeconds: 1, ...spec, containers },
  });
}

/** A privileged container that mounts under `root` so that the machine sees it. */
export function mountsInto(root: string, propagation: 'Bidirectional' | 'HostToContainer' = 'Bidirectional') {
  const isMounter = propagation === 'Bidirectional';
  return {
    container: {
      ...(isMounter ? { securityContext: { privileged: true } } : {}),
      volumeMounts: [{ name: 'mounts', mountPath: root, mountPropagation: propagation }],
    },
    spec: { volumes: [{ name: 'mounts', hostPath: { path: root, type: 'Directory' } }] },
  };
}

/**
 * Waits until the pod's container has been started again for the `count`th time. A test node's kubelet lets 1 s pass between a crash and
 * a start, but having seen that it is too early it retries only 10 to 15 s later, unless the pod changes: so it is made to.
 */
export async function untilRestarted(cluster: Pick<Cluster, 'get' | 'kubectl'>, pod: string, count: number, namespace = 'default') {
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    // The pod in the API server's words.
    const { status } = (await cluster.get(path)) as { readonly status: PodStatus };
    const container = status.containerStatuses?.[0];
    if (container !== undefined && container.restartCount >= count && container.state.running !== undefined) return;
    await cluster.kubectl('annotate', '--overwrite', '-n', namespace, 'pod', pod, `look=${Date.now()}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error(`the container of ${namespace}/${pod} was not started again ${count} times`);
}

interface PodStatus {
  readonly containerStatuses?: readonly { readonly restartCount: number; readonly state: { readonly running?: object } }[];
}

/** Everything by which a node in `dir` could be noticed on this machine. */
export function tracesOf(dir: string): readonly string[] {
  const id = `slu${basename(dir).slice(basename(dir).lastIndexOf('-') + 1)}`;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const links = execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' }).split('\n');
  const routes = execFileSync('ip', ['-4', 'route'], { encoding: 'utf8' }).split('\n');
  return [
    ...(existsSync(dir) ? [dir] : []),
    ...mounts.filter((line) => line.includes(dir)),
    ...[...links, ...routes].filter((line) => line.includes(id)),
    ...readdirSync('/sys/fs/cgroup').filter((name) => name === id || existsSync(join('/sys/fs/cgroup', name, id))),
    // Daemons have the folder in argv and environment, containers the name in their cgroup. Numbers of namespaces are used again at once.
    ...processes().filter((pid) =>
      ['cmdline', 'environ', 'cgroup'].some((file) => [dir, id].some((mark) => read(pid, file).includes(mark))),
    ),
  ];
}

/** Settings of the whole machine that a kubelet or containerd would change. */
export function machineState() {
  const sysctls = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward', 'kernel/keys/root_maxkeys'];
  return {
    sysctls: sysctls.map((name) => readFileSync(join('/proc/sys', name), 'utf8')),
    // The first mount with options of its own on a machine makes /run/mount, for util-linux's table of them.
    folders: ['/run', '/var/lib', '/var/log', '/etc/cni'].filter(existsSync).map((folder) =>
      readdirSync(folder)
        .filter((name) => name !== 'mount')
        .toSorted(),
    ),
    rules: execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }),
  };
}

function processes(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
