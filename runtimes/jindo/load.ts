import type { Construct } from 'constructs';
import {
  ignored,
  type LoadTarget,
  literal,
  type LoadSpec,
  loadTargets,
  must,
  type Operation,
  OperationJob,
  PROGRESS_FILE,
  PROGRESS_SH,
  type Warning,
} from '../../src/constructs/index.ts';
import { COMMANDS } from './commands.ts';
import { clientConfigName } from './components.ts';
import type { JindoPlan } from './plan.ts';

/** Options that are on or off, and the flag of Jindo's load that each turns on. */
const FLAGS = {
  atomicCache: 'ENABLE_ATOMIC_CACHE',
  loadMetadataOnly: 'LOAD_METADATA_ONLY',
  loadMemorydata: 'LOAD_MEMORY_DATA',
  dryrun: 'DRY_RUN_ENABLE',
  forceload: 'FORCE_LOAD_ENABLE',
} as const;
/** Fields of a list of files in OSS. */
const LIST = ['url', 'endpoint', 'accessKeyId', 'accessKeySecret', 'cacheListReplica', 'cacheListLocationEnable'];
const KNOWN: readonly string[] = [...Object.keys(FLAGS), 'filter', 'threadNum', 'url'];

/** Loads paths by Jindo's own load, which waits until it has ended. */
export class JindoLoad extends OperationJob {
  static warnings({ spec: { options = {} } }: Operation<'DataLoad'>): readonly Warning[] {
    return Object.keys(options).flatMap((name) => {
      if (name === 'threadNum' && !options['filter'])
        return [ignored('spec.options[threadNum]', 'has no effect without the option filter')];
      if (KNOWN.includes(name)) return [];
      const why = LIST.includes(name) ? 'has no effect; it is of a list of files' : "has no effect; Jindo's load has no such option";
      return [ignored(`spec.options[${name}]`, why)];
    });
  }

  constructor(scope: Construct, plan: JindoPlan, load: Operation<'DataLoad'>) {
    must(plan.masters.length > 0, 'spec.dataset', 'a Dataset whose JindoRuntime has masters: without them nothing is cached', plan.name);
    const { volumes, volumeMounts } = plan.loadFiles;
    super(scope, plan, load, {
      // Fluid's, too: what failed twice will fail again.
      backoffLimit: 1,
      containers: [
        {
          image: plan.image,
          name: 'dataloader',
          command: ['/bin/bash', '/scripts/load.sh'],
          args: [
            ...COMMANDS[plan.engine].load,
            '--',
            ...targetsOf(plan, load).flatMap(({ path, replicas }) => [literal(path), String(replicas)]),
          ],
          env: [
            { name: 'STORAGE_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            ...Object.entries(variablesOf(plan, load.spec)).map(([name, value]) => ({ name, value: literal(value) })),
          ],
          envFrom: [{ configMapRef: { name: clientConfigName(plan) } }],
          volumeMounts,
        },
      ],
      volumes,
      scripts: { 'load.sh': LOAD_SCRIPT },
      progressFile: PROGRESS_FILE,
    });
  }
}

/** Without a target all of the Dataset: of several mounts each by itself, since the directory above them is in no store. */
const targetsOf = ({ sources }: JindoPlan, load: Operation<'DataLoad'>): readonly LoadTarget[] =>
  load.spec.target?.length || sources.length < 2 ? loadTargets(load) : sources.map(({ path }) => ({ path, replicas: 1 }));

/** The input of the script. A cache in memory is loaded into memory unless the user says otherwise. */
function variablesOf({ isMemory }: JindoPlan, { loadMetadata, options = {} }: LoadSpec): Readonly<Record<string, string>> {
  const { filter, threadNum = '10', url } = options;
  must(!url, 'spec.options[url]', 'paths in spec.target: a list of files would be read with a program from the internet', url);
  must(!filter || /^[1-9]\d{0,3}$/.test(threadNum), 'spec.options[threadNum]', 'a number of threads, at least 1', threadNum);
  const flags = Object.entries(FLAGS).flatMap(([option, variable]): readonly (readonly [string, string])[] => {
    const { [option]: said } = options;
    must(said === undefined || said === 'true' || said === 'false', `spec.options[${option}]`, 'true or false', said);
    return said === undefined ? [] : [[variable, said]];
  });
  return {
    NEED_LOAD_METADATA: String(loadMetadata ?? false),
    LOAD_MEMORY_DATA: String(isMemory),
    ...Object.fromEntries(flags),
    ...(filter && { CACHE_FILTER: filter, CACHE_LIST_THREAD: threadNum }),
  };
}

/** Arguments: the command that loads, `--`, then paths, each followed by its number of copies. */
const LOAD_SCRIPT = `set -e
load=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do load+=("$1"); shift; done
shift
total=$(($# / 2)) done=0
${PROGRESS_SH}
report() { write_progress "Progress=$done of $total paths" "$@"; }

is() { [ "\${!1-}" = true ]; }
if is NEED_LOAD_METADATA || is LOAD_METADATA_ONLY; then load+=(-meta); fi
if ! is LOAD_METADATA_ONLY; then load+=(-data); fi
if is ENABLE_ATOMIC_CACHE; then load+=(-atomic); fi
if is LOAD_MEMORY_DATA; then load+=(-m); fi
if is DRY_RUN_ENABLE; then load+=(-dryrun); fi
if is FORCE_LOAD_ENABLE; then load+=(-f); fi
filter=()
if [ "\${CACHE_FILTER-}" ]; then filter=(-filter "$CACHE_FILTER" -thread "$CACHE_LIST_THREAD"); fi

# All paths first: what is wrong with one of them shows before hours of loading others.
for ((i = 1; i <= $#; i += 2)); do
  said=$(timeout 30 jindo fs -ls "jindo://\${!i}" 2>&1) && [[ $said != *'No such file or directory'* ]] ||
    { echo "path \${!i} does not exist in the Dataset, or Jindo did not answer" >&2; exit 1; }
done
while [ $# -gt 0 ]; do
  echo "loading $1"
  report "Step=loading $1"
  "\${load[@]}" -s -R -replica "$2" "\${filter[@]}" "jindo://$1" || { echo "path $1 was not loaded" >&2; exit 1; }
  done=$((done + 1))
  shift 2
done
report
cat ${PROGRESS_FILE} > /dev/termination-log
`;
