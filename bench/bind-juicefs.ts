import { bindAll, claimsAfter, limitOf, ofLimit, requestDetail } from './bind-many.ts';
import { atLeast, atMost, type Bench, rounded } from './figure.ts';
import { quantile } from './statistics.ts';

/** JuiceFSRuntimes at once, each with a worker, on three nodes that they share. */
export const bindJuicefs = (count: number): Bench => ({
  name: `bind-${count}-juicefs`,
  async *run({ lab: open }) {
    const lab = await open();
    const name = `bind-${count}-juicefs`;
    const run = await bindAll(lab, 'juicefs', count);
    const { namespace, seconds, latencies, order, cpuSeconds, requests } = run;
    const limit = await limitOf(lab, name, run);
    yield atLeast(`${name}/rate`, count / seconds, 'runtimes per second', 12, {
      ...limit,
      seconds: rounded(seconds),
      p50: rounded(quantile(latencies, 0.5)),
      p90: rounded(quantile(latencies, 0.9)),
      order: rounded(order),
    });
    yield atMost(`${name}/requests`, requests.length / count, 'requests each until Bound and quiet', 15, {
      ...requestDetail(run, count),
      cpuSecondsEach: rounded(cpuSeconds / count),
    });
    yield claimsAfter(name, run, limit);
    yield ofLimit(name, count / seconds, 0.9, limit);
    await lab.clear(namespace);
  },
});
