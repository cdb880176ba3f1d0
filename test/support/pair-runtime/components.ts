import type { Construct } from 'constructs';
import { type ComponentProps, Fuse, Master, owned, Worker } from '../../../src/constructs/index.ts';
import type { PairPlan } from './plan.ts';

export class PairMaster extends Master {
  constructor(scope: Construct, plan: PairPlan) {
    super(scope, plan, props(plan, 'master'));
    const { app, name, workloads } = plan;
    const spec = { clusterIP: 'None', selector: { app, release: name, role: `${app}-master` }, ports: [{ name: 'rpc', port: 8101 }] };
    owned(this, plan, 'master', { apiVersion: 'v1', kind: 'Service', name: workloads.master, spec });
  }
}

export class PairWorker extends Worker {
  constructor(scope: Construct, plan: PairPlan) {
    super(scope, plan, props(plan, 'worker'));
  }
}

export class PairFuse extends Fuse {
  constructor(scope: Construct, plan: PairPlan) {
    super(scope, plan, props(plan, 'fuse'));
  }
}

const props = ({ image, masters, engine }: PairPlan, role: 'master' | 'worker' | 'fuse'): ComponentProps => ({
  container: `pairfs-${role}`,
  image,
  args: [engine, role],
  env: [{ name: 'MASTERS', value: masters.join() }],
});
