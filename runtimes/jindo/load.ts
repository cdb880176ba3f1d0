import type { Construct } from 'constructs';
import {
  ignored,
  type LoadSpec,
  type LoadTarget,
  literal,
  loadTargets,
  must,
  type Operation,
  OperationJob,
  PROGRESS_FILE,
  type Warning,
} from '../../src/constructs/index.ts';
import { COMMANDS } from './commands.ts';
import { clientConfigName } from './components.ts';
import { LOAD_SCRIPT } from './load-script.ts';
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
          image: plan.image.image,
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
