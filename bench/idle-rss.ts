import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Bench } from './figure.ts';
import { rounded } from './statistics.ts';

/** A controller that leads and has nothing to do. */
export const idleRss: Bench = {
  name: 'idle-rss',
  async *run({ lab: open }) {
    const controller = await (await open()).start();
    try {
      const startSeconds = (performance.now() - controller.startedAt) / 1000;
      await sleep(10_000);
      const { rss, peak } = controller.memory();
      yield atMost('idle-rss', rss, 'MB', 120, { peak: rounded(peak), secondsUntilLeading: rounded(startSeconds) });
    } finally {
      await controller.stop();
    }
  },
};
