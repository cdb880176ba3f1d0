import type { Construct } from 'constructs';
import { type ContainerProps, Fuse, Master, owned, Worker } from '../../../src/constructs/index.ts';
import type { ExamplePlan } from './plan.ts';

export class ExampleMaster extends Master {
  constructor(scope: Construct, plan: ExamplePlan) {
    super(scope, plan, { ...pod, containers: [containerOf(plan, 'master')] });
    const name = `${plan.name}-master`;
    const selector = { app: plan.type, release: plan.name, role: 'example-master' };
    // Masters must find each other before they are ready.
    const spec = { clusterIP: 'None', publishNotReadyAddresses: true, selector, ports: [{ name: 'rpc', port: plan.ports.master }] };
    owned(this, plan, 'master', { apiVersion: 'v1', kind: 'Service', name, spec });
  }
}

export class ExampleWorker extends Worker {
  constructor(scope: Construct, plan: ExamplePlan) {
    const volumes = [{ name: 'cache', hostPath: { path: plan.cacheDir, type: 'DirectoryOrCreate' } }];
    const container = { ...containerOf(plan, 'worker'), volumeMounts: [{ name: 'cache', mountPath: plan.cacheDir }] };
    super(scope, plan, { ...pod, containers: [container], volumes });
  }
}

export class ExampleFuse extends Fuse {
  constructor(scope: Construct, plan: ExamplePlan) {
    super(scope, plan, { ...pod, containers: [{ ...containerOf(plan, 'fuse'), args: ['fuse', plan.mountPath] }] });
  }
}

const pod = { hostNetwork: true };
const containerOf = (plan: ExamplePlan, role: 'master' | 'worker' | 'fuse'): ContainerProps => ({
  name: `example-${role}`,
  image: plan.image,
  args: [role],
  env: [{ name: 'MASTERS', value: plan.masters.map((host) => `${host}:${plan.ports.master}`).join(',') }],
  ...(role !== 'fuse' && { ports: [{ name: 'rpc', containerPort: plan.ports[role] }] }),
});
