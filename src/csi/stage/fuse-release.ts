/**
 * Removes the node's label of a fuse pod that no staged volume needs any more. What the kubelet has staged decides; in doubt the label
 * stays, and is checked again with back-off until the doubt is resolved.
 */
import pLimit from 'p-limit';
import { backoff, type Clock } from '../../kube/clock.ts';
import type { Log } from '../../kube/types.ts';
import { stagedVolumes } from '../kubelet.ts';
import type { Locks } from '../grpc/locks.ts';
import type { NodeLabels } from '../cluster/own-node-labels.ts';
import { type StagedFuseContext, stagedFuse } from './staged-fuse.ts';

/** How many volumes that another plugin has staged are read at a time. */
const AT_ONCE = 4;

export interface FuseRelease {
  /** A volume is being staged: it needs its label from now on. */
  staging(handle: string): void;
  /** A volume needs its label no longer. Resolves with whether the label was removed. @throws Error when the API server rejects that */
  leave(handle: string, nodeLabel: string): Promise<boolean>;
  /** The volume is unstaged, and the node keeps its label. */
  forget(handle: string): void;
  stop(): void;
}

interface ReleaseContext extends StagedFuseContext {
  readonly labels: NodeLabels;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: Log;
  readonly kubeletDir: string;
}

export function fuseRelease(context: ReleaseContext): FuseRelease {
  const { labels, locks, clock, log } = context;
  /** Volumes that are unstaged but still on the kubelet's list, since it waits for the answer of that call. */
  const left = new Set<string>();
  /** Cancels the next check of a label that was kept in doubt. */
  const doubts = new Map<string, () => void>();
  let stopped = false;

  function settle(nodeLabel: string): void {
    doubts.get(nodeLabel)?.();
    doubts.delete(nodeLabel);
  }

  function recheck(nodeLabel: string, checks: number): void {
    if (stopped) return;
    const check = () =>
      void decide(nodeLabel, undefined, checks).catch((error: unknown) => {
        log.warn({ label: nodeLabel, error: String(error) }, 'a label of the node that is perhaps unused cannot be removed; retrying');
        recheck(nodeLabel, checks + 1);
      });
    doubts.set(nodeLabel, clock.after(backoff(checks, clock.random), check));
  }

  /** One at a time for each label: two volumes that are unstaged together would each find the other. */
  function decide(nodeLabel: string, leaving: string | undefined, checks: number): Promise<boolean> {
    return locks.run(`label ${nodeLabel}`, async () => {
      settle(nodeLabel);
      const { sure, unsure } = await others(context, nodeLabel, left, leaving);
      const kept = sure.length + unsure.length > 0;
      // A volume that has taken it meanwhile keeps it.
      if (!kept) await labels.leave(nodeLabel, leaving ?? '');
      else if (leaving !== undefined) labels.forget(leaving);
      log.info({ volumeId: leaving, label: nodeLabel, sharers: [...sure, ...unsure] }, kept ? 'label kept' : 'label removed');
      if (leaving !== undefined) left.add(leaving);
      if (sure.length === 0 && unsure.length > 0) recheck(nodeLabel, checks + 1);
      return !kept;
    });
  }

  return {
    staging: (handle) => void left.delete(handle),
    leave: (handle, nodeLabel) => decide(nodeLabel, handle, 0),
    forget(handle) {
      labels.forget(handle);
      left.add(handle);
    },
    stop() {
      stopped = true;
      for (const nodeLabel of doubts.keys()) settle(nodeLabel);
    },
  };
}

/** Other volumes that are staged here and need the same fuse pod, and those of which that is unknown. */
async function others(context: ReleaseContext, nodeLabel: string, left: Set<string>, leaving: string | undefined) {
  const staged = stagedVolumes(context.kubeletDir);
  const there = new Set(staged.map(({ handle }) => handle));
  for (const handle of left) if (!there.has(handle)) left.delete(handle);
  const rest = staged.filter(({ handle }) => handle === undefined || (handle !== leaving && !left.has(handle)));
  const found = await pLimit(AT_ONCE).map(rest, async ({ handle, path }) => {
    const fuse = handle === undefined ? undefined : await stagedFuse(context, handle).catch(() => undefined);
    return { name: handle ?? path, needs: fuse?.nodeLabel };
  });
  return {
    sure: found.filter(({ needs }) => needs === nodeLabel).map(({ name }) => name),
    unsure: found.filter(({ needs }) => needs === undefined).map(({ name }) => name),
  };
}
