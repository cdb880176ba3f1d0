import { Construct } from 'constructs';
import {
  type Container,
  type ContainerPort,
  type Probe as ContainerProbe,
  datasetId,
  type EnvVar,
  fuseNodeLabel,
  type Lifecycle,
  label,
  type PersistentVolumeClaim,
  type ResourceRequirements,
  type Toleration,
  type Volume,
  type VolumeMount,
} from '../api/index.ts';
import { commonLabels, podCommonLabels } from './base-plan.ts';
import { canonicalClaim, canonicalResources, canonicalVolume } from './canonical.ts';
import type { BasePlan, Role } from './contract.ts';
import { KubeObject } from './kube-object.ts';
import { byKey } from './merge.ts';
import { workerAffinity } from './placement.ts';

/** What a runtime says of one of its workloads; all else is the same for every runtime. */
export interface ComponentProps {
  /** Container name; other parts of Fluid find it by name. */
  readonly container: string;
  readonly image: string;
  readonly imagePullPolicy?: string | undefined;
  /** Of the spec; the installation's default when empty. */
  readonly imagePullSecrets?: readonly { readonly name?: string }[] | undefined;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: ResourceRequirements | undefined;
  readonly lifecycle?: Lifecycle | undefined;
  readonly livenessProbe?: ContainerProbe | undefined;
  readonly readinessProbe?: ContainerProbe | undefined;
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] | undefined;
  readonly podLabels?: Readonly<Record<string, string>> | undefined;
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: string | undefined;
  /** What runs before it, or beside it with `restartPolicy: Always`; as they are to be applied. */
  readonly initContainers?: readonly Container[] | undefined;
  /** Added to `privileged` and `runAsUser: 0`, which every FUSE client needs. */
  readonly securityContext?: object;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
}

abstract class Component extends Construct {
  protected constructor(scope: Construct, plan: BasePlan, role: Role, kind: 'StatefulSet' | 'DaemonSet', props: ComponentProps, own: Own) {
    super(scope, role);
    const selector = selectorOf(plan, role);
    new KubeObject(this, 'workload', {
      apiVersion: 'apps/v1',
      kind,
      metadata: metadataOf(plan, plan.workloads[role], { ...selector, ...own.labels }),
      spec: {
        ...own.spec,
        selector: { matchLabels: selector },
        // Restarting a cache or a mount is the user's choice; a changed template waits for the pod to go.
        updateStrategy: { type: 'OnDelete' },
        template: {
          metadata: {
            // Last: what the selector and the other parts of Fluid look for is not the user's to change.
            labels: {
              ...props.podLabels,
              [label.istioInject]: 'false',
              ...podCommonLabels(plan),
              ...selector,
              ...own.labels,
              ...own.podLabels,
            },
            annotations: { ...props.podAnnotations, [label.istioInject]: 'false' },
          },
          spec: podSpec(plan, props, own.pod),
        },
      },
    });
  }
}

interface Own {
  readonly labels?: Readonly<Record<string, string>>;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly pod?: object;
}

/** Serves metadata or keeps the table of mounts; `masters` of it, each with a stable name. */
export class Master extends Component {
  constructor(scope: Construct, plan: BasePlan, props: ComponentProps) {
    super(scope, plan, 'master', 'StatefulSet', props, {
      spec: {
        replicas: plan.replicas.master,
        serviceName: plan.workloads.master,
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: unlessEmpty(
          props.volumeClaimTemplates?.map((claim, i) => canonicalClaim(claim, `spec.volumeClaimTemplates[${i}]`)),
        ),
      },
      pod: { tolerations: unlessEmpty(props.tolerations ?? plan.tolerations) },
    });
  }
}

/** Holds cached data. One to a node unless the dataset is Shared. */
export class Worker extends Component {
  constructor(scope: Construct, plan: BasePlan, props: ComponentProps) {
    super(scope, plan, 'worker', 'StatefulSet', props, {
      labels: { [label.dataset]: datasetId(plan.dataset), [label.placement]: plan.placement },
      spec: {
        replicas: plan.replicas.worker,
        serviceName: plan.workloads.worker,
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: unlessEmpty(
          props.volumeClaimTemplates?.map((claim, i) => canonicalClaim(claim, `spec.volumeClaimTemplates[${i}]`)),
        ),
      },
      pod: { affinity: workerAffinity(plan), tolerations: unlessEmpty(props.tolerations ?? plan.tolerations) },
    });
  }
}

/** Mounts the file system on every node that the CSI plugin labels, that is where a pod uses the dataset. */
export class Fuse extends Component {
  constructor(scope: Construct, plan: BasePlan, props: ComponentProps) {
    const name = `${plan.app}-fuse-mount`;
    const shared: Volume = { name, hostPath: { path: plan.hostPath, type: 'DirectoryOrCreate' } };
    const { generation, critical, hostPid, nodeSelector } = plan.fuse;
    super(
      scope,
      plan,
      'fuse',
      'DaemonSet',
      {
        ...props,
        // Why a client ended then stands in its pod's status, where the CSI plugin reads it without a right to logs.
        terminationMessagePolicy: 'FallbackToLogsOnError',
        env: [...fuseEnv(plan), ...(props.env ?? [])],
        volumes: [shared, ...(props.volumes ?? [])],
        volumeMounts: [{ name, mountPath: plan.hostPath, mountPropagation: 'Bidirectional' }, ...(props.volumeMounts ?? [])],
        nodeSelector: { ...nodeSelector, [fuseNodeLabel(plan.dataset)]: 'true' },
      },
      {
        ...(generation !== undefined && { podLabels: { [label.fuseGeneration]: String(generation) } }),
        pod: {
          tolerations: [{ operator: 'Exists' }],
          ...(critical && { priorityClassName: 'system-node-critical' }),
          ...(hostPid && { hostPID: true }),
        },
      },
    );
  }
}

/** Any other object that belongs to the runtime, such as a ConfigMap with a script. */
export function owned(scope: Construct, plan: BasePlan, role: Role | undefined, object: OwnedObject): KubeObject {
  const { apiVersion, kind, name, labels, ...rest } = object;
  const metadata = metadataOf(plan, name, { ...(role && selectorOf(plan, role)), ...labels });
  return new KubeObject(scope, `${kind}-${name}`, { apiVersion, kind, metadata, ...rest });
}
export interface OwnedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** What a fuse container learns of the runtime it serves. */
const fuseEnv = (plan: BasePlan): readonly EnvVar[] => [
  { name: 'FLUID_RUNTIME_TYPE', value: plan.app },
  { name: 'FLUID_RUNTIME_NS', value: plan.namespace },
  { name: 'FLUID_RUNTIME_NAME', value: plan.name },
];

const selectorOf = (plan: BasePlan, role: Role) => ({ app: plan.app, release: plan.name, role: `${plan.app}-${role}` });

const metadataOf = (plan: BasePlan, name: string, labels: Readonly<Record<string, string>>) => ({
  name,
  labels: { ...commonLabels(plan), ...labels },
  ownerReferences: [{ ...plan.owner, controller: true, blockOwnerDeletion: false }],
});

/** The API server drops empty lists, so one that was sent would never come back. */
const unlessEmpty = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);

const nameOf = ({ name }: { readonly name?: string }) => name;

function podSpec(plan: BasePlan, props: ComponentProps, own: object = {}): object {
  const hostNetwork = props.hostNetwork ?? true;
  const pullSecrets = props.imagePullSecrets?.length ? props.imagePullSecrets : plan.imagePullSecrets.map((name) => ({ name }));
  const containerPath = 'spec.template.spec.containers[0]';
  return {
    ...own,
    initContainers: unlessEmpty(props.initContainers),
    containers: [
      {
        name: props.container,
        image: props.image,
        imagePullPolicy: props.imagePullPolicy || 'IfNotPresent',
        command: props.command,
        args: props.args,
        // The API server merges these lists by key and refuses an apply in which a key repeats, though it accepts a create.
        env: byKey(nameOf, props.env, 'later'),
        ports: byKey(
          ({ containerPort, protocol = 'TCP' }) => `${containerPort}/${protocol}`,
          props.ports,
          'equal',
          `${containerPath}.ports`,
        ),
        resources: canonicalResources(props.resources, `${containerPath}.resources`),
        lifecycle: props.lifecycle,
        livenessProbe: props.livenessProbe,
        readinessProbe: props.readinessProbe,
        securityContext: { privileged: true, runAsUser: 0, ...props.securityContext },
        terminationMessagePolicy: props.terminationMessagePolicy,
        volumeMounts: byKey(({ mountPath }) => mountPath, props.volumeMounts, 'equal', `${containerPath}.volumeMounts`),
      },
    ],
    volumes: byKey(nameOf, props.volumes?.map(canonicalVolume), 'equal', 'spec.template.spec.volumes'),
    nodeSelector: props.nodeSelector && Object.keys(props.nodeSelector).length > 0 ? props.nodeSelector : undefined,
    hostNetwork: hostNetwork || undefined,
    dnsPolicy: props.dnsPolicy ?? (hostNetwork ? 'ClusterFirstWithHostNet' : 'ClusterFirst'),
    enableServiceLinks: false,
    imagePullSecrets: pullSecrets.length > 0 ? byKey(nameOf, pullSecrets, 'later') : undefined,
  };
}
