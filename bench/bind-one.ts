import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Bench } from './figure.ts';
import { bareWrite, type Lab, nameOf, phaseOf, range, say } from './lab.ts';
import { BENCHED, type Kind, KINDS, VARIANTS } from './kinds.ts';
import { pair, paths } from './objects.ts';
import { largest, median, rounded } from './statistics.ts';

const WORST = 2;

/** One at a time: from the first create to the Dataset's phase Bound, and to the claim's. */
export const bindOne: Bench = {
  name: 'bind-one',
  async *run({ lab: open, quick }) {
    const lab = await open();
    for (const kind of [...KINDS, ...VARIANTS]) {
      const { targets } = BENCHED[kind];
      const { times, bareWriteSeconds } = await bindEach(lab, kind, quick ? 5 : 25);
      const bound = times.map((time) => time.bound);
      const claim = times.map((time) => time.claim);
      yield atMost(`bind-one/${kind}-bound`, median(bound), 's, median', targets.bound, { bareWriteSeconds, ...spread(bound) });
      yield atMost(`bind-one/${kind}-claim`, median(claim), 's, median', targets.claim, { bareWriteSeconds, ...spread(claim) });
      yield atMost(`bind-one/${kind}-worst`, largest(claim), 's until the claim is Bound, worst', WORST, { bareWriteSeconds });
    }
  },
};

const spread = (values: readonly number[]) => ({
  runs: values.length,
  best: rounded(Math.min(...values)),
  worst: rounded(largest(values)),
});

interface Times {
  readonly bound: number;
  readonly claim: number;
}

async function bindEach(
  lab: Lab,
  kind: Kind,
  runs: number,
): Promise<{ readonly times: readonly Times[]; readonly bareWriteSeconds: number }> {
  const { user } = lab;
  const controller = await lab.start();
  const namespace = await lab.namespace();
  const times: Times[] = [];
  /** Benches that wait for a Dataset to be Bound. */
  const waiting = new Map<string, (at: number) => void>();
  const heard = (what: string) =>
    user.watch(what, ({ object, at }) => phaseOf(object) === 'Bound' && waiting.get(`${what}/${object.metadata.name}`)?.(at));
  const [datasets, claims] = [paths.datasets(namespace), paths.core(namespace, 'persistentvolumeclaims')];
  const stops = [await heard(datasets), await heard(claims)];
  const bound = (what: string, name: string) =>
    new Promise<number>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what}/${name} was not Bound after 60 s`)), 60_000);
      waiting.set(`${what}/${name}`, (at) => {
        clearTimeout(late);
        resolve(at);
      });
    });
  try {
    say(`creating ${runs} ${kind} runtimes, one after the other`);
    for (const i of range(runs)) {
      // The last Dataset's event should not meet this one.
      await sleep(200);
      const { dataset, runtime } = pair(kind, namespace, nameOf(i));
      const both = Promise.all([bound(datasets, nameOf(i)), bound(claims, nameOf(i))]);
      const began = performance.now();
      await user.send('POST', datasets, dataset);
      await user.send('POST', paths.runtimes(kind, namespace), runtime);
      const [boundAt, claimAt] = await both;
      times.push({ bound: (boundAt - began) / 1000, claim: (claimAt - began) / 1000 });
    }
  } finally {
    for (const stop of stops) stop();
    await controller.stop();
  }
  const bareWriteSeconds = await bareWrite(lab, namespace);
  await lab.clear(namespace);
  return { times, bareWriteSeconds };
}
