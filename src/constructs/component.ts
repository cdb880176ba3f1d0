import { Construct } from 'constructs';
import { annotation, datasetId, type EnvVar, fuseNodeLabel, label, type Volume } from '../api/index.ts';
import { commonLabels, podCommonLabels } from './base-plan.ts';
import { canonicalClaim, unlessEmpty } from './canonical.ts';
import type { BasePlan, ComponentProps, FusePlan, Role } from './contract.ts';
import { PlainObject } from './plain-object.ts';
import { workerAffinity } from './placement.ts';
import { lastOnNode, mergedAffinity, podSpec } from './pod.ts';

abstract class Component extends Construct {
  protected constructor(scope: Construct, plan: BasePlan, role: Role, kind: 'StatefulSet' | 'DaemonSet', props: ComponentProps, own: Own) {
    super(scope, role);
    const selector = selectorOf(plan, role);
    new PlainObject(this, 'workload', {
      apiVersion: 'apps/v1',
      kind,
      metadata: {
        ...metadataOf(plan, plan.workloads[role], { ...selector, ...own.labels }),
        ...(own.annotations && { annotations: own.annotations }),
      },
      spec: {
        ...own.spec,
        selector: { matchLabels: selector },
        // Users choose when a cache or a mount restarts: a changed template has effect when its pod is deleted.
        updateStrategy: { type: 'OnDelete' },
        template: {
          metadata: {
            // Last: users may not change what the selector and other components of Fluid look for.
            labels: {
              ...props.template?.metadata?.labels,
              ...props.podLabels,
              [label.istioInject]: 'false',
              ...podCommonLabels(plan),
              ...selector,
              ...own.labels,
              ...own.podLabels,
            },
            annotations: {
              ...own.podAnnotations,
              ...props.template?.metadata?.annotations,
              ...props.podAnnotations,
              [label.istioInject]: 'false',
            },
          },
          // Otherwise every Service of the namespace would be in the environment of every pod.
          spec: podSpec(plan, { ...props, enableServiceLinks: false }),
        },
      },
    });
  }
}

interface Own {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly podLabels?: Readonly<Record<string, string>>;
  /** A user's win. */
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/**
 * The StatefulSet `<name>-master`: pods that serve metadata or keep the table of mounts. The plan says how many.
 * @throws InvalidSpec when a user's field is not valid in a pod, such as a list that repeats a key.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeMaster extends Master {
 *   constructor(scope: Construct, plan: BasePlan) {
 *     super(scope, plan, { containers: [{ name: 'acme-master', image: 'acme:1', command: ['acme', 'master'] }] });
 *   }
 * }
 */
export class Master extends Component {
  constructor(scope: Construct, plan: BasePlan, props: ComponentProps) {
    super(
      scope,
      plan,
      'master',
      'StatefulSet',
      { ...props, tolerations: props.tolerations ?? plan.tolerations },
      { spec: statefulSet(plan, 'master', props) },
    );
  }
}

/**
 * The StatefulSet `<name>-worker`: pods that hold cached data, one on a node unless the Dataset is Shared. The plan says how many.
 * @throws InvalidSpec when a user's field is not valid in a pod, such as a list that repeats a key.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeWorker extends Worker {
 *   constructor(scope: Construct, plan: BasePlan) {
 *     super(scope, plan, {
 *       containers: [{ name: 'acme-worker', image: 'acme:1', volumeMounts: [{ name: 'cache', mountPath: '/cache' }] }],
 *       volumes: [{ name: 'cache', emptyDir: {} }],
 *     });
 *   }
 * }
 */
export class Worker extends Component {
  constructor(scope: Construct, plan: BasePlan, props: ComponentProps) {
    const affinity = mergedAffinity(props.affinity, workerAffinity(plan));
    const placed = { ...props, affinity, tolerations: props.tolerations ?? plan.tolerations };
    super(scope, plan, 'worker', 'StatefulSet', placed, {
      labels: { [label.dataset]: datasetId(plan.dataset), [label.placement]: plan.placement },
      spec: statefulSet(plan, 'worker', props),
    });
  }
}

/**
 * The DaemonSet `<name>-fuse`: pods that mount the file system on every node that the CSI plugin labels, which are those where a pod uses
 * the Dataset. The first container is privileged and has the host path mounted, with mount propagation.
 * @throws InvalidSpec when a user's field is not valid in a pod, such as a list that repeats a key.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeFuse extends Fuse {
 *   constructor(scope: Construct, plan: BasePlan) {
 *     super(scope, plan, { containers: [{ name: 'acme-fuse', image: 'acme:1', command: ['acme', 'mount', plan.mountPath] }] });
 *   }
 * }
 */
export class Fuse extends Component {
  constructor(scope: Construct, plan: BasePlan, props: ComponentProps) {
    const name = `${plan.app}-fuse-mount`;
    const shared: Volume = { name, hostPath: { path: plan.hostPath, type: 'DirectoryOrCreate' } };
    // `synth` renders this component only if the plan has one.
    const { generation, critical, hostPid, nodeSelector, mountAt = plan.hostPath } = plan.fuse as FusePlan;
    const [client, ...others] = props.containers;
    super(
      scope,
      plan,
      'fuse',
      'DaemonSet',
      {
        ...props,
        containers: [
          {
            ...client,
            fuseClient: true,
            // The pod's status then says why the client ended. The CSI plugin reads it without permission for logs.
            terminationMessagePolicy: 'FallbackToLogsOnError',
            env: [...fuseEnv(plan), ...(client.env ?? [])],
            volumeMounts: [{ name, mountPath: mountAt, mountPropagation: 'Bidirectional' }, ...(client.volumeMounts ?? [])],
          },
          ...others,
        ],
        volumes: [shared, ...(props.volumes ?? [])],
        nodeSelector: { ...nodeSelector, [fuseNodeLabel(plan.dataset)]: 'true' },
        tolerations: [{ operator: 'Exists' }],
        ...(critical && { priorityClassName: 'system-node-critical' }),
        ...(hostPid && { hostPID: true }),
      },
      {
        podAnnotations: lastOnNode,
        annotations: { [annotation.sidecar]: JSON.stringify(props.sidecar ?? { caches: [] }) },
        ...(generation !== undefined && { podLabels: { [label.fuseGeneration]: String(generation) } }),
      },
    );
  }
}

/**
 * Any other object that belongs to the runtime. It gets the runtime's namespace, labels and owner reference; with a role, also the labels by
 * which that workload selects its pods.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeMaster extends Master {
 *   constructor(scope: Construct, plan: BasePlan) {
 *     super(scope, plan, { containers: [{ name: 'acme-master', image: 'acme:1' }] });
 *     owned(this, plan, 'master', { apiVersion: 'v1', kind: 'ConfigMap', name: `${plan.name}-config`, data: { 'acme.conf': 'port=7000' } });
 *   }
 * }
 */
export function owned(scope: Construct, plan: BasePlan, role: Role | undefined, object: OwnedObject): PlainObject {
  const { apiVersion, kind, name, labels, annotations, ...rest } = object;
  const metadata = { ...metadataOf(plan, name, { ...(role && selectorOf(plan, role)), ...labels }), ...(annotations && { annotations }) };
  return new PlainObject(scope, `${kind}-${name}`, { apiVersion, kind, metadata, ...rest });
}
/** An object for `owned`: its head, and its other fields in Kubernetes' form. */
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const statefulSet = (plan: BasePlan, role: 'master' | 'worker', { serviceName, volumeClaimTemplates }: ComponentProps) => ({
  replicas: plan.replicas[role],
  serviceName: serviceName ?? plan.workloads[role],
  podManagementPolicy: 'Parallel',
  volumeClaimTemplates: unlessEmpty(volumeClaimTemplates?.map((claim, i) => canonicalClaim(claim, `spec.volumeClaimTemplates[${i}]`))),
});

/** The runtime that a fuse container serves, in the variables that Fluid uses. */
const fuseEnv = (plan: BasePlan): readonly EnvVar[] => [
  { name: 'FLUID_RUNTIME_TYPE', value: plan.app },
  { name: 'FLUID_RUNTIME_NS', value: plan.namespace },
  { name: 'FLUID_RUNTIME_NAME', value: plan.name },
];

/**
 * The labels by which a workload selects its pods.
 * @example
 * const plan = { app: 'acme', name: 'images' };
 * selectorOf(plan, 'worker'); // → { app: 'acme', release: 'images', role: 'acme-worker' }
 */
export const selectorOf = (plan: Pick<BasePlan, 'app' | 'name' | 'selectors'>, role: Role): Readonly<Record<string, string>> =>
  plan.selectors?.[role] ?? { app: plan.app, release: plan.name, role: `${plan.app}-${role}` };

const metadataOf = (plan: BasePlan, name: string, labels: Readonly<Record<string, string>>) => ({
  name,
  labels: { ...commonLabels(plan), ...labels },
  ownerReferences: [{ ...plan.owner, controller: true, blockOwnerDeletion: false }],
});
