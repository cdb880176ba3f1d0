import { type SlowCase, type CauseRow, many, MUCH, percent, type SlowCause } from './cause.ts';
import type { SampledPod } from './evidence.ts';

/** Periods in which a container wanted to run: fewer say nothing. */
const FEW_PERIODS = 10;

const notReady: CauseRow = {
  reason: 'WorkersNotReady',
  when: 'some workers are not ready',
  remedy: '`sluice explain <name>` says what they wait for',
  find({ evidence: { workers, cache, object } }) {
    if (!workers || workers.ready >= workers.wanted) return [];
    const missing = (workers.wanted - workers.ready) / workers.wanted;
    return [
      {
        message: `${workers.ready} of ${many(workers.wanted, 'worker')} ${workers.ready === 1 ? 'is' : 'are'} ready: what the others keep is not at hand`,
        restsOn: [`the StatefulSet of the workers has ${workers.ready} of ${many(workers.wanted, 'pod')} ready`],
        toDo: `see what they wait for: sluice explain ${object.slice(object.lastIndexOf('/') + 1)}`,
        // A client with a cache of its own needs no worker.
        weight: cache?.in === 'fuse' ? 0.05 : missing,
      },
    ];
  },
};

const remote: CauseRow = {
  reason: 'RemoteWorkers',
  when: 'workers keep the cache, and nodes with readers have none',
  remedy: 'a larger `spec.replicas`, or readers and workers on the same nodes',
  find({ evidence: { pods, cache, workers }, figures: { shares, when, basis } }) {
    if (cache?.in !== 'worker') return [];
    const readers = nodesOf(pods, 'fuse');
    const served = nodesOf(pods, 'worker');
    const without = readers.filter((node) => !served.includes(node));
    const crossing = shares ? shares.remote + shares.store : 1;
    if (without.length === 0 || served.length === 0 || crossing < MUCH) return [];
    const value = String((workers?.wanted ?? served.length) + without.length);
    const field = 'spec.replicas';
    return [
      {
        message: `${without.length} of ${many(readers.length, 'node')} with readers ${without.length === 1 ? 'has' : 'have'} no worker: what is read there crosses the network`,
        restsOn: [
          `no worker is ready on ${listed(without)}; workers are on ${listed(served)}`,
          ...(basis ? [`${percent(shares?.remote ?? 0)} of the bytes came from workers over the network ${when}`] : []),
        ],
        toDo: `raise ${field} to ${value}, or run readers where workers are: spec.nodeAffinity of the Dataset, or node selectors of the readers`,
        field,
        value,
        weight: (without.length / readers.length) * (shares?.remote ?? 0.5),
      },
    ];
  },
};

const throttled: CauseRow = {
  reason: 'CpuLimit',
  when: 'the kernel stopped a client or worker in a tenth of the time, by its CPU limit',
  remedy: 'raise or remove `resources.limits.cpu`',
  find: ({ evidence: { pods, seconds, cache } }) =>
    (['fuse', 'worker'] as const).flatMap((role) => {
      const stopped = pods.filter((pod) => pod.role === role).flatMap((pod) => shareStopped(pod) ?? []);
      const worst = stopped.toSorted((a, b) => b.share - a.share)[0];
      if (!worst || worst.share < MUCH || (role === 'worker' && cache?.in === 'fuse')) return [];
      return [
        limitOf(role, worst, `${stopped.filter(({ share }) => share >= MUCH).length} of ${many(stopped.length, `${role} pod`)}`, seconds),
      ];
    }),
};

interface Stopped {
  readonly pod: SampledPod;
  readonly share: number;
  readonly periods: number;
}
function shareStopped(pod: SampledPod): Stopped | undefined {
  const { before, after } = pod.cpu ?? {};
  if (!before || !after) return undefined;
  const periods = after.periods - before.periods;
  return periods < FEW_PERIODS ? undefined : { pod, share: Math.min(1, (after.throttled - before.throttled) / periods), periods };
}

function limitOf(role: 'fuse' | 'worker', { pod, share, periods }: Stopped, who: string, seconds: number): Omit<SlowCause, 'reason'> {
  const field = `spec.${role}.resources.limits.cpu`;
  const { cpu } = pod.limits;
  const value = cpu === undefined ? undefined : coresText(2 * cpu);
  return {
    message: `${who} ${who.startsWith('1 of') ? 'was' : 'were'} stopped by the CPU limit, ${pod.name} for ${percent(share)} of the periods in which it ran`,
    restsOn: [
      `cpu.stat of ${pod.name}: throttled in ${Math.round(share * periods)} of ${periods} periods in ${seconds} s`,
      ...(cpu === undefined ? [] : [`its CPU limit is ${coresText(cpu)}`]),
    ],
    toDo: `raise ${field}${cpu === undefined ? '' : ` from ${coresText(cpu)} to ${value} or more`}, or remove it`,
    field,
    ...(value !== undefined && { value }),
    weight: share,
  };
}

/** As a quantity: `500m` or `2`. */
const coresText = (cores: number): string => (Number.isInteger(cores) ? String(cores) : `${Math.round(cores * 1000)}m`);

const nodesOf = (pods: SlowCase['evidence']['pods'], role: SampledPod['role']): readonly string[] =>
  [...new Set(pods.flatMap((pod) => (pod.role === role && pod.isReady ? (pod.node ?? []) : [])))].toSorted();

/** The first few of many. */
const listed = (names: readonly string[]): string =>
  `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;

export const podCauses: readonly CauseRow[] = [notReady, remote, throttled];
