import type { DatasetSpec, NodeAffinity } from '../../api/index.ts';
import type { BoundRuntime, Operation, OperationFacts, PodFact, ServingRole } from '../../constructs/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { podProjection } from '../../planning/pod-projection.ts';
import { createSharing } from '../../planning/sharing.ts';
import { podFacts } from '../../planning/views.ts';
import { affinityLike, HOSTNAME, isRunning, nearOf, type OperationObject, type Predecessor } from '../../reconciler/operations.ts';
import type { Lookup } from './lookup.ts';

interface FactOptions {
  readonly operation: OperationObject;
  readonly predecessor: Predecessor;
  /** The runtime of its Dataset. */
  readonly bound: BoundRuntime;
  /** Specs of the Datasets that it names, by name. */
  readonly datasets: Readonly<Record<string, DatasetSpec>>;
  readonly lookup: Lookup;
}

/** The state of the engine for an operation: what the facts or the cluster have of it, else placeholders such as `<node:Pod/demo-master-0>`. */
export async function operationFacts({ operation, predecessor, bound, datasets, lookup }: FactOptions): Promise<OperationFacts> {
  const near = nearFact(operation, predecessor);
  // A DataProcess reads through the claim, as any pod does.
  if (operation.kind === 'DataProcess') return { pods: {}, ...near };
  const pods = { master: await podsOf('master', bound, lookup), worker: await podsOf('worker', bound, lookup) };
  const { workloads, replicas } = bound.plan;
  // Which of several leads, only they can say.
  const leader =
    replicas.master === 1 ? pods.master[0] : unknownPod(`<leader:StatefulSet/${workloads.master}>`, workloads.master, 'leader');
  // The cast: it was parsed as its kind.
  const needs = bound.operationNeeds(operation as Pick<Operation, 'kind' | 'spec'>);
  return {
    pods,
    ...near,
    ...(bound.leader && leader && { leader }),
    ...(operation.kind === 'DataMigrate' && { datasets }),
    // The controller makes them for each operation.
    ...(needs.sshKeys && { sshKeys: { privateKey: '<private key>', publicKey: '<public key>' } }),
    ...(operation.spec.policy === 'Cron' && !isRunning(operation) && { isIdle: true }),
  };
}

/** The ready pods of a StatefulSet; if none is known, all that it will have. */
async function podsOf(role: ServingRole, { plan, roles }: BoundRuntime, lookup: Lookup): Promise<readonly PodFact[]> {
  if (!roles.includes(role)) return [];
  const { text, piece } = createSharing();
  const names = Array.from({ length: Math.max(1, plan.replicas[role] ?? 1) }, (_, i) => `${plan.workloads[role]}-${i}`);
  const found = await Promise.all(names.map((name) => lookup.find('Pod', plan.namespace, name)));
  const ready = podFacts(found.filter((pod) => pod !== undefined).map((pod: KubeObject) => podProjection(pod, { text, piece })));
  return ready.length > 0 ? ready : names.map((name) => unknownPod(name));
}

const unknownPod = (name: string, of = name, what = 'Pod'): PodFact => ({
  name,
  uid: `<uid:${what}/${of}>`,
  ip: `<ip:${what}/${of}>`,
  node: `<node:${what}/${of}>`,
});

/** Where an earlier operation ran; if it has not run yet, its place is a placeholder. */
function nearFact(operation: OperationObject, predecessor: Predecessor): { readonly near?: NodeAffinity } {
  if (predecessor.is === 'done') return predecessor.near ? { near: predecessor.near } : {};
  const { affinityStrategy: strategy } = operation.spec.runAfter ?? {};
  const earlier = nearOf(operation);
  if (!strategy || !earlier) return {};
  const named = [...(strategy.requires ?? []), ...(strategy.prefers ?? []), { name: HOSTNAME }];
  const values = [`<label:${earlier.kind}/${earlier.name}>`];
  const matchExpressions = [...new Set(named.map(({ name }) => name))].map((key) => ({ key, operator: 'In', values }));
  const near = affinityLike({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } }, strategy);
  return near ? { near } : {};
}
