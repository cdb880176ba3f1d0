import type { Construct } from 'constructs';
import { Fuse, Master, owned, sh, Worker } from '../../src/constructs/index.ts';
import { endpointsData, endpointsName } from './endpoints.ts';
import type { EfcPlan } from './plan.ts';
import { MOUNTS } from './pods.ts';

/** EFC takes this long to give up its sessions. */
const GRACE_SECONDS = 90;

/** The masters, and where masters and clients find the workers. */
export class EfcMaster extends Master {
  constructor(scope: Construct, plan: EfcPlan) {
    const { container, ...pod } = plan.master;
    // First, so that pods find what they mount.
    endpoints(scope, plan);
    super(scope, plan, {
      ...pod,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      containers: [
        {
          ...container,
          securityContext: { privileged: false },
          livenessProbe: { exec: shell('ps -ef | grep master.py | grep -v grep'), ...PROBE },
          lifecycle: { preStop: { exec: shell(sh`/entrypoint.sh stop_master ${MOUNTS.master}`) } },
        },
      ],
    });
  }
}

export class EfcWorker extends Worker {
  constructor(scope: Construct, plan: EfcPlan) {
    const { container, ...pod } = plan.worker;
    super(scope, plan, { ...pod, containers: [container] });
  }
}

/** The clients. Without masters, the list of workers is only theirs. */
export class EfcFuse extends Fuse {
  constructor(scope: Construct, plan: EfcPlan) {
    const { container, nodeSelector: _, ...pod } = plan.client;
    if (plan.replicas.master === undefined) endpoints(scope, plan);
    super(scope, plan, {
      ...pod,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      sidecar: { caches: [], refused: 'EFC needs the session manager of its node' },
      containers: [
        {
          ...container,
          readinessProbe: { exec: shell('cat /proc/mounts | grep fuse.aliyun-alinas-efc'), ...PROBE },
          lifecycle: { preStop: { exec: shell(sh`/entrypoint.sh stop_fuse ${MOUNTS.fuse}`) } },
        },
      ],
    });
  }
}

const PROBE = { initialDelaySeconds: 5, periodSeconds: 1, timeoutSeconds: 1, successThreshold: 1, failureThreshold: 3 };
const shell = (script: string) => ({ command: ['sh', '-c', script] });

const endpoints = (scope: Construct, plan: EfcPlan): unknown =>
  owned(scope, plan, undefined, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: endpointsName(plan.name),
    labels: { app: plan.app, release: plan.name, role: `${plan.app}-worker-endpoints` },
    data: endpointsData(plan.endpoints),
  });
