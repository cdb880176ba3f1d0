import type { Construct } from 'constructs';
import {
  ignored,
  literal,
  loadTargets,
  type Operation,
  OperationJob,
  PROGRESS_FILE,
  PROGRESS_SH,
  type Warning,
} from '../../src/constructs/index.ts';
import { commandOptions } from './command-options.ts';
import type { JuiceFSPlan } from './plan.ts';

/** Has workers read paths into their caches: every worker of the community edition, the first of the enterprise edition, whose workers share. */
export class JuiceFSLoad extends OperationJob {
  static warnings({ spec: { loadMetadata, target = [] } }: Operation<'DataLoad'>): readonly Warning[] {
    return [
      ...target.flatMap(({ replicas = 1 }, i) =>
        replicas === 1 ? [] : [ignored(`spec.target[${i}].replicas`, 'has no effect; a worker keeps one copy of what it loads')],
      ),
      ...(loadMetadata ? [ignored('spec.loadMetadata', 'has no effect; JuiceFS reads metadata from its metadata engine')] : []),
    ];
  }

  constructor(scope: Construct, plan: JuiceFSPlan, load: Operation<'DataLoad'>) {
    // The log would show a file that `--file` names, and `/proc/self/environ` of a worker has its Secrets.
    const { timeout, options } = commandOptions(
      load.spec.options,
      ['file', 'f'],
      'paths in spec.target rather than in a file of the worker',
    );
    const workers = (load.facts.pods.worker ?? []).map(({ name }) => name);
    const { edition } = plan.source;
    super(scope, plan, load, {
      serviceAccountName: `${plan.name}-loader`,
      containers: [
        {
          image: plan.pods.worker.container.image,
          name: 'dataloader',
          command: ['/bin/bash', '/scripts/load.sh'],
          args: [...loadTargets(load).map(({ path }) => literal(`${plan.mountPath}${path}`)), '--', ...options],
          env: [
            { name: 'STORAGE_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'EDITION', value: edition },
            { name: 'MOUNTPATH', value: plan.mountPath },
            // With a schedule, the workers of that time count.
            ...(load.spec.policy === 'Cron'
              ? [{ name: 'WORKERS', value: `release=${plan.name},role=juicefs-worker` }]
              : [{ name: 'POD_NAMES', value: (edition === 'enterprise' ? workers.slice(0, 1) : workers).join(':') }]),
            { name: 'TIMEOUT', value: timeout },
            { name: 'POD_NAMESPACE', value: plan.namespace },
          ],
        },
      ],
      scripts: { 'load.sh': SCRIPT },
      progressFile: PROGRESS_FILE,
    });
  }
}

/** Arguments: paths in the pods of the workers, `--`, options of `juicefs warmup`. */
const SCRIPT = `set -eo pipefail
paths=()
while [ "$1" != -- ]; do paths+=("$1"); shift; done
shift
if [ "\${WORKERS-}" ]; then
  POD_NAMES=$(kubectl -n "$POD_NAMESPACE" get pods -l "$WORKERS" --field-selector status.phase=Running -o 'jsonpath={range .items[*]}{.metadata.name}:{end}')
  if [ "$EDITION" = enterprise ]; then POD_NAMES=\${POD_NAMES%%:*}; fi
fi
IFS=: read -r -a pods <<< "$POD_NAMES"
[ \${#pods[@]} -gt 0 ] || { echo 'no worker runs' >&2; exit 1; }
in_pod() { kubectl -n "$POD_NAMESPACE" exec "$1" -- "\${@:2}"; }

for path in "\${paths[@]}"; do
  in_pod "\${pods[0]}" timeout 30s ls -d "$path" > /dev/null || { echo "path \${path#"$MOUNTPATH"} does not exist in the Dataset, or worker \${pods[0]} did not answer" >&2; exit 1; }
done
done=0 loaded=()
${PROGRESS_SH}
report() { write_progress "Progress=$done of \${#pods[@]} workers" "\${loaded[@]}" "$@"; }
# What a worker says at its end: 12 files (345 bytes), or (3.4 MiB bytes).
said() { sed -nE 's/.*[^0-9]([0-9]+) files \\((.*) bytes\\).*/Files=\\1\\nBytes=\\2/p' /tmp/progress.said | tail -n 2; }
for pod in "\${pods[@]}"; do
  echo "loading in $pod"
  report "Step=loading in $pod"
  in_pod "$pod" timeout "$TIMEOUT" juicefs warmup "\${paths[@]}" "$@" 2>&1 | tee /tmp/progress.said || { echo "pod $pod: juicefs warmup failed" >&2; exit 1; }
  done=$((done + 1))
  mapfile -t loaded < <(said)
done
report
cat /tmp/progress > /dev/termination-log
`;
