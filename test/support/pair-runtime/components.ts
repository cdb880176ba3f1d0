import type { Construct } from 'constructs';
import { type ContainerProps, Fuse, Master, owned, Worker } from '../../../src/constructs/index.ts';
import type { PairPlan } from './plan.ts';

export class PairMaster extends Master {
  constructor(scope: Construct, plan: PairPlan) {
    // The first is not the one that is asked.
    super(scope, plan, {
      containers: [{ ...pairfs(plan, 'gateway'), ports: [{ name: 'web', containerPort: 8080 }] }, pairfs(plan, 'master')],
    });
    const { app, name, workloads } = plan;
    const spec = { clusterIP: 'None', selector: { app, release: name, role: `${app}-master` }, ports: [{ name: 'rpc', port: 8101 }] };
    owned(this, plan, 'master', { apiVersion: 'v1', kind: 'Service', name: workloads.master, spec });
  }
}

export class PairWorker extends Worker {
  constructor(scope: Construct, plan: PairPlan) {
    super(scope, plan, { containers: [pairfs(plan, 'worker'), pairfs(plan, 'job-worker')] });
  }
}

export class PairFuse extends Fuse {
  constructor(scope: Construct, plan: PairPlan) {
    const data = { endpoints: plan.endpoints.join('\n') };
    owned(scope, plan, undefined, { apiVersion: 'v1', kind: 'ConfigMap', name: `${plan.name}-endpoints`, data });
    super(scope, plan, { containers: [pairfs(plan, 'fuse')] });
  }
}

const pairfs = ({ image, masters, engine, files }: PairPlan, program: string): ContainerProps => ({
  name: `pairfs-${program}`,
  image,
  args: [engine, program],
  env: [
    { name: 'MASTERS', value: masters.join() },
    { name: 'FILES', value: files.join() },
  ],
});
