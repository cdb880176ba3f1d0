import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROLLER, isExec, isLease, isSecretRead, isWrite, kindOf, work } from './audit.ts';
import { atMost, type Bench, rounded } from './figure.ts';
import { type Lab, say } from './lab.ts';
import { counted } from './statistics.ts';

/** What a controller does while nothing happens, seen by the API server and by the kernel. */
async function quietPeriod(lab: Lab, seconds: number) {
  const controller = await lab.start();
  try {
    await controller.idle();
    // Probes answer at the start; what comes a minute later is the rhythm.
    await sleep(5000);
    const [mark, cpu] = [lab.audit.mark(), controller.cpuSeconds()];
    say(`watching a quiet controller for ${seconds} s`);
    await sleep(seconds * 1000);
    const cpuSeconds = controller.cpuSeconds() - cpu;
    const entries = lab.audit.since(mark);
    return {
      cpuSeconds,
      // Secrets that we write are read by the clock, since they are not watched: counted apart.
      requests: work(entries).filter((entry) => !isSecretRead(entry)),
      secretReads: work(entries).filter(isSecretRead).length,
      leases: entries.filter((entry) => entry.user.username === CONTROLLER && isLease(entry)),
      rss: controller.memory().rss,
    };
  } finally {
    await controller.stop();
  }
}

export const quiet = (count: number): Bench => ({
  name: `quiet-${count}`,
  async *run({ lab: open, quick }) {
    const lab = await open();
    await lab.population('thin', count);
    const seconds = quick ? 20 : 120;
    const { cpuSeconds, requests, secretReads, leases, rss } = await quietPeriod(lab, seconds);
    yield atMost(`quiet-${count}/requests`, requests.length, `requests in ${seconds} s, watches and the lease left out`, 0, {
      secretReads,
      kinds: counted(requests.map(kindOf)),
    });
    yield atMost(`quiet-${count}/lease`, (leases.length / seconds) * 60, 'requests for the lease per minute', 30);
    yield atMost(`quiet-${count}/cpu`, (cpuSeconds / seconds) * 100, '% of a core', 0.5, { rss: rounded(rss) });
  },
});

export const quietJuicefs = (count: number): Bench => ({
  name: `quiet-${count}-juicefs`,
  async *run({ lab: open, quick }) {
    const lab = await open();
    await lab.population('juicefs', count);
    const seconds = quick ? 20 : 120;
    const { cpuSeconds, requests } = await quietPeriod(lab, seconds);
    const perMinute = (n: number) => ((n / count / seconds) * 60) as number;
    const writes = requests.filter(isWrite);
    yield atMost(`quiet-${count}-juicefs/execs`, perMinute(requests.filter(isExec).length), 'execs per minute each', 1, {
      cpuPercent: rounded((cpuSeconds / seconds) * 100),
    });
    yield atMost(`quiet-${count}-juicefs/writes`, perMinute(writes.length), 'writes per minute each', 0, {
      kinds: counted(writes.map(kindOf)),
    });
  },
});
