import { setTimeout as sleep } from 'node:timers/promises';
import { CONTROLLER, isExec, isLease, isSecretRead, kindOf, work } from './audit.ts';
import { atMost, type Bench, unjudged } from './figure.ts';
import { type Lab, say } from './lab.ts';
import { BENCHED, type Kind, suffixOf } from './kinds.ts';
import { counted, rounded } from './statistics.ts';

/** A controller's work while nothing happens, seen by the API server and by the kernel. */
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
      ...controller.memory(),
    };
  } finally {
    await controller.stop();
  }
}

export const quiet = (count: number, ...kinds: readonly Kind[]): Bench => {
  const name = `quiet-${count}${suffixOf(kinds)}`;
  const isProbed = kinds.some((kind) => BENCHED[kind].isProbed);
  return {
    name,
    async *run({ lab: open, quick }) {
      const lab = await open();
      await lab.population(kinds, count);
      const seconds = quick ? 20 : 120;
      const { cpuSeconds, requests, secretReads, leases, rss, peak } = await quietPeriod(lab, seconds);
      const execs = requests.filter(isExec);
      const others = requests.filter((entry) => !isExec(entry));
      if (isProbed) yield atMost(`${name}/execs`, (execs.length / count / seconds) * 60, 'execs per minute each', 1);
      yield atMost(`${name}/requests`, others.length, `requests in ${seconds} s, watches, execs and the lease left out`, 0, {
        secretReads,
        kinds: counted(others.map(kindOf)),
      });
      yield atMost(`${name}/lease`, (leases.length / seconds) * 60, 'requests for the lease per minute', 30);
      const cpuPercent = (cpuSeconds / seconds) * 100;
      // A controller that asks so many caches every minute has work.
      if (!isProbed) yield atMost(`${name}/cpu`, cpuPercent, '% of a core', 0.5, { rss: rounded(rss) });
      yield unjudged(`${name}/rss`, rss, 'MB', { peak: rounded(peak), cpuPercent: rounded(cpuPercent) });
    },
  };
};
