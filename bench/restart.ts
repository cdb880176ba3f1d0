import { setTimeout as sleep } from 'node:timers/promises';
import { isExec, isWrite, kindOf, work } from './audit.ts';
import { atMost, type Bench } from './figure.ts';
import type { Lab } from './lab.ts';
import { counted, rounded } from './statistics.ts';

/** For a write that comes late, such as one that is retried. */
const SETTLE_MS = 5000;

/** The writes of a controller that takes over so many bound runtimes: none, since all is as it should be. */
export const restart = (count: number): Bench => ({
  name: `restart-${count}`,
  async *run({ lab: open }) {
    const lab = await open();
    await lab.population(['thin'], count);
    const unit = 'writes, the lease left out';

    let mark = lab.audit.mark();
    const leader = await lab.start();
    const leadingAfter = (performance.now() - leader.startedAt) / 1000;
    await leader.idle();
    await sleep(SETTLE_MS);
    yield atMost(
      `restart-${count}/restart`,
      ...written(lab, mark, unit, {
        secondsUntilLeading: rounded(leadingAfter),
        cpuSeconds: rounded(leader.cpuSeconds()),
        ...megabytes(leader.memory()),
      }),
    );

    mark = lab.audit.mark();
    const standby = await lab.start('standby');
    await standby.idle();
    const began = performance.now();
    await leader.stop('SIGTERM');
    await standby.leading();
    const handedOverAfter = (performance.now() - began) / 1000;
    await standby.idle();
    await sleep(SETTLE_MS);
    yield atMost(`restart-${count}/hand-over`, ...written(lab, mark, unit, { secondsUntilLeading: rounded(handedOverAfter) }));
    await standby.stop();
  },
});

function written(lab: Lab, mark: number, unit: string, detail: Readonly<Record<string, unknown>>) {
  const requests = work(lab.audit.since(mark));
  const writes = requests.filter((entry) => isWrite(entry) || isExec(entry));
  return [
    writes.length,
    unit,
    0,
    { ...detail, writes: counted(writes.map(kindOf)), reads: counted(requests.filter((entry) => !writes.includes(entry)).map(kindOf)) },
  ] as const;
}

const megabytes = ({ rss, peak }: { readonly rss: number; readonly peak: number }) => ({ rss: rounded(rss), peakRss: rounded(peak) });
