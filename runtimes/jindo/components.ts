import type { Construct } from 'constructs';
import { type Affinity, annotation } from '../../src/api/index.ts';
import { type ContainerProps, Fuse, Master, owned, type PodBase, podService, Worker } from '../../src/constructs/index.ts';
import { configNameOf, type JindoPlan } from './plan.ts';

/** The masters, and the configuration of all. */
export class JindoMaster extends Master {
  constructor(scope: Construct, plan: JindoPlan) {
    const { container, ...pod } = plan.master;
    // First, so that pods find what they mount.
    configOf(scope, plan);
    super(scope, plan, {
      ...hashed(pod, plan.hashes.master),
      affinity: apart(plan),
      initContainers: portCheck(plan),
      containers: [{ ...container, name: 'jindofs-master', command: ['/entrypoint.sh'], args: ['master'] }],
    });
    for (const name of plan.masters) podService(this, plan, name, { ports: container.ports });
  }
}

export class JindoWorker extends Worker {
  constructor(scope: Construct, plan: JindoPlan) {
    const { container, ...pod } = plan.worker;
    super(scope, plan, {
      ...hashed(pod, plan.hashes.worker),
      containers: [{ ...container, name: 'jindofs-worker', command: ['/entrypoint.sh'], args: ['worker'] }],
    });
  }
}

/** The clients. Without masters, the configuration is only theirs. */
export class JindoFuse extends Fuse {
  constructor(scope: Construct, plan: JindoPlan) {
    const { container, ...pod } = plan.client;
    if (plan.masters.length === 0) configOf(scope, plan);
    super(scope, plan, {
      ...hashed(pod, plan.hashes.fuse),
      terminationGracePeriodSeconds: 60,
      containers: [
        {
          ...container,
          name: 'jindofs-fuse',
          command: ['/entrypoint.sh'],
          lifecycle: { preStop: { exec: { command: ['/prestop.sh'] } } },
        },
      ],
    });
  }
}

/** A sub path is read once, when a container starts. */
const hashed = <Pod extends Pick<PodBase, 'podAnnotations'>>(pod: Pod, hash: string): Pod => ({
  ...pod,
  podAnnotations: { ...pod.podAnnotations, [annotation.scriptHash]: hash },
});

function configOf(scope: Construct, plan: JindoPlan): void {
  const { files, app, name, addresses } = plan;
  const head = { apiVersion: 'v1', name: configNameOf(plan), labels: { app, release: name } };
  if (files.isSecret) owned(scope, plan, undefined, { ...head, kind: 'Secret', type: 'Opaque', data: files.data });
  else owned(scope, plan, undefined, { ...head, kind: 'ConfigMap', data: files.data });
  if (addresses)
    owned(scope, plan, undefined, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: clientConfigName(plan),
      labels: { app: `${app}-client`, release: name },
      data: { CLIENT_NAMESPACE_RPC_ADDRESS: addresses, STORAGE_NAMESPACE_RPC_ADDRESS: addresses },
    });
}
/** The ConfigMap with the environment of clients in other pods. */
export const clientConfigName = ({ name }: { readonly name: string }): string => `${name}-jindofs-client-config`;

/** Masters share no node if that is possible. */
const apart = ({ app, name }: JindoPlan): Affinity => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          labelSelector: {
            matchExpressions: [
              { key: 'role', operator: 'In', values: [`${app}-master`] },
              { key: 'release', operator: 'In', values: [name] },
            ],
          },
          topologyKey: 'kubernetes.io/hostname',
        },
      },
    ],
  },
});

/** Ports of a node can be in use by what Kubernetes does not know. */
const portCheck = ({ portCheck: image, masters, ports }: JindoPlan): readonly ContainerProps[] | undefined =>
  image === undefined
    ? undefined
    : [
        {
          name: 'init-port-check',
          image,
          args: ['check_port'],
          env: [{ name: 'PORTS_TO_CHECK', value: [ports.master, ...(masters.length > 1 ? [ports.raft] : [])].join(':') }],
          securityContext: { privileged: true },
        },
      ];
