import { operationNames } from '../../constructs/operation-names.ts';
import { type Outcome, settled } from '../../kube/turns/queue.ts';
import { againAfterConflict } from '../failures.ts';
import { carryOut, type Contribution, firstOf } from '../steps.ts';
import type { Hold, Key, OperationKey } from '../world.ts';
import type { OperationCluster, OperationPass } from './cluster.ts';
import { endIdle, type OperationAction, take } from './effects.ts';
import { report, updated } from './report.ts';
import { isRunning, lacksOwner } from './state.ts';
import { operationSteps } from './steps.ts';
import type { OperationWorld } from './world.ts';

/**
 * One pass over an operation of any kind: observe, decide, act, report.
 *
 * @param reportInMs how much longer a passing hold may go unreported
 */
export const reconcileOperation = (cluster: OperationCluster, key: OperationKey, reportInMs = 0): Promise<Outcome> =>
  againAfterConflict(() => pass(cluster, key, reportInMs));

async function pass(cluster: OperationCluster, key: OperationKey, reportInMs: number): Promise<Outcome> {
  const seen = cluster.observe(key);
  const isMissed = seen !== undefined && missesJob(seen);
  if (isMissed) await adopt({ cluster, world: seen, reportInMs });
  // Nothing is awaited between this reading and the start of an operation: two of a line would start at once.
  const world = isMissed ? cluster.observe(key) : seen;
  if (!world) return settled();
  const asked = firstOf(world, operationSteps);
  cluster.awaits(key, awaited(world, asked));
  const over = { cluster, world, reportInMs };
  const outcome = await carryOut(
    asked,
    (action) => take(over, action),
    (hold) => report(over, hold),
    reportInMs,
  );
  if (asked.hold) await endIdle(over);
  return asked.again ? pass(cluster, key, reportInMs) : outcome;
}

/** An operation that runs has a Job, though the label of the Job may be lost. */
const missesJob = ({ operation, run }: OperationWorld): boolean =>
  !run && isRunning(operation) && operation.spec.policy !== 'Cron' && !operation.metadata.deletionTimestamp;

/** Before any decision: the operation's Job goes on and ends, even if the spec has a fault by now or the operation would wait. */
const adopt = (pass: OperationPass): Promise<void> =>
  updated(pass, `Job/${operationNames(pass.world.key).job}`, () => pass.cluster.adoptJob(pass.world));

/** Reasons that a change of the Dataset ends. */
const OF_DATASETS: ReadonlySet<string | undefined> = new Set<Hold['reason']>(['TargetDatasetNotFound', 'MountsChanged']);

/** Only what it waits for wakes an operation: the status of its Dataset changes with each operation that starts or ends. */
function awaited(
  { operation, target, other, predecessor, mounts }: OperationWorld,
  { actions = [], hold }: Contribution<OperationAction>,
): readonly (Key | OperationKey)[] {
  const datasets = other ? [target, other.key] : [target];
  const needsThem = OF_DATASETS.has(hold?.reason) || actions.some((action) => action.do === 'start' || action.do === 'schedule');
  const lacksThem = needsThem || mounts !== undefined || lacksOwner(operation);
  // In every wait, the end of an earlier operation that may expire has to be seen.
  const earlier = hold && predecessor.is === 'awaited' ? [predecessor.key] : [];
  return [...(lacksThem ? datasets : []), ...earlier];
}
