import { type Dataset, type DatasetSpec, InvalidSpec, type Manifest } from '../../api/index.ts';
import { choose } from '../../planning/choose.ts';
import type { Cluster } from '../cluster.ts';
import { LEADER_AGAIN_MS } from '../lifecycle.ts';
import type { OperationCluster } from './cluster.ts';
import type { OperationObject, Prepared } from './world.ts';
import type { Hold, OperationKey, PlanInForce } from '../world.ts';
import { type ClusterContext, podChoice } from '../kubernetes/cluster-context.ts';
import { askProbe, type PodChoice } from '../kubernetes/commands/exec.ts';
import { isServed, podFacts } from '../../planning/views.ts';
import { sshKeysOf } from './ssh-keys.ts';

/** How long an answer counts. Longer than an answer takes to start the next pass of an operation that fails, or that would ask for ever. */
const LEADER_FRESH_MS = 3000;
/** Events of claims wake no operation. */
const CLAIM_AGAIN_MS = 1000;
/** Events of fuse pods wake no operation. */
const FUSE_AGAIN_MS = 5000;

interface PreparerOptions {
  readonly context: ClusterContext;
  readonly observe: Cluster['observe'];
  /** Drops all that this process keeps for a runtime. */
  readonly forget: (uid: string) => void;
}

/** Renders what an operation needs, by the runtime of its Dataset; or finds out why that cannot be yet, or ever. */
export function preparer({ context, observe, forget }: PreparerOptions): OperationCluster['prepare'] {
  const { client, store, jobs, exec, wake } = context;

  /** The name of the pod that leads, if the engine can say. The answer wakes the operation. */
  function leaderOf(key: OperationKey, { metadata }: OperationObject, probe: PlanInForce['leader'], choice: PodChoice) {
    if (!probe) return undefined;
    const due = { namespace: key.namespace, version: '', everyMs: LEADER_FRESH_MS };
    const asked = jobs.ask(
      `${metadata.uid}/leader`,
      due,
      () => askProbe(exec, choice, probe),
      () => wake(key),
    );
    return asked.running ? 'asking' : (asked.value ?? 'none');
  }

  return async ({ key, operation, target, other, predecessor, latest }, dataset): Promise<Prepared> => {
    const wait = (message: string, why: Partial<Hold> = {}): Prepared => ({ hold: { ...why, reason: 'RuntimeNotReady', message } });
    const { chosen } = choose(dataset, store.runtimes(target));
    if (!chosen || !isServed(dataset) || dataset.metadata.deletionTimestamp) return wait(`Dataset ${target.name} is not bound`);
    if (other && !(other.dataset && isServed(other.dataset) && !other.dataset.metadata.deletionTimestamp))
      return wait(`Dataset ${other.key.name} is not bound`);
    // A pod that mounts the claim would keep it for ever, and a schedule would be created and deleted in turn. Another runtime of that name waits too.
    const left = [target, ...(other ? [other.key] : [])].find((each) =>
      store.runtimes(each).some(({ object: { metadata } }) => metadata.deletionTimestamp),
    );
    if (left) return wait(`the runtime of Dataset ${left.name} is being deleted`);
    const { definition, object, invalid = store.faultOf(dataset) } = chosen;
    const seen = await observe(target, dataset, definition, object, invalid);
    // The runtime was deleted meanwhile, and forgotten before this pass remembered something of it.
    if (!store.isOwner(object.metadata.uid ?? '')) forget(object.metadata.uid ?? '');
    if ('hold' in seen) return wait(`${object.kind} ${target.name}: ${seen.hold.message}`, seen.hold);
    const { plan, workloads, claim, claimIsLeft } = seen.world;
    // The pods of the Job would keep the claim.
    if (key.kind === 'DataProcess' && (claimIsLeft || claim?.metadata.deletionTimestamp))
      return wait(`the claim of Dataset ${target.name} is being replaced`, { afterMs: CLAIM_AGAIN_MS });
    const operate = plan.operations[key.kind];
    if (!operate) {
      const message = `${key.kind} ${key.namespace}/${key.name}: the runtime of Dataset ${target.name} is of kind ${object.kind}, which does not support ${key.kind}`;
      return { refused: { reason: 'DataOperationNotSupport', message } };
    }
    const { name, namespace } = key;
    const { spec, metadata } = operation;
    // The cast: each kind of operation is rendered from a spec that was parsed as that kind.
    const render = operate as (operation: object) => readonly Manifest[];
    const given = { kind: key.kind, name, namespace, uid: metadata.uid ?? '', spec };
    const near = predecessor.is === 'done' && predecessor.near ? { near: predecessor.near } : {};
    // A DataProcess reads through the claim, as any pod does.
    if (key.kind === 'DataProcess') return rendered(key, () => ({ manifests: render({ ...given, facts: { pods: {}, ...near } }) }));
    const choice = podChoice(context, target, definition, object.metadata.uid ?? '');
    const needs = plan.operationNeeds(given);
    const ready = { master: podFacts(choice.pods('master')), worker: podFacts(choice.pods('worker')) };
    for (const role of ['master', 'worker'] as const) {
      // A backup is of the masters.
      if (role === 'worker' && key.kind === 'DataBackup') continue;
      if (!plan.roles.includes(role) || (workloads[role]?.ready && ready[role].length > 0)) continue;
      if (role === 'worker' && plan.base.replicas.worker === 0) {
        if (needs.withoutWorkers === 'nothing') continue;
        const path = definition.resource.scale?.wanted ?? 'spec.replicas';
        const lacks = `${object.kind} ${target.name}: ${path}: expected at least 1, for a worker that carries out the ${key.kind}, found 0`;
        if (needs.withoutWorkers !== 'fuse') return wait(lacks);
        if (choice.pods('fuse').some((pod) => pod['ready'])) continue;
        return wait(`${lacks}; or a fuse pod that is ready, found none`, { afterMs: FUSE_AGAIN_MS });
      }
      // The watch of pods may be behind that of their workload, and its events wake no operation.
      return wait(`no ${role} pod of ${object.kind} ${target.name} is ready`, workloads[role]?.ready ? { afterMs: 1000 } : {});
    }
    const leader = leaderOf(key, operation, plan.leader, choice);
    // The operation goes on waiting meanwhile: otherwise the time after which a wait is reported would begin anew.
    if (leader === 'asking')
      return wait(`which master of ${object.kind} ${target.name} leads is being asked`, { silent: true, afterMs: LEADER_AGAIN_MS });
    if (leader === 'none') return wait(`no master of ${object.kind} ${target.name} reports that it leads`, { afterMs: LEADER_AGAIN_MS });
    const leading = ready.master.find((pod) => pod.name === leader);
    if (leader && !leading) return wait(`${leader}, which leads, is not ready`, { afterMs: LEADER_AGAIN_MS });
    const facts = {
      pods: ready,
      ...near,
      ...(leading && { leader: leading }),
      ...(key.kind === 'DataMigrate' && { datasets: specsOf(dataset, other?.dataset) }),
      ...(needs.sshKeys && { sshKeys: await sshKeysOf(client, given) }),
      ...(spec.policy === 'Cron' && (!latest || latest.end) && { isIdle: true }),
    };
    const told = { ...given, facts };
    return rendered(key, () => ({ manifests: render(told), warnings: plan.operationWarnings(told) }));
  };
}

const specsOf = (...datasets: readonly (Dataset | undefined)[]): Readonly<Record<string, DatasetSpec>> =>
  Object.fromEntries(datasets.flatMap((dataset) => (dataset ? [[dataset.metadata.name, dataset.spec]] : [])));

/** The manifests of a construct, or its refusal. */
function rendered(key: OperationKey, render: () => Prepared): Prepared {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    const { reason = 'InvalidSpec', message } = error;
    return { refused: { reason, message: `${key.kind} ${key.namespace}/${key.name}: ${message}` } };
  }
}
