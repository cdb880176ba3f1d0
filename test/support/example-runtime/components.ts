import type { Construct } from 'constructs';
import { type ComponentProps, Fuse, Master, owned, Worker } from '../../../src/constructs/index.ts';
import type { ExamplePlan } from './plan.ts';

export class ExampleMaster extends Master {
  constructor(scope: Construct, plan: ExamplePlan) {
    super(scope, plan, props(plan, 'master'));
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
    super(scope, plan, { ...props(plan, 'worker'), volumes, volumeMounts: [{ name: 'cache', mountPath: plan.cacheDir }] });
  }
}

export class ExampleFuse extends Fuse {
  constructor(scope: Construct, plan: ExamplePlan) {
    super(scope, plan, { ...props(plan, 'fuse'), args: ['fuse', plan.mountPath] });
  }
}

const props = (plan: ExamplePlan, role: 'master' | 'worker' | 'fuse'): ComponentProps => ({
  container: `example-${role}`,
  image: plan.image,
  args: [role],
  env: [{ name: 'MASTERS', value: plan.masters.map((host) => `${host}:${plan.ports.master}`).join(',') }],
  ...(role !== 'fuse' && { ports: [{ name: 'rpc', containerPort: plan.ports[role] }] }),
});
