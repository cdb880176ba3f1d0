import type { Construct } from 'constructs';
import { type ComponentProps, Fuse, owned, Worker } from '../../src/constructs/index.ts';
import type { ThinPlan, ThinPod } from './plan.ts';

export class ThinWorker extends Worker {
  constructor(scope: Construct, plan: ThinPlan) {
    // Only a plan with workers renders one.
    super(scope, plan, props('thin-worker', plan.worker as ThinPod));
  }
}

export class ThinFuse extends Fuse {
  constructor(scope: Construct, plan: ThinPlan) {
    // First, so that pods find what they mount.
    owned(scope, plan, 'fuse', { apiVersion: 'v1', ...plan.config });
    if (plan.secretCopy) owned(scope, plan, undefined, { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', ...plan.secretCopy });
    super(scope, plan, { ...props('thin-fuse', plan.fusePod), dnsPolicy: 'ClusterFirstWithHostNet' });
  }
}

const props = (container: string, { image, imageTag, networkMode, mounted, podMetadata, ...pod }: ThinPod): ComponentProps => ({
  ...pod,
  container,
  image: imageTag ? `${image}:${imageTag}` : image,
  hostNetwork: networkMode !== 'ContainerNetwork',
  volumes: mounted.map(({ volume }) => volume),
  volumeMounts: mounted.map(({ mount }) => mount),
  podLabels: podMetadata.labels,
  podAnnotations: podMetadata.annotations,
  securityContext: { runAsGroup: 0 },
});
