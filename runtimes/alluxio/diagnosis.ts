import { keyPath, shown } from '../../src/api/index.ts';
import type { ChosenOption, CountingPod, Diagnosis, DiagnosedSpecs, PodCounters } from '../../src/constructs/index.ts';
import { ABSENT, optionCosts } from './option-costs.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';
import { webAt } from './web.ts';

type Specs = DiagnosedSpecs<AlluxioRuntimeSpec>;

/** The few counters that are read, of some 50 KB. A master that does not lead prints nothing. */
const PICK = `tr -d '[:space:]' | grep -aoE '"(Worker[.](BytesRead(Cache|Domain|PerUfs)|BlocksEvicted|Capacity(Total|Used))[^"]*|Cluster[.]BytesReadLocal)":[{]"(count|value)":[0-9.E+]+'`;

/** The worker's page has its capacity as it is; the gauge of the metrics is minutes old. */
const CAPACITY = `web /api/v1/worker/info | tr -d '[:space:]' | grep -aoE '"capacity":[{][^{}]*[}]'`;

const CONTAINERS = { master: 'alluxio-master', worker: 'alluxio-worker' } as const;

export const diagnosis: Diagnosis<AlluxioRuntimeSpec> = {
  cache: ({ spec }) => {
    const levels = spec.tieredstore?.levels ?? [];
    // The slowest level is the largest one, by custom.
    return { in: 'worker', field: levels.length === 0 ? 'spec.tieredstore.levels' : `spec.tieredstore.levels[${levels.length - 1}].quota` };
  },
  counters: {
    command: ({ role, ports }) => {
      const { web } = ports;
      if (role === 'fuse' || web === undefined) return undefined;
      const room = role === 'worker' ? `\n${CAPACITY}` : '';
      return { container: CONTAINERS[role], argv: ['bash', '-c', `${webAt(web)}\nweb /metrics/json/ | ${PICK} || :${room}`] };
    },
    parse: readCounters,
  },
  costs: optionCosts,
  chosen,
};

/** `"Worker.BytesReadCache.10.0.0.1":{"count":1988895`; the address of the worker follows the name, or the store and the user before it. */
const LINE = /^"((?:Worker|Cluster)\.[A-Za-z]{1,40})([^"\n]{0,500})":\{"(?:count|value)":(\d{1,20}(?:\.\d{1,20})?(?:E[+-]?\d{1,3})?)$/gm;

/**
 * Workers count what they send, from their cache or from a store. What a client reads from the disk of the worker on its node, it counts
 * itself, and the master has the sum of all clients, every ten seconds.
 */
function readCounters(answer: string, { role }: CountingPod): PodCounters {
  const figures = new Map<string, number>();
  for (const [, name = '', , value] of answer.matchAll(LINE)) figures.set(name, (figures.get(name) ?? 0) + Number(value));
  const of = (name: string) => figures.get(name) ?? 0;
  if (role === 'master') return figures.has('Cluster.BytesReadLocal') ? { bytes: { local: of('Cluster.BytesReadLocal') } } : {};
  const capacityBytes = roomIn(answer, 'total') ?? figures.get('Worker.CapacityTotal');
  if (capacityBytes === undefined) throw new Error(`the worker's metrics have no capacity: ${shown(answer.slice(0, 200))}`);
  const cached = of('Worker.BytesReadCache');
  // By a socket of the node; the rest goes over the network, also to clients of the same node.
  const local = Math.min(of('Worker.BytesReadDomain'), cached);
  return {
    bytes: { local, remote: cached - local, store: of('Worker.BytesReadPerUfs') },
    evictions: of('Worker.BlocksEvicted'),
    cache: { usedBytes: roomIn(answer, 'used') ?? of('Worker.CapacityUsed'), capacityBytes },
  };
}

/** `"capacity":{"used":1988895,"total":67108864}` */
function roomIn(answer: string, which: 'used' | 'total'): number | undefined {
  const [, pair = ''] = /^"capacity":\{([^{}\n]{0,200})\}$/m.exec(answer) ?? [];
  const [, used] = /(?:^|,)"used":(\d{1,18})(?:,|$)/.exec(pair) ?? [];
  const [, total] = /(?:^|,)"total":(\d{1,18})(?:,|$)/.exec(pair) ?? [];
  const found = { used, total }[which];
  return found === undefined ? undefined : Number(found);
}

/** Options of `--fuse-opts=…` or `-o …`, and properties: those of the client win over those of all components. */
function chosen({ spec }: Specs): readonly ChosenOption[] {
  const field = 'spec.fuse.args';
  const args = spec.fuse?.args ?? [];
  const options = args
    .flatMap((arg) => arg.replace(/^(?:--fuse-opts=|-o)/, '').split(','))
    .map((option) => {
      const [name = '', value = ''] = option.trim().split('=', 2);
      return { field, name, value };
    });
  // Without arguments of the user, the client has the usual ones.
  const lacks = args.length > 0 && !options.some(({ name }) => name === 'kernel_cache');
  const properties = [
    ['spec.properties', spec.properties],
    ['spec.fuse.properties', spec.fuse?.properties],
  ] as const;
  const all = properties.flatMap(([path, values = {}]) =>
    Object.entries(values).map(([name, value]) => ({ field: keyPath(path, name), name, value })),
  );
  return [
    ...new Map(options.map((each) => [each.name, each])).values(),
    ...(lacks ? [{ field, name: 'kernel_cache', value: ABSENT }] : []),
    ...new Map(all.map((each) => [each.name, each])).values(),
  ];
}
