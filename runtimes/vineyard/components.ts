import type { Construct } from 'constructs';
import type { Affinity } from '../../src/api/index.ts';
import { Fuse, Master, owned, type Role, selectorOf, Worker } from '../../src/constructs/index.ts';
import { rpcConfOf, type VineyardPlan } from './plan.ts';

/** The members of an etcd. */
export class VineyardMaster extends Master {
  constructor(scope: Construct, plan: VineyardPlan) {
    const { container, ...pod } = plan.master;
    super(scope, plan, { ...pod, containers: [{ ...container, name: 'vineyard-master' }] });
    serviceOf(this, plan, 'master', { client: plan.ports.client, peer: plan.ports.peer });
  }
}

export class VineyardWorker extends Worker {
  constructor(scope: Construct, plan: VineyardPlan) {
    const { container, ...pod } = plan.worker;
    super(scope, plan, { ...pod, affinity: apart(plan), containers: [{ ...container, name: 'vineyard-worker' }] });
    serviceOf(this, plan, 'worker', { rpc: plan.ports.rpc });
  }
}

/** The clients, and the addresses of the workers that they show. */
export class VineyardFuse extends Fuse {
  constructor(scope: Construct, plan: VineyardPlan) {
    const { container, ...pod } = plan.client;
    // First, so that pods find what they mount.
    owned(scope, plan, undefined, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: rpcConfOf(plan),
      labels: { app: plan.app, release: plan.name, role: 'vineyard-rpc-conf' },
      data: { VINEYARD_RPC_ENDPOINT: plan.addresses },
    });
    super(scope, plan, { ...pod, containers: [{ ...container, name: 'vineyard-fuse' }] });
  }
}

/** Two servers on a node would listen at one socket, also where Shared Datasets share nodes. */
const apart = (plan: VineyardPlan): Affinity => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: selectorOf(plan, 'worker') }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
});

/** A headless Service, by which each pod has a name. */
function serviceOf(scope: Construct, plan: VineyardPlan, role: Role, ports: Readonly<Record<string, number>>): void {
  owned(scope, plan, role, {
    apiVersion: 'v1',
    kind: 'Service',
    name: plan.workloads[role],
    spec: {
      clusterIP: 'None',
      // Members of etcd look for each other before they are ready.
      publishNotReadyAddresses: true,
      selector: selectorOf(plan, role),
      ports: Object.entries(ports).map(([name, port]) => ({ name, port, protocol: 'TCP', targetPort: port })),
    },
  });
}
