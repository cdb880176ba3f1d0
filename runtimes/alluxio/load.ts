import type { Construct } from 'constructs';
import { keyPath } from '../../src/api/index.ts';
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
import { CLIENT_OPTIONS, clientEnvironment } from './client.ts';
import type { AlluxioPlan } from './plan.ts';

/** Loads paths with Alluxio's own distributed load, and waits until that has ended. */
export class AlluxioLoad extends OperationJob {
  static warnings({ spec: { options = {} } }: Operation<'DataLoad'>): readonly Warning[] {
    return Object.keys(options).map((name) => ignored(keyPath('spec.options', name), "has no effect; Alluxio's load has no options"));
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
      progressFile: PROGRESS_FILE,
    });
  }
}

/**
 * Arguments: paths, each followed by its number of copies. Alluxio 2.9.4 no longer has `distributedLoad`: there `load --submit` starts a job
 * that `load --progress` follows. Older versions have only the former, or a `load` that reads every file by itself.
 */
const SCRIPT = `set -e
${CLIENT_OPTIONS}
total=$(($# / 2)) done=0 files=0 details=()
${PROGRESS_SH}
report() { write_progress "Progress=$1" "\${@:2}"; }
field() { sed -n "s/^[[:space:]]*$1: //p" <<< "$progress" | tail -n 1; }

# In hundredths of a byte.
scaled() {
  local number="$1" power=0
  case "$2" in K) power=10 ;; M) power=20 ;; G) power=30 ;; T) power=40 ;; P) power=50 ;; esac
  echo $((10#$number << power))
}
# Of 512.00KB of 2.00MB.
percent() {
  local size='([0-9]+)(\\.([0-9]{2}))?([KMGTP]?)B' part all
  [[ "$1" =~ ^$size\\ of\\ $size$ ]] || return 0
  part=$(scaled "\${BASH_REMATCH[1]}\${BASH_REMATCH[3]:-00}" "\${BASH_REMATCH[4]}")
  all=$(scaled "\${BASH_REMATCH[5]}\${BASH_REMATCH[7]:-00}" "\${BASH_REMATCH[8]}")
  if ((all >= 100)); then echo $((part / (all / 100))); fi
}

follow() {
  local progress count bytes share
  while sleep 2; do
    progress=$(alluxio fs load "$1" --progress)
    echo "$progress"
    count=$(field 'Files Processed') bytes=$(field 'Bytes Loaded')
    # Bash would run what else is in a sum.
    [[ $count =~ ^[0-9]+$ ]] || count=0
    bytes=\${bytes/ out of / of } share=$(percent "$bytes")
    details=("Files=$((files + count))" "Bytes=$bytes" "Percent=$share" "Rate=$(field Throughput)")
    report "path $((done + 1)) of $total\${share:+, $share %}" "Step=loading $1" "\${details[@]}"
    case $progress in
      *'Job State: SUCCEEDED'*) files=$((files + count)); return 0 ;;
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
  report "path $((done + 1)) of $total" "Step=loading $1"
  alluxio fs setReplication --max "$2" -R "$1"
  if [ "$isNew" ] || [ "$NEED_LOAD_METADATA" = true ]; then list "$1"; fi
  load "$1" "$2" || { echo "path $1 was not loaded" >&2; exit 1; }
  done=$((done + 1))
  shift 2
done
# Of several paths, each has bytes of its own.
if [ "$total" -gt 1 ] && [ "$isNew" ]; then details=("Files=$files"); fi
report "$done of $total paths" "\${details[@]}"
cat /tmp/progress > /dev/termination-log
`;
