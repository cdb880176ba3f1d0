import { setTimeout as sleep } from 'node:timers/promises';
import { kindOf, work } from './audit.ts';
import { atMost, type Bench } from './figure.ts';
import { type Lab, nameOf, phaseOf, range, say } from './lab.ts';
import { pair, paths } from './objects.ts';
import { largest, median, rounded } from './statistics.ts';

const TARGETS = { bound: 0.3, requests: 8 };
const SOURCE = 'source';

/**
 * Datasets that refer to one of another namespace, one at a time: from the create to the phase Bound, and the requests of each. One before
 * them is not counted: it takes one request more, to read the volume to which they all lead.
 */
export const reference: Bench = {
  name: 'reference',
  async *run({ lab: open, quick }) {
    const { times, requests } = await referEach(await open(), quick ? 5 : 25);
    const spread = { runs: times.length, best: rounded(Math.min(...times)), worst: rounded(largest(times)) };
    yield atMost('reference/bound', median(times), 's, median', TARGETS.bound, spread);
    yield atMost('reference/requests', requests.length / times.length, 'requests each', TARGETS.requests, {
      kinds: Object.fromEntries(Object.entries(Object.groupBy(requests, (each) => each)).map(([kind, all]) => [kind, all?.length])),
    });
  },
};

async function referEach(lab: Lab, runs: number): Promise<{ readonly times: readonly number[]; readonly requests: readonly string[] }> {
  const { user } = lab;
  const controller = await lab.start();
  const [home, namespace] = [await lab.namespace(), await lab.namespace()];
  const waiting = new Map<string, (at: number) => void>();
  const stops = await Promise.all(
    [home, namespace].map((each) =>
      user.watch(paths.datasets(each), ({ object, at }) => phaseOf(object) === 'Bound' && waiting.get(object.metadata.name)?.(at)),
    ),
  );
  const bound = (name: string) =>
    new Promise<number>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`datasets/${name} was not Bound after 60 s`)), 60_000);
      waiting.set(name, (at) => {
        clearTimeout(late);
        resolve(at);
      });
    });
  try {
    const { dataset, runtime } = pair('thin', home, SOURCE);
    const ready = bound(SOURCE);
    const annotations = { 'data.fluid.io/shared-with': namespace };
    await user.send('POST', paths.datasets(home), { ...dataset, metadata: { ...dataset.metadata, annotations } });
    await user.send('POST', paths.runtimes('thin', home), runtime);
    await ready;
    const refer = async (name: string) => {
      const done = bound(name);
      const began = performance.now();
      const spec = { mounts: [{ mountPoint: `dataset://${home}/${SOURCE}` }] };
      await user.send('POST', paths.datasets(namespace), { ...dataset, metadata: { namespace, name }, spec });
      return ((await done) - began) / 1000;
    };
    await refer('first');
    await sleep(1000);
    say(`creating ${runs} references, one after the other`);
    const mark = lab.audit.mark();
    const times: number[] = [];
    for (const i of range(runs)) {
      await sleep(200);
      times.push(await refer(nameOf(i)));
    }
    await sleep(1000);
    return { times, requests: work(lab.audit.since(mark)).map(kindOf) };
  } finally {
    for (const stop of stops) stop();
    await controller.stop();
    await lab.clear(namespace);
    await lab.clear(home);
  }
}
