import type { Construct } from 'constructs';
import { type BasePlan, type Operation, OperationJob, sh } from '../../src/constructs/index.ts';

/** Loads as they may look for two engines, as far as that proves the shape: the real ones have scripts that are tried out. */

export interface LoadPlan extends BasePlan {
  readonly image: string;
}
const targetsOf = ({ spec }: Operation<'DataLoad'>): readonly string[] =>
  (spec.target ?? [{ path: '/' }]).flatMap(({ path, replicas = 1 }) => [path, String(replicas)]);

export class AlluxioLoad extends OperationJob {
  constructor(scope: Construct, plan: LoadPlan, load: Operation<'DataLoad'>) {
    super(scope, plan, load, {
      containers: [
        {
          name: 'dataloader',
          image: plan.image,
          command: ['/bin/bash', '/scripts/load.sh'],
          args: targetsOf(load),
          env: [
            { name: 'ALLUXIO_CLIENT_HOSTNAME', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'ALLUXIO_CLIENT_JAVA_OPTS', value: ' -Dalluxio.user.hostname=${ALLUXIO_CLIENT_HOSTNAME}' },
            { name: 'NEED_LOAD_METADATA', value: String(load.spec.loadMetadata ?? false) },
          ],
          envFrom: [{ configMapRef: { name: `${plan.name}-config` } }],
        },
      ],
      scripts: { 'load.sh': LOAD },
    });
  }
}
const LOAD = sh`set -e
while [ $# -gt 0 ]; do
  if [ "$NEED_LOAD_METADATA" = true ]; then alluxio fs ls -Dalluxio.user.file.metadata.sync.interval=0 -R "$1"; fi
  alluxio fs distributedLoad --replication "$2" "$1"
  shift 2
done
`;

export class JuiceFSLoad extends OperationJob {
  constructor(scope: Construct, plan: LoadPlan, load: Operation<'DataLoad'>) {
    const { timeout = '30m', ...options } = load.spec.options ?? {};
    const pods = (load.facts.pods.worker ?? []).map(({ name }) => name);
    super(scope, plan, load, {
      serviceAccountName: `${plan.name}-loader`,
      containers: [
        {
          name: 'dataloader',
          image: plan.image,
          command: ['/bin/bash', '/scripts/load.sh'],
          args: [...targetsOf(load).filter((_, i) => i % 2 === 0), ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
          env: [
            { name: 'STORAGE_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'EDITION', value: 'community' },
            { name: 'MOUNTPATH', value: plan.mountPath },
            { name: 'POD_NAMES', value: pods.join(':') },
            { name: 'TIMEOUT', value: timeout },
            { name: 'POD_NAMESPACE', value: plan.namespace },
          ],
        },
      ],
      scripts: { 'load.sh': WARM_UP },
    });
  }
}
const WARM_UP = sh`set -e
IFS=: read -r -a pods <<< "$POD_NAMES"
for pod in "\${pods[@]}"; do
  kubectl -n "$POD_NAMESPACE" exec "$pod" -- timeout "$TIMEOUT" juicefs warmup "$@"
done
`;
