import { operationNames } from '../../constructs/operation-names.ts';
import type { OperationCluster } from './cluster.ts';
import type { OperationObject } from './world.ts';
import { deleteByUid } from '../kubernetes/apply/deletion.ts';
import type { ClusterContext } from '../kubernetes/cluster-context.ts';
import { ownedType } from '../../planning/kinds.ts';
import { unseen } from '../kubernetes/observe/unseen.ts';
import type { Store } from '../kubernetes/store/store.ts';
import { deleteSshKeys } from './ssh-keys.ts';

/** Kinds that say what an operation did, or will do next. */
const STAYING: ReadonlySet<string> = new Set(['Job', 'CronJob', 'ConfigMap']);

/** What serves a run of an operation only, as far as the watches show it: all but its keys. */
export const helpersOf = ({ inventory }: Pick<Store, 'inventory'>, { metadata: { namespace = '', uid = '' } }: OperationObject) =>
  inventory({ namespace, uid }).filter(({ kind }) => !STAYING.has(kind));

/** Deletes the pods that helped the Job of an operation, their names and their keys. */
export const runEnder = (context: Pick<ClusterContext, 'client' | 'store'>): OperationCluster['endRun'] =>
  async function endRun({ key, operation }, kept = []) {
    const { client, store } = context;
    const owner = { ...key, uid: operation.metadata.uid ?? '' };
    const all = helpersOf(store, operation);
    const own = all.filter((each) => !kept.some(({ kind, metadata }) => kind === each.kind && metadata.name === each.metadata.name));
    if (kept.length > 0 && own.length === 0) return;
    const { parallelism = 1 } = operation.spec as { parallelism?: number };
    const helpers = own.length > 0 || parallelism <= 1 ? own : await fluids();
    if (helpers.length === 0 && parallelism <= 1) return;
    // First: it is not watched, and the others say that it may exist.
    if (!kept.some(({ kind }) => kind === 'Secret')) await deleteSshKeys(client, owner);
    for (const { kind, metadata, ...rest } of helpers) {
      await deleteByUid(client, ownedType(kind), { namespace: key.namespace, name: metadata.name }, metadata.uid);
      // The next run must not take it for its own, however late the watch is.
      store.forget({ ...rest, kind, metadata });
    }

    /** Without our label: Fluid created them, and was stopped while they worked. */
    async function fluids() {
      const { workers: name } = operationNames(key);
      const found = await Promise.all((['StatefulSet', 'Service'] as const).map((kind) => unseen(context, kind, owner, name)));
      return found.flatMap((each, i) => (each ? { ...each, kind: i === 0 ? 'StatefulSet' : 'Service' } : []));
    }
  };
