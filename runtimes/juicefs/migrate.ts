import type { Construct } from 'constructs';
import { type Affinity, datasetId, label } from '../../src/api/index.ts';
import {
  type ContainerProps,
  imageOf,
  literal,
  mountedAt,
  needsSshKeys,
  type Operation,
  OperationJob,
  parallelOf,
  PROGRESS_FILE,
  sshAccess,
  SshWorkers,
  together,
} from '../../src/constructs/index.ts';
import { commandOptions } from './command-options.ts';
import { endsOf } from './migrate-ends.ts';
import { MIGRATE_SCRIPT } from './migrate-script.ts';
import { migrateWarnings } from './migrate-warnings.ts';
import type { JuiceFSPlan } from './plan.ts';
import { PROGRAMS } from './script.ts';

/** Copies data with `juicefs sync`: in one pod, or in several to which the first gives work by SSH. */
export class JuiceFSMigrate extends OperationJob {
  static warnings = migrateWarnings;
  static needs = ({ spec }: Pick<Operation<'DataMigrate'>, 'spec'>) => ({
    sshKeys: needsSshKeys(spec),
    withoutWorkers: 'nothing' as const,
  });

  constructor(scope: Construct, plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>) {
    const { spec } = migrate;
    const { ends, parallel, timeout, options } = checked(plan, migrate);
    const both = [ends.to, ends.from];
    const secrets = both.flatMap(({ env }) => env);
    const volumes = both.flatMap(({ mounted = [] }) => mounted);
    const volumeMounts = volumes.map(({ mount }) => mount);
    const image = {
      image: imageOf(spec, undefined, plan.pods.worker.container.image),
      imagePullPolicy: spec.imagePullPolicy || plan.pods.worker.container.imagePullPolicy,
    };
    const logins = both.flatMap(({ login }, i): ContainerProps | [] =>
      login
        ? {
            ...image,
            name: i === 0 ? 'login-to' : 'login-from',
            command: [PROGRAMS[plan.source.edition].juicefs, 'auth'],
            args: login.args,
            env: login.env,
            volumeMounts: [LOGIN.mount],
          }
        : [],
    );
    const loggedIn = logins.length > 0 ? [LOGIN] : [];
    const podLabels = { [label.operation]: operationLabel(plan, migrate) };
    const pod = {
      podLabels,
      imagePullSecrets: plan.pods.worker.pod.imagePullSecrets,
      initContainers: logins,
      ...(parallel && { affinity: apart(podLabels) }),
    };
    const access = parallel?.access;
    super(scope, plan, migrate, {
      ...pod,
      labels: { parallelism: String(spec.parallelism ?? 1) },
      containers: [
        {
          ...image,
          name: 'datamigrate',
          command: ['/bin/bash', '/scripts/migrate.sh'],
          args: [literal(ends.from.url), literal(ends.to.url), ...options],
          env: [
            { name: 'EDITION', value: plan.source.edition },
            { name: 'TIMEOUT', value: timeout },
            { name: 'FROM', value: literal(ends.from.name) },
            { name: 'TO', value: literal(ends.to.name) },
            ...secrets,
            // The values of these variables are kept out of the log.
            { name: 'SECRET_VARIABLES', value: secrets.map(({ name }) => name).join(' ') },
            ...(ends.from.hasKeys || ends.to.hasKeys ? [{ name: 'URL_VARIABLE', value: ends.to.hasKeys ? 'to' : 'from' }] : []),
            ...metricsOf(spec.options?.['metrics']),
            ...(access ? [...access.env, { name: 'SSH_HOSTS', value: access.hosts.join(' ') }, POD_IP] : []),
          ],
          volumeMounts: [...volumeMounts, ...[...loggedIn, ...(access ? [access.keys] : [])].map(({ mount }) => mount)],
        },
      ],
      volumes: [...volumes, ...loggedIn, ...(access ? [access.keys] : [])].map(({ volume }) => volume),
      scripts: { 'migrate.sh': MIGRATE_SCRIPT, ...access?.scripts },
      progressFile: PROGRESS_FILE,
    });
    if (parallel)
      new SshWorkers(this, plan, migrate, parallel, {
        ...pod,
        containers: [{ ...image, name: 'worker', volumeMounts: [...volumeMounts, ...loggedIn.map(({ mount }) => mount)] }],
        volumes: [...volumes, ...loggedIn].map(({ volume }) => volume),
      });
  }
}

function checked(plan: JuiceFSPlan, migrate: Operation<'DataMigrate'>) {
  const { spec } = migrate;
  const { ends, parallel, command } = together({
    ends: () => endsOf(plan, migrate),
    parallel: () => {
      const parallel = parallelOf(spec);
      return parallel && { ...parallel, access: sshAccess(migrate, parallel) };
    },
    command: () => commandOptions(spec.options, RESERVED, 'no file of a pod, and workers by spec.parallelism'),
  });
  return { ends, parallel, ...command };
}

/** Options that the parallelism sets; and lists of files, of which those that a pod has hold Secrets. */
const RESERVED = ['worker', 'manager', 'manager-addr', 'files-from'];
const POD_IP = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };
/** Where `juicefs auth` keeps what it got. */
const LOGIN = mountedAt('/root/.juicefs', 'juicefs-login', { emptyDir: {} });

/** The port of `--metrics`, which the script asks how far it is. */
function metricsOf(address = '') {
  const [, port] = /:(\d{1,5})$/.exec(address) ?? [];
  return port === undefined ? [] : [{ name: 'METRICS_PORT', value: port }];
}

/** `migrate-<dataset id>` as in Fluid, unless that is too long for a label. */
function operationLabel({ dataset }: JuiceFSPlan, { uid }: Operation): string {
  const named = `migrate-${datasetId(dataset)}`;
  return named.length <= 63 ? named : `migrate-${uid}`;
}

/** Each pod on a node of its own, if there are as many: the network of a node is what limits them. */
const apart = (matchLabels: Record<string, string>): Affinity => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 100, podAffinityTerm: { labelSelector: { matchLabels }, topologyKey: 'kubernetes.io/hostname' } },
    ],
  },
});
