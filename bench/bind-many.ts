import { type Entry, isExec, kindOf, numberOf, work } from './audit.ts';
import { atLeast, atMost, type Bench, type Figure, unjudged } from './figure.ts';
import { type Bound, createAll, type Lab, nameOf, range, say, watchBound } from './lab.ts';
import { type Kind, suffixOf, targetsOf } from './kinds.ts';
import { paths } from './objects.ts';
import { replayed } from './replay.ts';
import { counted, each, largest, quantile, rankCorrelation, rounded } from './statistics.ts';

/** So many at once, of these kinds by turns: how fast, in which order, at which cost, and how that compares with what the API server can take. */
export const bindMany = (count: number, ...kinds: readonly Kind[]): Bench => {
  const name = `bind-${count}${suffixOf(kinds)}`;
  return {
    name,
    async *run({ lab: open }) {
      const lab = await open();
      const targets = targetsOf(kinds);
      const run = await bindAll(lab, kinds, count);
      const { namespace, seconds, latencies, order, cpuSeconds, requests } = run;
      const rate = count / seconds;
      // Host ports are the same again: three masters of one have every node of the lab.
      await lab.clear(namespace);
      const limit = await limitOf(lab, name, run);
      const times = {
        ...limit,
        seconds: rounded(seconds),
        p50: rounded(quantile(latencies, 0.5)),
        p90: rounded(quantile(latencies, 0.9)),
        order: rounded(order),
      };
      if (targets.rate) yield atLeast(`${name}/rate`, rate, 'runtimes per second', targets.rate, times);
      if (targets.order) yield atLeast(`${name}/order`, order, 'rank correlation of creation and Bound', targets.order);
      const execs = requests.filter(isExec).length;
      const sent = (n: number, what: string, most: number | undefined) => {
        const figure = [`${name}/${what}`, n / count, `${what} each until Bound and quiet`] as const;
        return most === undefined ? unjudged(...figure, requestDetail(run, count)) : atMost(...figure, most, requestDetail(run, count));
      };
      const isApart = targets.execs !== undefined || targets.requests === undefined;
      yield sent(isApart ? requests.length - execs : requests.length, 'requests', targets.requests);
      if (isApart) yield sent(execs, 'execs', targets.execs);
      const cpu = { ...limit, cpuSeconds: rounded(cpuSeconds), passesEach: rounded(run.passes / count) };
      if (targets.cpu) yield atMost(`${name}/cpu`, cpuSeconds / count, 'CPU s each', targets.cpu(count), cpu);
      yield claimsAfter(name, run, limit);
      yield atLeast(`${name}/of-limit`, rate / limit.limitPerSecond, 'of what the API server can take', targets.ofLimit, {
        ...times,
        cpuSecondsEach: rounded(cpuSeconds / count),
      });
    },
  };
};

/**
 * The rate of a bare client that sends the same writes, and runs the same commands, just after: rates and times depend on it, and it on the
 * machine.
 */
interface Limit {
  readonly limitPerSecond: number;
  readonly replayedRequests: number;
  readonly replayFailed: number;
}
async function limitOf(lab: Lab, name: string, { mark, lastMs, namespace }: Run): Promise<Limit> {
  const target = await lab.namespace();
  say(`replaying the writes of ${name} with a bare client`);
  const limit = await replayed(lab, mark, lastMs, namespace, target);
  await lab.clear(target);
  return {
    limitPerSecond: rounded(limit.runtimes / limit.seconds),
    replayedRequests: limit.requests,
    replayFailed: limit.failed,
  };
}

/** How long a claim waits for the volume controller once its Dataset is Bound. */
function claimsAfter(name: string, { boundAt, claimAt }: Run, limit: Limit): Figure {
  const waits = [...boundAt].map(([each, at]) => ((claimAt.get(each) ?? Number.NaN) - at) / 1000);
  return atMost(`${name}/claim`, largest(waits), 's from a Dataset Bound to its claim Bound, worst', 1, {
    ...limit,
    p50: rounded(quantile(waits, 0.5)),
    p90: rounded(quantile(waits, 0.9)),
  });
}

/** Requests by kind, and how many came before each Dataset's own Bound: the rest are its event, nudges of its claim, and probes. */
const requestDetail = ({ requests, boundAt }: Run, count: number) => ({
  beforeBound: rounded(
    requests.filter((entry) => Date.parse(entry.requestReceivedTimestamp) <= (boundAt.get(numberOf(entry) ?? '') ?? 0)).length / count,
  ),
  each: each(counted(requests.map(kindOf)), count),
});

interface Run {
  readonly namespace: string;
  /** From the first create to the last Bound. */
  readonly seconds: number;
  /** Seconds from each one's creation until it was Bound. */
  readonly latencies: readonly number[];
  readonly order: number;
  /** The controller's. */
  readonly cpuSeconds: number;
  /** Passes of the reconciler, over all of them. */
  readonly passes: number;
  /** The controller's, in the order in which they were answered. */
  readonly requests: readonly Entry[];
  /** ms since the epoch, by name. */
  readonly boundAt: ReadonlyMap<string, number>;
  /** Creation times of claims. */
  readonly claimAt: ReadonlyMap<string, number>;
  /** Where in the audit log it began. */
  readonly mark: number;
  /** When the last was Bound, ms since the epoch. */
  readonly lastMs: number;
}

const PASSES = 'controller_runtime_reconcile_total';

/** Starts a controller, creates so many, waits until all are Bound and quiet, and stops the controller. */
async function bindAll(lab: Lab, kinds: readonly Kind[], count: number): Promise<Run> {
  const controller = await lab.start();
  try {
    const namespace = await lab.namespace();
    const bound = await watchBound(lab, paths.datasets(namespace));
    const claims = await watchBound(lab, paths.core(namespace, 'persistentvolumeclaims'));
    await controller.idle();
    const mark = lab.audit.mark();
    const [cpuBefore, passesBefore] = [controller.cpuSeconds(), await controller.counter(PASSES)];
    say(`creating ${count} runtimes: ${kinds}`);
    const began = performance.now();
    const createdAt = await createAll(lab, kinds, namespace, count);
    const last = await bound.reached(count, 60 + count);
    await claims.reached(count, 60 + count);
    // Requests after the fact count as well.
    await controller.idle();
    for (const { stop } of [bound, claims]) stop();
    const sinceEpoch = ({ at }: Bound) => new Map([...at].map(([each, when]) => [each, performance.timeOrigin + when]));
    const boundAt = range(count).map((i) => bound.at.get(nameOf(i)) ?? Number.NaN);
    return {
      namespace,
      seconds: (last - began) / 1000,
      latencies: boundAt.map((at, i) => (at - (createdAt[i] ?? Number.NaN)) / 1000),
      order: rankCorrelation(createdAt, boundAt),
      cpuSeconds: controller.cpuSeconds() - cpuBefore,
      passes: (await controller.counter(PASSES)) - passesBefore,
      requests: work(lab.audit.since(mark)),
      boundAt: sinceEpoch(bound),
      claimAt: sinceEpoch(claims),
      mark,
      lastMs: performance.timeOrigin + last,
    };
  } finally {
    await controller.stop();
  }
}
