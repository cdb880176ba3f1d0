import type { Runtime } from '../constructs/index.ts';
import type { Monotonic } from '../kube/clock.ts';
import type { Log } from '../kube/types.ts';
import type { Cluster } from './cluster.ts';
import type { Store } from './kubernetes/store/store.ts';
import type { Metrics } from './metrics.ts';
import type { Outcome } from '../kube/turns/queue.ts';
import type { OperationCluster } from './operations/cluster.ts';
import { reconcileOperation } from './operations/reconcile-operation.ts';
import { reconcile } from './reconcile.ts';
import { keyOfText } from './world.ts';
import { messageOf } from '../kube/errors.ts';

export interface PassContext {
  readonly cluster: Cluster & { readonly operations: OperationCluster };
  readonly store: Store;
  readonly runtimes: readonly Runtime[];
  readonly log: Log;
  readonly clock: Monotonic;
  readonly metrics?: Metrics;
}

/**
 * One pass over a key of the queue, with its metrics. An error is logged, and the pass counts as failed.
 *
 * @param reportInMs how long a passing hold still goes unreported
 * @param failures passes over this key that failed in a row before this one
 */
export async function passOver(text: string, context: PassContext, reportInMs: number, failures: number): Promise<Outcome> {
  const { cluster, store, runtimes, log, clock, metrics } = context;
  const key = keyOfText(text);
  const isOperation = 'kind' in key;
  const began = clock.monotonic();
  try {
    if (!isOperation && store.runtimes(key).length === 0) for (const { type } of runtimes) metrics?.forgotten(type, text);
    const outcome = isOperation
      ? await reconcileOperation(cluster.operations, key, Math.max(0, reportInMs))
      : await reconcile(cluster, key, Math.max(0, reportInMs));
    metrics?.reconciled(outcome.kind === 'waiting' ? 'requeue_after' : 'success', (clock.monotonic() - began) / 1000);
    return outcome;
  } catch (error) {
    metrics?.reconciled('error', (clock.monotonic() - began) / 1000);
    // The first failure is often a race with another writer, and the next pass is 50 ms away.
    log[failures === 0 ? 'info' : 'warn']({ key: text, failures: failures + 1, error: messageOf(error) }, 'reconcile failed');
    for (const { definition } of failures === 0 || isOperation ? [] : store.runtimes(key)) metrics?.setupFailed(definition.type, text);
    return { kind: 'failed' };
  }
}
