import { atMost, type Bench } from './figure.ts';
import { createAll, type Lab, say, watchBound } from './lab.ts';
import { paths } from './objects.ts';
import { largest, rounded } from './statistics.ts';

const COUNT = 30;
const KILLED_AT = 11;

/** The leader dies (SIGKILL) in the middle of a burst. How long until the next is Bound? */
export const recover: Bench = {
  name: 'recover',
  async *run({ lab: open }) {
    const lab = await open();
    const here = await killed(lab, 'here');
    yield atMost('recover/same-place', here.next, 's from the start of the new process to the next Bound', 2, here.detail);
    const elsewhere = await killed(lab, 'elsewhere');
    yield atMost('recover/standby-elsewhere', elsewhere.next, 's from the end of the leader to the next Bound', 8, elsewhere.detail);
  },
};

async function killed(lab: Lab, successor: 'here' | 'elsewhere') {
  const leader = await lab.start();
  const standby = successor === 'elsewhere' ? await lab.start('standby') : undefined;
  const namespace = await lab.namespace();
  const bound = await watchBound(lab, paths.datasets(namespace));
  say(`killing the leader at ${KILLED_AT} of ${COUNT}; the next is ${successor}`);
  const created = createAll(lab, ['thin'], namespace, COUNT);
  await bound.reached(KILLED_AT, 60);
  await leader.stop('SIGKILL');
  await created;
  const endedAt = performance.now();
  const next = standby ?? (await lab.start());
  await next.leading();
  const leadingAt = performance.now();
  const from = standby ? endedAt : next.startedAt;
  try {
    await bound.reached(COUNT, 60);
    // Requests of the dead controller may be seen after its end; those after the successor leads are the successor's.
    const times = [...bound.at.values()].filter((at) => at > leadingAt);
    const seconds = (at: number) => rounded((at - from) / 1000);
    return {
      next: (Math.min(...times) - from) / 1000,
      detail: { leading: seconds(leadingAt), boundBefore: COUNT - times.length, all: seconds(largest(times)) },
    };
  } finally {
    bound.stop();
    await next.stop();
    await lab.clear(namespace);
  }
}
