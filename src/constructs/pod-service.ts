import type { Construct } from 'constructs';
import type { ContainerPort } from '../api/index.ts';
import { owned, selectorOf } from './component.ts';
import type { BasePlan } from './contract.ts';

/**
 * A headless Service that gives one pod of the masters a name of its own: a master must be found again where it was, also by itself and by
 * other masters before it is ready.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeMaster extends Master {
 *   constructor(scope: Construct, plan: BasePlan) {
 *     super(scope, plan, { containers: [{ name: 'acme-master', image: 'acme:1' }] });
 *     podService(this, plan, 'images-master-0', { ports: [{ name: 'rpc', containerPort: 8101, protocol: 'TCP' }] });
 *   }
 * }
 */
export function podService(
  scope: Construct,
  plan: BasePlan,
  pod: string,
  { ports, labels }: { readonly ports: readonly ContainerPort[]; readonly labels?: Readonly<Record<string, string>> },
): void {
  owned(scope, plan, 'master', {
    apiVersion: 'v1',
    kind: 'Service',
    name: pod,
    ...(labels && { labels }),
    spec: {
      clusterIP: 'None',
      // A name that does not exist when it is looked up first is remembered as one that does not.
      publishNotReadyAddresses: true,
      selector: { ...selectorOf(plan, 'master'), 'statefulset.kubernetes.io/pod-name': pod },
      ports: ports.map(({ name, containerPort: port, protocol }) => ({ name, port, protocol, targetPort: port })),
    },
  });
}
