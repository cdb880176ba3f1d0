import type { Construct } from 'constructs';
import { nearest, shown } from '../../src/api/index.ts';
import { sidecar } from '../../src/api/sidecars.ts';
import {
  ignored,
  literal,
  loadTargets,
  must,
  type Operation,
  OperationJob,
  type OperationNeeds,
  PROGRESS_FILE,
  type Warning,
} from '../../src/constructs/index.ts';
import { commandOptions, unknownOptions } from './command-options.ts';
import { LOAD_SCRIPT } from './load-script.ts';
import type { JuiceFSPlan } from './plan.ts';

/**
 * Has clients read paths into their caches. Clients of the community edition share nothing that one of them has read, so each is asked:
 * every worker, every fuse pod that is ready at that time, and every sidecar; or those that the option `clients` names. Of the enterprise
 * edition the first worker is, as its workers share.
 */
export class JuiceFSLoad extends OperationJob {
  static needs = (_: unknown, { source }: JuiceFSPlan): OperationNeeds =>
    source.edition === 'community' ? { withoutWorkers: 'fuse' } : {};

  static warnings({ spec: { loadMetadata, target = [], options } }: Operation<'DataLoad'>, { source }: JuiceFSPlan): readonly Warning[] {
    const { clients, ...given } = options ?? {};
    return [
      ...target.flatMap(({ replicas = 1 }, i) =>
        replicas === 1 ? [] : [ignored(`spec.target[${i}].replicas`, 'has no effect; a client keeps one copy of what it loads')],
      ),
      ...(loadMetadata ? [ignored('spec.loadMetadata', 'has no effect; JuiceFS reads metadata from its metadata engine')] : []),
      ...(source.edition === 'community' ? [...meantBy(clients), ...unknownOptions('warmup', given)] : []),
      ...(source.edition === 'enterprise' && clients !== undefined
        ? [ignored('spec.options.clients', 'has no effect; of the enterprise edition the first worker loads, for all clients')]
        : []),
    ];
  }

  constructor(scope: Construct, plan: JuiceFSPlan, load: Operation<'DataLoad'>) {
    // The log would show a file that `--file` names, and `/proc/self/environ` of a worker has its Secrets.
    const { clients, ...given } = load.spec.options ?? {};
    const { timeout, options } = commandOptions(given, ['file', 'f'], 'paths in spec.target rather than in a file of the worker');
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
            ...(edition === 'community'
              ? [
                  { name: 'READERS', value: `release=${plan.name},role=juicefs-fuse` },
                  // threat-model: R-sidecar-reader
                  { name: 'SIDECARS', value: `${sidecar.done}=true` },
                  { name: 'SIDECAR_LABEL', value: `${sidecar.datasetName}fluid-fuse-` },
                  { name: 'DATASET', value: plan.name },
                  ...(clients === undefined ? [] : [{ name: 'CLIENTS', value: clientsOf(clients) }]),
                ]
              : []),
            { name: 'TIMEOUT', value: timeout },
            { name: 'POD_NAMESPACE', value: plan.namespace },
          ],
        },
      ],
      scripts: { 'load.sh': LOAD_SCRIPT },
      progressFile: PROGRESS_FILE,
    });
  }
}

const GROUPS = ['workers', 'fuse', 'sidecars'];
const EXPECTED = 'workers, fuse, sidecars or names of pods, separated by commas';

/** A group name that resembles the name of another group, and would be that of a pod. */
const meantBy = (clients: string = ''): readonly Warning[] =>
  clients.split(/, */).flatMap((name) => {
    const near = GROUPS.includes(name) ? undefined : nearest(name, GROUPS);
    return near === undefined
      ? []
      : [{ reason: 'SpecAmbiguous', message: `spec.options.clients: expected ${EXPECTED}, found ${shown(name)} (did you mean ${near}?)` }];
  });

/** Which clients load: groups of them, and names of pods. */
function clientsOf(list: string): string {
  const isList = /^[a-z0-9]([a-z0-9.-]*)(, *[a-z0-9][a-z0-9.-]*)*$/.test(list) && list.length < 10_000;
  must(isList, 'spec.options.clients', EXPECTED, list);
  return list.replaceAll(' ', '');
}
