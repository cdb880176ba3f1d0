import type { Construct } from 'constructs';
import { account, type ComponentProps, Fuse, owned, sh, Worker } from '../../src/constructs/index.ts';
import type { JuiceFSPlan } from './plan.ts';
import type { PodRole } from './pod.ts';

export class JuiceFSWorker extends Worker {
  constructor(scope: Construct, plan: JuiceFSPlan) {
    scriptFor(scope, plan, 'worker');
    super(scope, plan, client(plan, 'worker'));
    // Who Fluid's data loading jobs run as. It is the runtime's, so that users can grant it more.
    account(this, plan, `${plan.name}-loader`, LOADER);
  }
}

export class JuiceFSFuse extends Fuse {
  constructor(scope: Construct, plan: JuiceFSPlan) {
    scriptFor(scope, plan, 'fuse');
    super(scope, plan, client(plan, 'fuse'));
  }
}

function client(plan: JuiceFSPlan, role: PodRole): ComponentProps {
  const pod = plan.pods[role];
  return {
    ...pod,
    container: `juicefs-${role}`,
    command: ['sh', '/root/script/script.sh'],
    lifecycle: { preStop: { exec: { command: ['sh', '-c', sh`umount ${plan.mountPath}`] } } },
    volumes: [{ name: 'script', configMap: { name: scriptName(plan, role), defaultMode: 0o755 } }, ...pod.volumes],
    volumeMounts: [{ name: 'script', mountPath: '/root/script' }, ...pod.volumeMounts],
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
    data: { 'script.sh': script(plan, role) },
  });

const PROGRAMS = {
  community: { juicefs: '/usr/local/bin/juicefs', mount: '/bin/mount.juicefs' },
  enterprise: { juicefs: '/usr/bin/juicefs', mount: '/sbin/mount.juicefs' },
} as const;

/** What the container does: log in, set the quota (once is enough, so the workers need not), become the client. */
function script({ source, configs, mountPath, pods }: JuiceFSPlan, role: PodRole): string {
  const { edition, name, address, login, quota } = source;
  const { juicefs, mount } = PROGRAMS[edition];
  const args = login && [...configs, ...login];
  return [
    ['#!/bin/bash'],
    role === 'fuse' ? ['set -e'] : [],
    [''],
    args && edition === 'community' ? step('format', sh`${juicefs} format ${args}`) : [],
    args && edition === 'enterprise'
      ? [sh`if [ ! -f ${`/root/.juicefs/${name}.conf`} ]; then`, ...step('auth', sh`${juicefs} auth ${args}`), 'fi']
      : [],
    quota && role === 'fuse' ? step('set quota', sh`${juicefs} quota ${quota}`) : [],
    [''],
    step('mount', sh`exec ${mount} ${address} ${mountPath} -o ${pods[role].options}`),
    [''],
  ]
    .flat()
    .join('\n');
}

const step = (name: 'format' | 'auth' | 'set quota' | 'mount', command: string): readonly string[] => [
  `echo "$(date '+%Y/%m/%d %H:%M:%S.%3N') juicefs ${name} start."`,
  command,
];
