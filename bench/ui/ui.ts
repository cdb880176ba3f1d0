/** The server of the page, as `sluice ui` starts it, with thousands of Datasets: memory, the fleet, a change, the event loop. */
import { readFileSync, rmSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Fleet } from '../../src/ui/wire.ts';
import { ask, signIn, stream } from '../../test/ui/requests.ts';
import { atMost, type Bench, unjudged } from '../figure.ts';
import { until } from '../lab.ts';
import { memory } from '../proc.ts';
import { largest, median } from '../statistics.ts';
import type { Held } from './gauge.ts';
import { startedUi } from './started.ts';

export const ui = (datasets: number): Bench => ({
  name: `ui-${datasets}`,
  async *run({ quick }) {
    const name = `ui-${datasets}`;
    const { server, address, gauge, began, change, end } = await startedUi(datasets);
    try {
      const pid = server.pid ?? 0;
      const [, port = '', token = ''] = /:(\d+)\/#token=(.+)$/.exec(address) ?? [];
      const headers = { ...(await signIn(Number(port), token)), 'accept-encoding': 'gzip' };
      const held = async (): Promise<number> => {
        rmSync(gauge, { force: true });
        server.kill('SIGUSR2');
        let found: Held | undefined;
        await until('the gauge answers', 10, async () => {
          try {
            found = JSON.parse(readFileSync(gauge, 'utf8')) as Held;
          } catch {
            return false;
          }
          return true;
        });
        return found?.longestCpuMs ?? Number.NaN;
      };
      const read = async () => {
        const at = performance.now();
        const { bytes } = await ask(Number(port), '/api/fleet', { headers });
        return { ms: performance.now() - at, bytes };
      };
      // Before that the program was loaded, and nobody was answered.
      await held();
      const first = await read();
      yield unjudged(`${name}/start`, (performance.now() - began) / 1000, 's', { rss: memory(pid).rss, peak: memory(pid).peak });
      const starting = await held();
      const reads = [];
      for (let i = 0; i < (quick ? 2 : 8); i++) reads.push(await read());
      yield atMost(`${name}/fleet`, median(reads.map(({ ms }) => ms)), 'ms', 600, { longest: largest(reads.map(({ ms }) => ms)) });
      const fleet = JSON.parse(gunzipSync(first.bytes).toString()) as Fleet;
      if (fleet.datasets.length !== datasets) throw new Error(`expected ${datasets} rows, found ${fleet.datasets.length}`);
      yield atMost(`${name}/fleet-size`, first.bytes.length / 1e6, 'MB', 2, { plain: gunzipSync(first.bytes).length / 1e6 });
      const changes = stream(Number(port), `/api/changes?from=${fleet.version}`, headers);
      const delays: number[] = [];
      for (let i = 0; i < (quick ? 5 : 40); i++) {
        const seen = changes.messages.length;
        const { at } = await change((i * 499) % datasets);
        await until('a change arrives', 10, async () => changes.messages.length > seen);
        delays.push((changes.times[seen] ?? Number.NaN) - at);
      }
      yield atMost(`${name}/change`, median(delays), 'ms', 500, { longest: largest(delays) });
      // A controller that starts writes thousands of statuses.
      const burst = quick ? 200 : 4000;
      for (let i = 0; i < burst; i++) {
        await change((i * 7) % datasets);
      }
      await read();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      yield atMost(`${name}/slice`, Math.max(starting, await held()), 'CPU ms', 50, { whileStarting: starting });
      const { rss, peak } = memory(pid);
      yield atMost(`${name}/rss`, peak, 'MB', 250, { now: rss });
      changes.request.destroy();
    } finally {
      end();
    }
  },
});
