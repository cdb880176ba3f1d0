import type { Construct } from 'constructs';
import { type ComponentProps, Fuse, owned, Worker, isOnHost, volumesOf } from '../../src/constructs/index.ts';
import type { ThinPlan, ThinPod } from './plan.ts';
import type { ReferencePlan } from './reference.ts';

/** A reference has no workloads, so that only a ThinPlan is rendered. */
type Plan = ThinPlan | ReferencePlan;

export class ThinWorker extends Worker {
  constructor(scope: Construct, plan: Plan) {
    // Only a plan with workers renders one.
    super(scope, plan, props('thin-worker', (plan as ThinPlan).worker as ThinPod));
  }
}

export class ThinFuse extends Fuse {
  constructor(scope: Construct, of: Plan) {
    const plan = of as ThinPlan;
    const { roles: _readers, ...config } = plan.config;
    // First, so that pods find what they mount.
    owned(scope, plan, 'fuse', { apiVersion: 'v1', ...config });
    if (plan.secretCopy) owned(scope, plan, undefined, { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', ...plan.secretCopy });
    super(scope, plan, { ...props('thin-fuse', plan.fusePod), dnsPolicy: 'ClusterFirstWithHostNet' });
  }
}

const props = (name: string, { image, imageTag, mounted, podMetadata, ...pod }: ThinPod): ComponentProps => {
  const { imagePullPolicy, command, args, env, ports, resources, lifecycle, livenessProbe, readinessProbe } = pod;
  const { volumes, volumeMounts } = volumesOf(mounted);
  return {
    containers: [
      {
        name,
        // Workers may run the client as well.
        fuseClient: true,
        image: imageTag ? `${image}:${imageTag}` : image,
        imagePullPolicy,
        command,
        args,
        env,
        ports,
        resources,
        lifecycle,
        livenessProbe,
        readinessProbe,
        volumeMounts,
        securityContext: { runAsGroup: 0 },
      },
    ],
    initContainers: pod.initContainers,
    imagePullSecrets: pod.imagePullSecrets,
    nodeSelector: pod.nodeSelector,
    hostNetwork: isOnHost(pod),
    volumes,
    podLabels: podMetadata.labels,
    podAnnotations: podMetadata.annotations,
  };
};
