import { join } from 'node:path';
import { fuseGenerationOf } from '../../api/records.ts';
import { isToGo } from './clean-policy.ts';
import type { RuntimeRecord } from '../cluster/node-cluster.ts';
import { sleep } from '../../kube/clock.ts';
import { CsiError, status, unavailable } from '../grpc/errors.ts';
import { fuseOf } from './fuse-label.ts';
import { fusePod } from '../cluster/fuse-pods.ts';
import { handleOf, podPathOf } from '../kubelet.ts';
import { FileSystemSilent } from '../mounts/reach.ts';
import type { NodeContext } from '../node-context.ts';
import { stagedFuse } from './staged-fuse.ts';
import { type RuntimeName, type CsiVolume, parseVolume } from '../volume.ts';

type Attributes = Readonly<Record<string, string>>;
type Daemon = NonNullable<CsiVolume['daemon']>;

const DAEMON_MS = 30_000;
/** How late its socket is seen. */
const LOOK_MS = 200;

/** Labels the node, so that the fuse pod is created there. Does not wait for it: publish does, and can explain more. */
export async function stage(context: NodeContext, volumeId: string, attributes: Attributes, signal: AbortSignal): Promise<void> {
  const { labels, release, staged } = context;
  const volume = parseVolume(attributes, context);
  const fuse = await fuseOf(context.cluster, volumeId, volume);
  // Clients of a CacheRuntimeClass are programs that know nothing of Sluice, and few make the directory on which they mount.
  if (attributes['mount_type'] === 'cache') await answer(volume.fusePath, context.host.makeSource(volume.fusePath));
  release.staging(volumeId);
  // Before the label: what was labelled must be unstaged, even if the plugin ended before it could answer.
  staged.keep({ handle: volumeId, attributes, fuse });
  // First: the client cannot mount without it, and may not retry.
  if (volume.daemon) await startDaemon(context, volumeId, volume.daemon, signal);
  if (fuse.nodeLabel) await labels.take(fuse.nodeLabel, volumeId);
}

/** Has the daemon start on this node, and waits for its socket. */
async function startDaemon(context: NodeContext, volumeId: string, daemon: Daemon, signal: AbortSignal): Promise<void> {
  await context.labels.take(daemon.nodeLabel, volumeId);
  const socket = join(daemon.directory, daemon.socket);
  for (const end = context.clock.monotonic() + DAEMON_MS; !(await answer(socket, context.host.exists(socket))); ) {
    if (context.clock.monotonic() >= end)
      throw unavailable(
        `${socket} does not exist: ${daemon.title} has not started on this node; sluice install --daemon ${daemon.type} prints it`,
      );
    await sleep(context.clock, LOOK_MS, signal);
  }
}

/** @throws CsiError UNAVAILABLE when the file system below the mount root does not answer: the kubelet retries */
async function answer<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FileSystemSilent) throw unavailable(`${path} has not answered since ${error.since}`);
    throw error;
  }
}

/** Removes the node's label, and so the fuse pod, if the clean policy says so and no other staged volume needs it. */
export async function unstage(context: NodeContext, volumeId: string): Promise<void> {
  const { cluster, host, release, departing, staged } = context;
  await checkUnused(context, volumeId);
  const { nodeLabel, runtime: name, volume } = (await stagedFuse(context, volumeId)) ?? {};
  // Without its runtime, the label is left to the controller, which removes all of them at teardown.
  const runtime = name && (await cluster.runtime(name));
  if (nodeLabel && volume && runtime && (await mayGo(context, runtime, name))) {
    const mounts = await host.mounts();
    if (await release.leave(volumeId, nodeLabel)) departing.add(volume.fusePath, mounts);
  } else release.forget(volumeId);
  staged.forget(volumeId);
}

/** The kubelet unstages after the last pod has ended; the mount table shows whether that is so. */
async function checkUnused({ host, kubeletDir }: NodeContext, volumeId: string): Promise<void> {
  const users = new Set<string>();
  for (const { mountPoint } of await host.mounts()) {
    const path = podPathOf(mountPoint, kubeletDir);
    if (!path || users.has(path.podUid)) continue;
    try {
      if (handleOf(kubeletDir, path) === volumeId) users.add(path.podUid);
    } catch {
      // The kubelet is just writing it, for another volume: it does not publish a volume while it unstages it.
    }
  }
  if (users.size > 0)
    throw new CsiError(status.FAILED_PRECONDITION, `volume ${volumeId} is still mounted for pods ${[...users].join(', ')}`);
}

async function mayGo(context: NodeContext, { cleanPolicy }: RuntimeRecord, { namespace, name }: RuntimeName): Promise<boolean> {
  if (cleanPolicy !== 'OnFuseChanged') return isToGo({ policy: cleanPolicy });
  // The Dataset's own claim is called as it is.
  const [wanted, pod] = await Promise.all([context.cluster.claimLabels({ namespace, name }), fusePod(context, { namespace, name })]);
  return isToGo({
    policy: cleanPolicy,
    wanted: fuseGenerationOf(wanted),
    running: fuseGenerationOf(pod?.metadata.labels),
  });
}
