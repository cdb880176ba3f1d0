import type { Construct } from 'constructs';
import { type ComponentProps, Fuse, Master, owned, type Role, selectorOf, Worker } from '../../src/constructs/index.ts';
import type { CachePlan } from './plan.ts';

export class CacheMaster extends Master {
  constructor(scope: Construct, plan: CachePlan) {
    super(scope, plan, podsOf(plan, 'master'));
    beside(this, plan, 'master');
  }
}

export class CacheWorker extends Worker {
  constructor(scope: Construct, plan: CachePlan) {
    super(scope, plan, podsOf(plan, 'worker'));
    beside(this, plan, 'worker');
  }
}

export class CacheClient extends Fuse {
  constructor(scope: Construct, plan: CachePlan) {
    super(scope, plan, podsOf(plan, 'fuse'));
    beside(this, plan, 'fuse');
  }
}

/** `synth` renders a component only if the plan has it. */
const podsOf = ({ pods }: CachePlan, role: Role): ComponentProps => pods[role] as ComponentProps;

/** The Service by which the pods find each other, and what all components mount, with the first of them. */
function beside(scope: Construct, plan: CachePlan, role: Role): void {
  const service = plan.services[role];
  if (service)
    owned(scope, plan, role, {
      apiVersion: 'v1',
      kind: 'Service',
      name: service,
      // Pods that start look for each other before they are ready.
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: selectorOf(plan, role) },
    });
  if (role !== plan.configMaps.with) return;
  for (const [name, data] of Object.entries(plan.configMaps.data))
    owned(scope, plan, undefined, { apiVersion: 'v1', kind: 'ConfigMap', name, data });
}
