import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MERGE } from './client.ts';
import { atMost, type Bench } from './figure.ts';
import { atOnce, type Lab, nameOf, range, say } from './lab.ts';
import { PROFILE } from './companions.ts';
import { paths } from './objects.ts';
import { rounded } from './statistics.ts';

const PROCESS = fileURLToPath(new URL('noop-process.ts', import.meta.url));

export interface Reconciled {
  readonly keys: number;
  /** CPU each, in the first round and in those after. */
  readonly firstMs: number;
  readonly againMs: number;
  /** The same once the process has run for some time: the first rounds still compile what they run. */
  readonly warmMs: number;
  readonly requests: number;
}

/**
 * A reconcile that changes nothing: every key of a store that watches the real cluster, in a process of its own. Beside it, what news costs
 * a running controller in which there is nothing for it to do: a label on each runtime, and one on the profile that all of them use.
 */
export const noop = (count: number): Bench => ({
  name: 'noop',
  async *run({ lab: open }) {
    const lab = await open();
    const namespace = await lab.population(['thin'], count);
    say('reconciling what is as it should be');
    const { stdout } = await promisify(execFile)(process.execPath, [PROCESS, lab.plane.kubeconfig]);
    const { againMs, firstMs, warmMs, keys, requests } = JSON.parse(stdout) as Reconciled;
    if (keys < count || requests > 0) throw new Error(`expected ${count} runtimes and no request, found ${keys} and ${requests}`);
    yield atMost('noop', againMs, 'CPU ms', 0.2, {
      firstMs: rounded(firstMs),
      warmMs: rounded(warmMs),
      ...(await news(lab, namespace, count)),
    });
  },
});

async function news(lab: Lab, namespace: string, count: number) {
  const { user } = lab;
  const touch = (path: string) => user.send('PATCH', path, { metadata: { labels: { touched: String(Date.now()) } } }, MERGE);
  const controller = await lab.start();
  const cost = async (work: () => Promise<unknown>) => {
    await controller.idle();
    const [cpu, reconciles] = [controller.cpuSeconds(), await controller.counter('controller_runtime_reconcile_total')];
    await work();
    await controller.idle();
    const seconds = controller.cpuSeconds() - cpu;
    return rounded((seconds * 1000) / ((await controller.counter('controller_runtime_reconcile_total')) - reconciles));
  };
  try {
    return {
      msPerLabelledRuntime: await cost(() => atOnce(16, range(count), (i) => touch(`${paths.runtimes('thin', namespace)}/${nameOf(i)}`))),
      msPerRuntimeOfLabelledProfile: await cost(() => touch(`${paths.companions('thinruntimeprofiles')}/${PROFILE}`)),
    };
  } finally {
    await controller.stop();
  }
}
