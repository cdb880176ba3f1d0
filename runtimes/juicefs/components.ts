import type { Construct } from 'constructs';
import { annotation } from '../../src/api/index.ts';
import { account, type ComponentProps, Fuse, owned, sh, Worker } from '../../src/constructs/index.ts';
import type { JuiceFSPlan } from './plan.ts';
import type { PodRole } from './pod.ts';

export class JuiceFSWorker extends Worker {
  constructor(scope: Construct, plan: JuiceFSPlan) {
    scriptFor(scope, plan, 'worker');
    super(scope, plan, client(plan, 'worker'));
    // Fluid's data loading jobs run as this account. It belongs to the runtime, so that users can grant it more.
    account(this, plan, `${plan.name}-loader`, LOADER);
  }
}

export class JuiceFSFuse extends Fuse {
  constructor(scope: Construct, plan: JuiceFSPlan) {
    scriptFor(scope, plan, 'fuse');
    super(scope, plan, { ...client(plan, 'fuse'), sidecar: { caches: plan.pods.fuse.caches } });
  }
}

function client(plan: JuiceFSPlan, role: PodRole): ComponentProps {
  const { container, pod } = plan.pods[role];
  return {
    ...pod,
    // The hash of the script: pods with an older script count as outdated.
    podAnnotations: { ...pod.podAnnotations, [annotation.scriptHash]: plan.scripts[role].hash },
    containers: [
      {
        ...container,
        name: `juicefs-${role}`,
        // Workers run the same client for its cache.
        fuseClient: true,
        command: ['sh', '/root/script/script.sh'],
        // Why a client does not start is in its log alone.
        terminationMessagePolicy: 'FallbackToLogsOnError',
        lifecycle: { preStop: { exec: { command: ['sh', '-c', sh`umount ${plan.mountPath}`] } } },
        volumeMounts: [{ name: 'script', mountPath: '/root/script' }, ...container.volumeMounts],
      },
    ],
    volumes: [{ name: 'script', configMap: { name: scriptName(plan, role), defaultMode: 0o755 } }, ...pod.volumes],
  };
}

const LOADER = [
  { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create', 'list'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
];
const scriptName = (plan: JuiceFSPlan, role: PodRole) => `${plan.name}-${role}-script`;

const scriptFor = (scope: Construct, plan: JuiceFSPlan, role: PodRole) =>
  owned(scope, plan, role, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: scriptName(plan, role),
    data: { 'script.sh': plan.scripts[role].text },
  });
