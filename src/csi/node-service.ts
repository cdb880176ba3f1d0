import { resolve } from 'node:path/posix';
import { CsiError, invalid, status } from './grpc/errors.ts';
import type { Handlers } from './grpc/service.ts';
import { podPathOf } from './kubelet.ts';
import { isWithin } from './mounts/mountinfo.ts';
import type { NodeContext } from './node-context.ts';
import type { Node } from './grpc/proto/csi.gen.ts';
import { capability } from './grpc/proto/values.ts';
import { publish } from './publish/publish.ts';
import { stage, unstage } from './stage/stage.ts';
import { statsOf } from './publish/stats.ts';
import { unpublish } from './publish/unpublish.ts';
import { checkCapability, isReadOnly, podOfContext, parseVolume } from './volume.ts';

/** The CSI node service: checks the requests; publish/ and stage/ do the work. */
export function node(context: NodeContext): Handlers<typeof Node> {
  const { nodeId, kubeletDir, askedDir, locks, volumes, explained, host, log, clock, metrics } = context;
  /** Publish calls under way, by target: what ends their waiting, and their end. */
  const publishing = new Map<string, { readonly over: AbortController; readonly ended: Promise<void> }>();

  function inKubelet(name: string, path: string): string {
    if (path === '') throw invalid(`${name}: expected a path, found none`);
    // A mount elsewhere would not reach the host.
    if (!isWithin(path, askedDir) || path.split('/').includes('..'))
      throw invalid(`${name}: expected a path within ${askedDir}, found ${path}`);
    return resolved(path);
  }

  // As the mount table has it, where `//`, `/./` and a trailing slash do not occur.
  function resolved(path: string): string {
    const plain = resolve(path);
    return isWithin(plain, askedDir) ? kubeletDir + plain.slice(askedDir.length) : plain;
  }

  return {
    async nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability, volumeContext }, { signal }) {
      given('volume_id', volumeId);
      inKubelet('staging_target_path', stagingTargetPath);
      checkCapability(volumeCapability);
      await locks.call(`volume ${volumeId}`, () => stage(context, volumeId, volumeContext, signal));
      return {};
    },

    async nodeUnstageVolume({ volumeId, stagingTargetPath }) {
      given('volume_id', volumeId);
      inKubelet('staging_target_path', stagingTargetPath);
      await locks.call(`volume ${volumeId}`, () => unstage(context, volumeId));
      return {};
    },

    async nodePublishVolume({ volumeId, targetPath, volumeCapability, readonly, volumeContext }, call) {
      given('volume_id', volumeId);
      const target = inKubelet('target_path', targetPath);
      checkCapability(volumeCapability);
      const volume = parseVolume(volumeContext, context);
      const path = podPathOf(target, kubeletDir);
      if (path) volumes.learn(path.volumeName, volume);
      const pod = podOfContext(volumeContext);
      const request = { volumeId, volume, target, readOnly: isReadOnly(volumeCapability, readonly), ...(pod && { pod }) };
      const [over, end] = [new AbortController(), Promise.withResolvers<void>()];
      const began = clock.monotonic();
      const metered = (error?: unknown) => metrics?.published(volume.fusePath, (clock.monotonic() - began) / 1000, error);
      try {
        await locks.call(target, () => {
          publishing.set(target, { over, ended: end.promise });
          return publish(context, request, { ...call, signal: AbortSignal.any([call.signal, over.signal]) });
        });
        metered();
      } catch (error) {
        metered(error);
        throw error;
      } finally {
        // A second call that was rejected leaves what the first has put here.
        if (publishing.get(target)?.over === over) publishing.delete(target);
        end.resolve();
      }
      explained.delete(target);
      return {};
    },

    async nodeUnpublishVolume({ volumeId, targetPath }) {
      given('volume_id', volumeId);
      const target = inKubelet('target_path', targetPath);
      explained.delete(target);
      const before = publishing.get(target);
      before?.over.abort(new CsiError(status.ABORTED, `${target}: is being unpublished`));
      await before?.ended;
      const left = await locks.call(target, () => unpublish(host, target, log));
      const name = podPathOf(target, kubeletDir)?.volumeName;
      if (name && !left.some(({ mountPoint }) => podPathOf(mountPoint, kubeletDir)?.volumeName === name)) volumes.forget(name);
      return {};
    },

    async nodeGetVolumeStats({ volumeId, volumePath }) {
      given('volume_id', volumeId);
      given('volume_path', volumePath);
      return statsOf(context, resolved(volumePath));
    },

    nodeGetCapabilities: () => ({
      capabilities: Object.values(capability).map((type) => ({ type: { case: 'rpc', value: { type } } })),
    }),

    nodeGetInfo() {
      if (nodeId === '') throw new CsiError(status.FAILED_PRECONDITION, 'the plugin does not know its node: set --node-id or NODE_ID');
      return { nodeId };
    },
  };
}

function given(name: string, value: string): void {
  if (value === '') throw invalid(`${name}: expected a value, found none`);
}
