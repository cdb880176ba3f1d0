import type { Construct } from 'constructs';
import { type Affinity, annotation } from '../../src/api/index.ts';
import { type ContainerProps, Fuse, Master, owned, podService, Worker } from '../../src/constructs/index.ts';
import { configMapName, environmentHash } from './environment.ts';
import { type Row, secretFile } from './mounts.ts';
import type { AlluxioPlan } from './plan.ts';
import { type Component, containerPorts } from './ports.ts';
import { usersName } from './users.ts';

/** The masters, the master of jobs beside each, and where it is asked for a gateway. */
export class AlluxioMaster extends Master {
  constructor(scope: Construct, plan: AlluxioPlan) {
    const { master, jobMaster, gateway, ...pod } = plan.master;
    super(scope, plan, {
      ...pod,
      podAnnotations: annotations(plan, 'master'),
      affinity: nearItsDisks(plan),
      containers: [
        {
          ...program(plan, 'alluxio-master', 'master', ['master-only', '--no-format']),
          ...master,
          command: masterCommand(plan.mounts.root),
          readinessProbe: plan.masters.length > 1 ? votes : serves('master'),
        },
        { ...program(plan, 'alluxio-job-master', 'jobMaster', ['job-master']), ...jobMaster },
        ...(plan.hasGateway ? [{ ...program(plan, 'api-gateway', 'apiGateway', ['proxy']), ...gateway, securityContext: undefined }] : []),
      ],
    });
    const labels = { app: plan.app, release: plan.name };
    const configMap = (name: string, data: object) =>
      owned(this, plan, undefined, { apiVersion: 'v1', kind: 'ConfigMap', name, labels, data });
    configMap(configMapName(plan), plan.environment);
    if (plan.account) configMap(usersName(plan), plan.account.files);
    for (const pod of plan.masters) serviceOf(this, plan, pod);
  }
}

/** The worker, and the worker of jobs beside it, which reads and writes through it. */
export class AlluxioWorker extends Worker {
  constructor(scope: Construct, plan: AlluxioPlan) {
    const { worker, jobWorker, ...pod } = plan.worker;
    super(scope, plan, {
      ...pod,
      podAnnotations: annotations(plan, 'worker'),
      containers: [
        { ...program(plan, 'alluxio-worker', 'worker', ['worker-only', '--no-format']), ...worker, readinessProbe: serves('worker') },
        { ...program(plan, 'alluxio-job-worker', 'jobWorker', ['job-worker']), ...jobWorker },
      ],
    });
  }
}

export class AlluxioFuse extends Fuse {
  constructor(scope: Construct, plan: AlluxioPlan) {
    const { client, ...pod } = plan.client;
    super(scope, plan, {
      ...pod,
      podAnnotations: annotations(plan, 'fuse'),
      containers: [
        {
          ...client,
          name: 'alluxio-fuse',
          command: ['/entrypoint.sh'],
          envFrom: envFrom(plan),
          lifecycle: { preStop: { exec: { command: ['/opt/alluxio/integration/fuse/bin/alluxio-fuse', 'unmount', plan.mountPath] } } },
          securityContext: { ...plan.user, privileged: true },
        },
      ],
    });
  }
}

const annotations = (plan: AlluxioPlan, role: 'master' | 'worker' | 'fuse') => ({
  ...(role === 'fuse' ? plan.client : plan[role]).podAnnotations,
  [annotation.scriptHash]: environmentHash({ ...plan.environment, ...plan.account?.files }, role),
});
const envFrom = (plan: AlluxioPlan) => [{ configMapRef: { name: configMapName(plan) } }];

/**
 * The web port is the last to answer: of a master once it has its journal and leads, of a worker once the master knows it. It is open
 * before; and what it answers here are a few settings, at once.
 */
const serves = (what: 'master' | 'worker') => ({
  httpGet: { port: 'web', path: `/api/v1/${what}/webui_init` },
  periodSeconds: 2,
  timeoutSeconds: 5,
});

/**
 * Only the leading one of several masters serves pages, and until one leads each of them must be up: masters are ready once they take part
 * in elections.
 */
const votes = { tcpSocket: { port: 'embedded' }, periodSeconds: 2, timeoutSeconds: 5 };

/** One of the programs of Alluxio's image, which its first argument names. */
const program = (plan: AlluxioPlan, name: string, component: Component, args: readonly string[]): ContainerProps => ({
  ...plan.image,
  name,
  command: ['/entrypoint.sh'],
  args,
  envFrom: envFrom(plan),
  ports: containerPorts(plan.ports, component),
  securityContext: plan.user,
});

/** Data on the disk of a node is read where the Dataset says that it is. */
const nearItsDisks = ({ mounts, nodeAffinity }: AlluxioPlan): Affinity | undefined =>
  mounts.isLocal && nodeAffinity ? { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nodeAffinity } } : undefined;

function serviceOf(scope: Construct, plan: AlluxioPlan, pod: string): void {
  const { ports, hasGateway, isMonitored } = plan;
  const listening: readonly Component[] = ['master', 'jobMaster', ...(hasGateway ? (['apiGateway'] as const) : [])];
  podService(scope, plan, pod, {
    ports: listening.flatMap((component) => containerPorts(ports, component)),
    ...(isMonitored && { labels: { monitor: 'alluxio_runtime_metrics' } }),
  });
}

/** A file of the master's own: its arguments, which any process of the node may list, hold no secret. */
const SCRIPT = `set -eu
umask 077
directory=$(mktemp -d)
cat "\${ALLUXIO_HOME:-/opt/alluxio}/conf/alluxio-site.properties" > "$directory/alluxio-site.properties" 2>/dev/null || :
while [ "$1" = --secret ]; do
  value=$(cat "$3")
  printf '\\n%s=%s\\n' "$2" "\${value//\\\\/\\\\\\\\}" >> "$directory/alluxio-site.properties"
  shift 3
done
export ALLUXIO_MASTER_JAVA_OPTS="\${ALLUXIO_MASTER_JAVA_OPTS:-} -Dalluxio.site.conf.dir=$directory"
exec /entrypoint.sh "$@"`;

const OPTION = 'alluxio.master.mount.table.root.option';

/** How a master is started that must know secrets of the source at `/` before its first mount. */
const masterCommand = ({ secrets }: Row): readonly string[] =>
  secrets.length === 0
    ? ['/entrypoint.sh']
    : ['bash', '-c', SCRIPT, 'master', ...secrets.flatMap((secret) => ['--secret', `${OPTION}.${secret.option}`, secretFile(secret)])];
