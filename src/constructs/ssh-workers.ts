import { Construct } from 'constructs';
import { type EnvVar, label, type Manifest } from '../api/index.ts';
import type { BasePlan, ComponentProps, Operation, OperationSpec } from './contract.ts';
import { must } from './faults.ts';
import type { Parallel } from './migrate.ts';
import { ownedByOperation } from './operation.ts';
import { operationNames } from './operation-names.ts';
import { operationLabels, operationPod } from './operation-pod.ts';
import { base64 } from './secret-files.ts';
import { KEYS, SSH_SCRIPTS } from './ssh-scripts.ts';
import type { Mounted } from './user-volumes.ts';

/** Mounts and variables by which a container reaches the workers of its operation over SSH. */
export interface SshAccess {
  /** By what names the workers are reached. */
  readonly hosts: readonly string[];
  /** Beside the container's own scripts. `bash ssh.sh <hosts>` returns once all of them answer, and fails if one does not in time. */
  readonly scripts: Readonly<Record<string, string>>;
  readonly env: readonly EnvVar[];
  readonly keys: Mounted;
}

/** `<set>-<hash>` is a label of the pods: 63 − 1 − 10. */
const LONGEST_SET = 52;

/**
 * Mounts, variables and volumes by which the Job of an operation reaches its `SshWorkers`.
 * @throws InvalidSpec when the operation's name cannot be in that of a host.
 * @example
 * const hosts = (migrate: Operation<'DataMigrate'>) =>
 *   sshAccess(migrate, { workers: 1, port: 22, readyTimeoutSeconds: 180 }).hosts; // → ['op-migrate-workers-0.op-migrate-workers']
 */
export function sshAccess(operation: Operation, { workers, secret, port, readyTimeoutSeconds }: Parallel): SshAccess {
  const { name } = operation;
  const { workers: set } = operationNames(operation);
  const longest = LONGEST_SET + name.length - set.length;
  const expected = `at most ${longest} lower-case letters, digits and dashes, a letter first, since parallelism is above 1`;
  must(/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) && name.length <= longest, 'metadata.name', expected, name);
  return {
    hosts: Array.from({ length: workers }, (_, i) => `${set}-${i}.${set}`),
    scripts: SSH_SCRIPTS,
    env: [
      { name: 'SSH_PORT', value: String(port) },
      { name: 'SSH_READY_TIMEOUT', value: String(readyTimeoutSeconds) },
    ],
    keys: {
      volume: { name: 'ssh-keys', secret: { secretName: secret ?? operationNames(operation).sshKeys, defaultMode: 0o600 } },
      mount: { name: 'ssh-keys', mountPath: KEYS, readOnly: true },
    },
  };
}

/**
 * Pods that wait for commands of the operation's Job, by SSH: a StatefulSet, the Service that gives them their names, and the Secret with
 * keys that were made for the operation, unless its user has some. All of them are deleted at the end of the run.
 * @example
 * import type { Construct } from 'constructs';
 *
 * class AcmeMigrate extends OperationJob {
 *   constructor(scope: Construct, plan: BasePlan, migrate: Operation<'DataMigrate'>) {
 *     const parallel = { workers: 2, port: 22, readyTimeoutSeconds: 180 };
 *     const { scripts, env, keys, hosts } = sshAccess(migrate, parallel);
 *     const container = { name: 'acme', image: 'acme:1', args: hosts, env, volumeMounts: [keys.mount] };
 *     super(scope, plan, migrate, { containers: [container], volumes: [keys.volume], scripts });
 *     new SshWorkers(this, plan, migrate, parallel, { containers: [{ name: 'worker', image: 'acme:1' }] });
 *   }
 * }
 */
export class SshWorkers extends Construct {
  constructor(scope: Construct, plan: BasePlan, operation: Operation, parallel: Parallel, pod: ComponentProps) {
    super(scope, 'workers');
    const { workers: set } = operationNames(operation);
    const { podMetadata }: OperationSpec = operation.spec;
    const owned = (object: Pick<Manifest, 'apiVersion' | 'kind'> & { readonly name: string; readonly [field: string]: unknown }) =>
      ownedByOperation(this, plan, operation, object);
    const selector = { app: set };
    owned({
      apiVersion: 'v1',
      kind: 'Service',
      name: set,
      // A name that does not exist yet is asked for again only after a while.
      spec: { clusterIP: 'None', selector, publishNotReadyAddresses: true },
    });
    if (parallel.secret === undefined) owned({ apiVersion: 'v1', kind: 'Secret', ...madeKeys(operation) });
    owned({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      name: set,
      spec: {
        replicas: operation.facts.isIdle ? 0 : parallel.workers,
        serviceName: set,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: selector },
        template: {
          metadata: {
            labels: { ...podMetadata?.labels, ...pod.podLabels, ...operationLabels(plan, operation), ...selector },
            annotations: { ...podMetadata?.annotations, ...pod.podAnnotations, [label.istioInject]: 'false' },
          },
          spec: operationPod(plan, operation, { ...withServer(operation, parallel, pod), restartPolicy: 'Always' }),
        },
      },
    });
  }
}

function madeKeys(operation: Operation) {
  const { sshKeys: name } = operationNames(operation);
  const { sshKeys: keys } = operation.facts;
  if (!keys) throw new Error(`${operation.kind} ${operation.name}: expected keys among the facts, since no Secret has any`);
  // Another cluster has its own.
  return {
    name,
    labels: { [label.notInBackups]: 'true' },
    data: { 'ssh-privatekey': base64(keys.privateKey), 'ssh-publickey': base64(keys.publicKey) },
  };
}

function withServer(operation: Operation, parallel: Parallel, pod: ComponentProps) {
  const { scripts, env, keys } = sshAccess(operation, parallel);
  const [first, ...others] = pod.containers;
  const server = {
    ...first,
    command: ['/bin/bash', `${operationNames(operation).directory}/sshd.sh`],
    env: [...env, ...(first.env ?? [])],
    ports: [{ containerPort: parallel.port, protocol: 'TCP' }, ...(first.ports ?? [])],
    readinessProbe: { exec: { command: ['ssh', 'localhost', 'true'] }, timeoutSeconds: 10 },
    volumeMounts: [keys.mount, ...(first.volumeMounts ?? [])],
  };
  const containers: ComponentProps['containers'] = [server, ...others];
  return { ...pod, scripts, containers, volumes: [keys.volume, ...(pod.volumes ?? [])] };
}
