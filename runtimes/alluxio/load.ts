import type { Construct } from 'constructs';
import { ignored, literal, loadTargets, type Operation, OperationJob, type Warning } from '../../src/constructs/index.ts';
import { CLIENT_OPTIONS, clientEnvironment } from './client.ts';
import type { AlluxioPlan } from './plan.ts';

/** Loads paths with Alluxio's own distributed load, and waits until that has ended. */
export class AlluxioLoad extends OperationJob {
  static warnings({ spec: { options = {} } }: Operation<'DataLoad'>): readonly Warning[] {
    return Object.keys(options).length > 0 ? [ignored('spec.options', "has no effect; Alluxio's load has no options")] : [];
  }

  constructor(scope: Construct, plan: AlluxioPlan, load: Operation<'DataLoad'>) {
    super(scope, plan, load, {
      containers: [
        {
          ...plan.image,
          name: 'dataloader',
          command: ['/bin/bash', '/scripts/load.sh'],
          args: loadTargets(load).flatMap(({ path, replicas }) => [literal(path), String(replicas)]),
          ...clientEnvironment(plan, [{ name: 'NEED_LOAD_METADATA', value: String(load.spec.loadMetadata ?? false) }]),
        },
      ],
      scripts: { 'load.sh': SCRIPT },
      progressFile: '/tmp/progress',
    });
  }
}

/**
 * Arguments: paths, each followed by its number of copies. Alluxio 2.9.4 no longer has `distributedLoad`: there `load --submit` starts a job
 * that `load --progress` follows. Older versions have only the former, or a `load` that reads every file by itself.
 */
const SCRIPT = `set -e
${CLIENT_OPTIONS}
total=$(($# / 2)) done=0
report() { printf '%s\\n' "paths=$done of $total" "$@" > /tmp/progress.new && mv /tmp/progress.new /tmp/progress; }
field() { sed -n "s/^[[:space:]]*$1: //p" <<< "$progress"; }

follow() {
  while sleep 2; do
    progress=$(alluxio fs load "$1" --progress)
    echo "$progress"
    report "loading=$1" "files=$(field 'Files Processed')" "bytes=$(field 'Bytes Loaded')" "throughput=$(field Throughput)"
    case $progress in
      *'Job State: SUCCEEDED'*) return 0 ;;
      *'Job State: RUNNING'* | *'Job State: VERIFYING'*) ;;
      *) return 1 ;;
    esac
  done
}

# Of files that Alluxio has not listed yet, its new load knows nothing, and succeeds without loading them.
list() {
  local sync=
  if [ "$NEED_LOAD_METADATA" = true ]; then sync=' -Dalluxio.user.file.metadata.sync.interval=0'; fi
  ALLUXIO_USER_JAVA_OPTS="$ALLUXIO_USER_JAVA_OPTS$sync" alluxio fs ls -R "$1" > /dev/null
}

load() {
  if [ "$isNew" ]; then
    alluxio fs load "$1" --submit && follow "$1"
  else
    alluxio fs distributedLoad --replication "$2" "$1"
  fi
}

isNew=
if alluxio fs distributedLoad 2>&1 | grep -q 'unknown command'; then isNew=yes; fi

# All paths first: what is wrong with one of them shows before hours of loading others.
for ((i = 1; i <= $#; i += 2)); do
  alluxio fs test -e "\${!i}" || { echo "path \${!i} does not exist in the Dataset, or Alluxio did not answer" >&2; exit 1; }
done
while [ $# -gt 0 ]; do
  echo "loading $1"
  report "loading=$1"
  alluxio fs setReplication --max "$2" -R "$1"
  if [ "$isNew" ] || [ "$NEED_LOAD_METADATA" = true ]; then list "$1"; fi
  load "$1" "$2" || { echo "path $1 was not loaded" >&2; exit 1; }
  done=$((done + 1))
  shift 2
done
report
cat /tmp/progress > /dev/termination-log
`;
