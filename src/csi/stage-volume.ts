import { stat, watch as watchDirectory } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { label } from '../api/labels.ts';
import { isToGo } from './clean-policy.ts';
import type { RuntimeRecord } from './cluster.ts';
import { CsiError, invalid, unavailable } from './errors.ts';
import { fusePodOf } from './fuse-pods.ts';
import { handleOf, podPathOf, stagedVolumes } from './kubelet.ts';
import { isOnFuse } from './mountinfo.ts';
import type { NodeParts } from './parts.ts';
import { type Staged, volumeAt } from './staged.ts';
import type { RuntimeName, Volume } from './volume.ts';

const SESSION_MANAGER = 'fluid.io/efc-sessmgr';
const SESSION_MANAGER_MS = 30_000;

/** Has the fuse pod come to this node. It is not waited for: publication does, and has more to say about it. */
export async function stage(parts: NodeParts, volumeId: string, volume: Volume, signal: AbortSignal): Promise<void> {
  const { labels } = parts;
  const { nodeLabel, sessionManagerDir } = volume;
  await Promise.all([nodeLabel && labels.take(nodeLabel, volumeId), sessionManagerDir && labels.take(SESSION_MANAGER, volumeId)]);
  // EFC's client cannot mount without it, and does not try again.
  if (!sessionManagerDir) return;
  if (isOnFuse(await parts.host.mounts(), sessionManagerDir))
    throw invalid(`volume attribute efc_sessmgr_workdir: ${sessionManagerDir} is on a FUSE mount`);
  await untilThere(join(sessionManagerDir, 'sessmgrd.sock'), parts, signal);
}

/** Lets the fuse pod go where its clean policy says so and nobody else needs it. */
export async function unstage(parts: NodeParts, { handle: volumeId, path }: Staged): Promise<void> {
  const { cluster, labels, log } = parts;
  await checkUnused(parts, volumeId);
  const { nodeLabel, runtime: name } = (await volumeAt(parts, { handle: volumeId, path })) ?? {};
  // Without its runtime, the label is the controller's: it takes all of them away at the end.
  const runtime = name && (await cluster.runtime(name));
  if (!nodeLabel || !runtime || !(await mayGo(parts, runtime, name))) return labels.forget(volumeId);
  const sharers = await othersWith(parts, nodeLabel, volumeId);
  log.info({ volumeId, label: nodeLabel, policy: runtime.cleanPolicy, sharers }, sharers.length > 0 ? 'label kept' : 'label removed');
  if (sharers.length > 0) return labels.forget(volumeId);
  await labels.leave(nodeLabel, volumeId);
}

/** The kubelet unstages when the last pod is gone; what is mounted tells whether it is right. */
async function checkUnused({ host, kubeletDir }: NodeParts, volumeId: string): Promise<void> {
  const users = new Set<string>();
  for (const { mountPoint } of await host.mounts()) {
    const path = podPathOf(mountPoint, kubeletDir);
    if (!path || users.has(path.podUid)) continue;
    try {
      if (handleOf(kubeletDir, path) === volumeId) users.add(path.podUid);
    } catch {
      // It is just being written, for another volume: the kubelet does not publish while it unstages.
    }
  }
  if (users.size > 0)
    throw new CsiError(status.FAILED_PRECONDITION, `volume ${volumeId} is still mounted for pods ${[...users].join(', ')}`);
}

async function mayGo({ cluster }: NodeParts, { cleanPolicy }: RuntimeRecord, { namespace, name }: RuntimeName): Promise<boolean> {
  if (cleanPolicy !== 'OnFuseChanged') return isToGo({ policy: cleanPolicy });
  // The Dataset's own claim is called as it is.
  const [wanted, pods] = await Promise.all([cluster.claimLabels({ namespace, name }), cluster.pods(namespace)]);
  return isToGo({
    policy: cleanPolicy,
    wanted: wanted?.[label.fuseGeneration],
    running: fusePodOf(name, pods)?.metadata.labels?.[label.fuseGeneration],
  });
}

/** Other volumes that are staged here and need the same fuse pod. One that nobody knows counts: in doubt the label stays. */
async function othersWith(parts: NodeParts, nodeLabel: string, volumeId: string): Promise<readonly string[]> {
  const others = stagedVolumes(parts.kubeletDir).filter(({ handle }) => handle !== volumeId);
  const found = await Promise.all(
    others.map(async ({ handle, path }) => {
      const volume = handle === undefined ? undefined : await volumeAt(parts, { handle, path }).catch(() => undefined);
      return volume && volume.nodeLabel !== nodeLabel ? [] : [handle ?? path];
    }),
  );
  return found.flat();
}

async function untilThere(path: string, { clock }: NodeParts, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const cancel = clock.after(SESSION_MANAGER_MS, () => over.abort());
  try {
    while (!(await isThere(path))) {
      const directory = await existing(dirname(path));
      const change = firstChange(directory, AbortSignal.any([signal, over.signal]));
      change.catch(() => {});
      // It, or a directory above it, may have come while nobody watched.
      if ((await existing(path)) === directory) await change;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (over.signal.aborted) throw unavailable(`${path} is not there: EFC's session manager has not started on this node`);
    throw error;
  } finally {
    over.abort();
    cancel();
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function existing(directory: string): Promise<string> {
  return (await isThere(directory)) || directory === '/' ? directory : existing(dirname(directory));
}

async function firstChange(directory: string, signal: AbortSignal): Promise<void> {
  for await (const _ of watchDirectory(directory, { signal })) return;
}
