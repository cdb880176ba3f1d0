import { type Entry, kindOf, numberOf, work } from './audit.ts';
import { atLeast, atMost, type Bench, type Figure, rounded } from './figure.ts';
import { createAll, type Lab, nameOf, range, say, watchBound } from './lab.ts';
import type { Kind } from './objects.ts';
import { replayed } from './replay.ts';
import { counted, each, quantile, rankCorrelation } from './statistics.ts';

/** So many ThinRuntimes at once: how fast, in which order, at which cost, and how that compares with what the API server can take. */
export const bindMany = (count: number): Bench => ({
  name: `bind-${count}`,
  async *run({ lab: open }) {
    const lab = await open();
    const name = `bind-${count}`;
    const run = await bindAll(lab, 'thin', count);
    const { namespace, seconds, latencies, order, cpuSeconds, requests } = run;
    const rate = count / seconds;
    yield atLeast(`${name}/rate`, rate, 'runtimes per second', 25, {
      seconds: rounded(seconds),
      p50: rounded(quantile(latencies, 0.5)),
      p90: rounded(quantile(latencies, 0.9)),
    });
    yield atLeast(`${name}/order`, order, 'rank correlation of creation and Bound', 0.95);
    yield atMost(`${name}/requests`, requests.length / count, 'requests each until Bound and quiet', 10, requestDetail(run, count));
    yield atMost(`${name}/cpu`, cpuSeconds / count, 'CPU s each', 0.01, {
      cpuSeconds: rounded(cpuSeconds),
      passesEach: rounded(run.passes / count),
    });

    yield await ofLimit(lab, name, run, rate);
    await lab.clear(namespace);
  },
});

/** How the rate of a run compares with a bare client's that sends the same writes. */
export async function ofLimit(lab: Lab, name: string, { mark, lastMs, namespace }: Run, rate: number): Promise<Figure> {
  const target = await lab.namespace();
  say(`replaying the writes of ${name} with a bare client`);
  const limit = await replayed(lab, mark, lastMs, namespace, target);
  await lab.clear(target);
  return atLeast(`${name}/of-limit`, rate / (limit.runtimes / limit.seconds), 'of what the API server can take', 0.7, {
    limitPerSecond: rounded(limit.runtimes / limit.seconds),
    replayedRequests: limit.requests,
    failed: limit.failed,
  });
}

/** Of which kinds they are, and how many came before each one's own Bound: the rest are its event, nudges of its claim, and probes. */
export const requestDetail = ({ requests, boundAt }: Run, count: number) => ({
  beforeBound: rounded(
    requests.filter((entry) => Date.parse(entry.requestReceivedTimestamp) <= (boundAt.get(numberOf(entry) ?? '') ?? 0)).length / count,
  ),
  each: each(counted(requests.map(kindOf)), count),
});

export interface Run {
  readonly namespace: string;
  /** From the first create to the last Bound. */
  readonly seconds: number;
  /** Seconds from each one's creation until it was Bound. */
  readonly latencies: readonly number[];
  readonly order: number;
  /** The controller's. */
  readonly cpuSeconds: number;
  /** Of the reconciler, over all of them. */
  readonly passes: number;
  /** The controller's, in the order in which they were answered. */
  readonly requests: readonly Entry[];
  /** ms since the epoch, by name. */
  readonly boundAt: ReadonlyMap<string, number>;
  /** Where in the audit log it began. */
  readonly mark: number;
  /** When the last was Bound, ms since the epoch. */
  readonly lastMs: number;
}

const PASSES = 'controller_runtime_reconcile_total';

/** Starts a controller, creates so many, waits until all are Bound and quiet, and stops the controller. */
export async function bindAll(lab: Lab, kind: Kind, count: number): Promise<Run> {
  const controller = await lab.start();
  try {
    const namespace = await lab.namespace();
    const bound = await watchBound(lab, namespace);
    await controller.idle();
    const mark = lab.audit.mark();
    const [cpuBefore, passesBefore] = [controller.cpuSeconds(), await controller.counter(PASSES)];
    say(`creating ${count} ${kind} runtimes`);
    const began = performance.now();
    const createdAt = await createAll(lab, kind, namespace, count);
    const last = await bound.reached(count, 60 + count);
    // Events are sent after the fact, and a claim that was forgotten is nudged later: they count as well.
    await controller.idle();
    bound.stop();
    const boundAt = range(count).map((i) => bound.at.get(nameOf(i)) ?? Number.NaN);
    return {
      namespace,
      seconds: (last - began) / 1000,
      latencies: boundAt.map((at, i) => (at - (createdAt[i] ?? Number.NaN)) / 1000),
      order: rankCorrelation(createdAt, boundAt),
      cpuSeconds: controller.cpuSeconds() - cpuBefore,
      passes: (await controller.counter(PASSES)) - passesBefore,
      requests: work(lab.audit.since(mark)),
      boundAt: new Map([...bound.at].map(([each, at]) => [each, performance.timeOrigin + at])),
      mark,
      lastMs: performance.timeOrigin + last,
    };
  } finally {
    await controller.stop();
  }
}
