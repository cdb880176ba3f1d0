import { askForFusePod } from './ask.ts';
import { bindOver } from '../mounts/bind-over.ts';
import type { TargetState } from '../mounts/binding.ts';
import { CsiError, status } from '../grpc/errors.ts';
import { type MountInfo, stackAt, topAt } from '../mounts/mountinfo.ts';
import type { NodeContext } from '../node-context.ts';
import { NotBound } from '../mounts/not-bound.ts';
import { type PublishPlan, type PublishRequest, planPublish } from './plan.ts';
import type { CsiVolume } from '../volume.ts';

/** When a failed bind is retried: a client that replaced one just like it may have left the mount table as it was. */
const AGAIN_MS = 2_000;
/** How often to retry what may appear without a change of the mount table. */
const LOOK_MS = 500;
/** After its node's label was removed, a fuse pod is deleted within this time; one that is not stays. */
const DELETION_MS = 3_000;
/** How long a fuse pod is taken for one that is being deleted while the API server does not answer. */
const DEPARTURE_MS = 60_000;

/** The volume cannot be mounted at the target yet. */
export interface TooEarly {
  readonly because: string;
  /** When to attempt it again although the mount table has not changed. */
  readonly againMs: number;
  /** The mount table from which this follows. */
  readonly mounts: readonly MountInfo[];
}

/**
 * Reads the mount table, decides, acts.
 *
 * @throws CsiError, or what the host threw, if no wait for a change of the mount table helps
 */
export async function attempt(context: NodeContext, request: PublishRequest): Promise<'done' | TooEarly> {
  const { mounts, found, plan } = await planned(context, request);
  const { volume } = request;
  // Also of a reading that shows no mount: the next client's may get the number of the device.
  const departsFor = context.departing.since(volume.fusePath, topAt(mounts, volume.fusePath));
  if (plan.do === 'nothing') return 'done';
  if (plan.do === 'wait') return { because: plan.because, againMs: Number.POSITIVE_INFINITY, mounts };
  if (departsFor !== undefined && (await isDeparting(context, volume, departsFor)))
    return { because: `${volume.fusePath} is mounted by a fuse pod that is being deleted`, againMs: LOOK_MS, mounts };
  try {
    await carryOut(context, plan, mounts, found);
    return 'done';
  } catch (error) {
    // A volume that need not be a mount appears without a change of the table.
    return { because: whatToWaitFor(error), againMs: volume.mountType === undefined ? LOOK_MS : AGAIN_MS, mounts };
  }
}

interface Planned {
  readonly mounts: readonly MountInfo[];
  readonly found: TargetState;
  readonly plan: PublishPlan;
}

/** Binding checks its source once more, so a recent reading of the table is enough for it; to wait or to do nothing, it is not. */
async function planned({ host, watch }: NodeContext, request: PublishRequest): Promise<Planned> {
  const { target } = request;
  const by = (mounts: readonly MountInfo[]): Planned => {
    const found: TargetState = stackAt(mounts, target).length > 0 ? { is: 'directory' } : host.look(target);
    return { mounts, found, plan: planPublish(request, mounts, found) };
  };
  const recent = watch.recent(target);
  const first = recent && by(recent);
  return first?.plan.do === 'bind' && first.plan.binding.mount !== undefined ? first : by(await host.mounts());
}

type Effective = Extract<PublishPlan, { readonly do: 'bind' | 'link' }>;

async function carryOut({ host, log }: NodeContext, plan: Effective, mounts: readonly MountInfo[], found: TargetState): Promise<void> {
  const { source, target } = plan.binding;
  if (plan.do === 'link') {
    log.info({ source, target }, 'Creating symlink');
    return host.link(plan.binding);
  }
  // A link of an earlier method: bound through it, the volume would be mounted on the FUSE client's own mount point.
  if (found.is === 'link') host.removeTarget(target);
  if (stackAt(mounts, target).length === 0) host.makeTarget(target);
  if (!(await bindOver(host, plan.binding))) log.warn({ target }, 'bound in place of a directory that was removed');
}

/** The reason to wait for a change of the mount table. @throws CsiError, or the error itself, if no such wait helps */
function whatToWaitFor(error: unknown): string {
  if (!(error instanceof NotBound)) throw error;
  switch (error.why) {
    case 'later':
      return error.message;
    case 'escaped':
      throw new CsiError(status.INVALID_ARGUMENT, error.message, { cause: error });
    case 'missing':
      // Another pod may create the missing directory, which the mount table does not show: so the kubelet retries.
      throw new CsiError(status.NOT_FOUND, error.message, { cause: error });
    case 'dead end':
    case 'failed':
      throw error;
  }
}

/** Whether what is mounted belongs to a fuse pod whose label this node has just removed: the pod may have been kept in time, or not. */
async function isDeparting(context: NodeContext, { fusePath, runtime }: CsiVolume, forMs: number): Promise<boolean> {
  if (forMs < DELETION_MS) return true;
  const { pod } = (runtime && (await askForFusePod(context, runtime))) ?? {};
  const goes = pod ? pod.metadata.deletionTimestamp !== undefined : forMs < DEPARTURE_MS;
  if (!goes) context.departing.stays(fusePath);
  return goes;
}
