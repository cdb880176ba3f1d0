import { isWrite, work } from './audit.ts';
import { atMost, type Bench, unjudged } from './figure.ts';
import { createAll, type Lab, nameOf, phaseOf, range, say, until, watchBound } from './lab.ts';
import { paths } from './objects.ts';
import { largest, median, rounded } from './statistics.ts';

const TARGETS = { chain: 0.5, writes: 8, twins: 0 } as const;

/** DataLoads that wait for each other; the pods of their Jobs are simulated, and succeed at once. */
export const operations: Bench = {
  name: 'operations',
  async *run({ lab: open, quick }) {
    const lab = await open();
    const gaps = await chain(lab, quick ? 5 : 20);
    yield atMost('operations/chain', median(gaps), 's from the end of one to the Job of the next, median', TARGETS.chain, {
      worst: rounded(largest(gaps)),
    });
    const [datasets, each] = quick ? [5, 4] : [50, 10];
    const { seconds, writes, twins, disorder, cpuSeconds } = await queued(lab, datasets, each);
    const count = datasets * each;
    yield unjudged('operations/queue', seconds, `s for ${count} on ${datasets} Datasets`, { cpuSecondsEach: rounded(cpuSeconds / count) });
    yield atMost('operations/twins', twins, 'times that two ran at once on one Dataset', TARGETS.twins);
    yield atMost('operations/disorder', disorder, 'that ran before one that was created earlier', TARGETS.twins);
    yield atMost('operations/writes', writes / count - 1, 'write requests each, without that of the Job', TARGETS.writes);
  },
};

const loadsOf = (namespace: string) => `/apis/data.fluid.io/v1alpha1/namespaces/${namespace}/dataloads`;
const jobsOf = (namespace: string) => `/apis/batch/v1/namespaces/${namespace}/jobs`;
const dataLoad = (name: string, dataset: string, after?: string) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name },
  spec: { dataset: { name: dataset }, ...(after !== undefined && { runAfter: { kind: 'DataLoad', name: after } }) },
});

/** A controller with so many bound Datasets, and when each DataLoad of them got its Job, and was complete. */
async function setUp(lab: Lab, datasets: number) {
  const { user } = lab;
  const controller = await lab.start();
  const namespace = await lab.namespace();
  const bound = await watchBound(lab, paths.datasets(namespace));
  await createAll(lab, ['juicefs'], namespace, datasets);
  await bound.reached(datasets, 300);
  bound.stop();
  await controller.idle();
  const begun = new Map<string, number>();
  const complete = new Map<string, number>();
  const first = (times: Map<string, number>, name: string, at: number) => void (times.has(name) || times.set(name, at));
  const stops = [
    await user.watch(jobsOf(namespace), ({ object, at }) => first(begun, object.metadata.name.replace(/-loader-job$/, ''), at)),
    await user.watch(
      loadsOf(namespace),
      ({ object, at }) => void (phaseOf(object) === 'Complete' && first(complete, object.metadata.name, at)),
    ),
  ];
  return {
    controller,
    namespace,
    begun,
    complete,
    async end() {
      for (const stop of stops) stop();
      await controller.stop();
    },
  };
}

async function chain(lab: Lab, length: number): Promise<readonly number[]> {
  const { namespace, begun, complete, end } = await setUp(lab, 1);
  try {
    say(`creating a chain of ${length} DataLoads`);
    // The last first: each waits for one that does not exist yet.
    for (const i of range(length).toReversed())
      await lab.user.send('POST', loadsOf(namespace), dataLoad(`l${i}`, nameOf(0), i > 0 ? `l${i - 1}` : undefined));
    await until('the last is Complete', 120, () => Promise.resolve(complete.size === length), 20);
    return range(length - 1).map((i) => ((begun.get(`l${i + 1}`) ?? NaN) - (complete.get(`l${i}`) ?? NaN)) / 1000);
  } finally {
    await end();
  }
}

async function queued(lab: Lab, datasets: number, each: number) {
  const { user, audit } = lab;
  const { controller, namespace, begun, complete, end } = await setUp(lab, datasets);
  try {
    say(`creating ${datasets * each} DataLoads on ${datasets} Datasets`);
    const mark = audit.mark();
    const cpu = controller.cpuSeconds();
    const began = performance.now();
    for (const turn of range(each))
      for (const i of range(datasets)) await user.send('POST', loadsOf(namespace), dataLoad(`${nameOf(i)}-${turn}`, nameOf(i)));
    await until('all are Complete', 600, () => Promise.resolve(complete.size === datasets * each), 50);
    const seconds = (performance.now() - began) / 1000;
    await controller.idle();
    const cpuSeconds = controller.cpuSeconds() - cpu;
    const lines = range(datasets).map((i) => range(each).map((turn) => `${nameOf(i)}-${turn}`));
    const inOrder = lines.map((names) => names.toSorted((a, b) => (begun.get(a) ?? 0) - (begun.get(b) ?? 0)));
    // A Job begins after the one before it was reported complete.
    const twins = inOrder.flatMap((names) =>
      names.slice(1).filter((name, i) => (begun.get(name) ?? 0) < (complete.get(names[i] ?? '') ?? 0)),
    );
    const disorder = lines.flatMap((names, i) => names.filter((name, turn) => inOrder[i]?.[turn] !== name));
    const writes = work(audit.since(mark)).filter(isWrite).length;
    return { seconds, cpuSeconds, writes, twins: twins.length, disorder: disorder.length };
  } finally {
    await end();
  }
}
