import type { KubeObject } from '../src/kube/types.ts';
import { isWrite, kindOf, nameIn, work } from './audit.ts';
import { atMost, type Bench } from './figure.ts';
import { bareWrite, createAll, type Lab, nameOf, phaseOf, range, say, until, watchBound } from './lab.ts';
import { paths } from './objects.ts';
import { largest, median, rounded } from './statistics.ts';

const TARGETS = { job: 0.2, complete: 0.5, writes: 8 } as const;

interface Times {
  /** From the create of the DataLoad to that of its Job, s. */
  readonly job: number;
  /** From the Job's condition Complete to the DataLoad's phase Complete, s. */
  readonly complete: number;
}

/** DataLoads one at a time, on a JuiceFS with one worker; the pods of their Jobs are simulated, and succeed at once. */
export const load: Bench = {
  name: 'load',
  async *run({ lab: open, quick }) {
    const lab = await open();
    const { times, writes, kinds, bareWriteSeconds } = await loadEach(lab, quick ? 5 : 25);
    const [job, complete] = [times.map((each) => each.job), times.map((each) => each.complete)];
    yield atMost('load/job', median(job), 's from its create to its Job, median', TARGETS.job, {
      bareWriteSeconds,
      worst: rounded(largest(job)),
    });
    yield atMost('load/complete', median(complete), 's from the end of its Job to Complete, median', TARGETS.complete, {
      bareWriteSeconds,
      worst: rounded(largest(complete)),
    });
    yield atMost('load/writes', writes, 'write requests each, without that of the Job', TARGETS.writes, { kinds });
  },
};

async function loadEach(lab: Lab, runs: number) {
  const { user, audit } = lab;
  const controller = await lab.start();
  const namespace = await lab.namespace();
  const bound = await watchBound(lab, paths.datasets(namespace));
  await createAll(lab, ['juicefs'], namespace, 1);
  await bound.reached(1, 60);
  bound.stop();
  await controller.idle();
  const [loads, jobs] = [`/apis/data.fluid.io/v1alpha1/namespaces/${namespace}/dataloads`, `/apis/batch/v1/namespaces/${namespace}/jobs`];
  const made = new Map<string, number>();
  const done = new Map<string, number>();
  const complete = new Map<string, number>();
  const first = (times: Map<string, number>, name: string, at: number) => void (times.has(name) || times.set(name, at));
  const stops = [
    await user.watch(jobs, ({ object, at }) => {
      const name = object.metadata.name.replace(/-loader-job$/, '');
      first(made, name, at);
      if (isComplete(object)) first(done, name, at);
    }),
    await user.watch(loads, ({ object, at }) => void (phaseOf(object) === 'Complete' && first(complete, object.metadata.name, at))),
  ];
  const mark = audit.mark();
  const times: Times[] = [];
  try {
    say(`creating ${runs} DataLoads, one after the other`);
    for (const i of range(runs)) {
      const name = `load-${nameOf(i)}`;
      const began = performance.now();
      await user.send('POST', loads, {
        apiVersion: 'data.fluid.io/v1alpha1',
        kind: 'DataLoad',
        metadata: { name },
        spec: { dataset: { name: nameOf(0) } },
      });
      const at = await until(`${name} is Complete`, 60, () => Promise.resolve(complete.get(name)), 20);
      times.push({ job: ((made.get(name) ?? NaN) - began) / 1000, complete: (at - (done.get(name) ?? NaN)) / 1000 });
    }
    await controller.idle();
    const written = work(audit.since(mark)).filter(
      (entry) => isWrite(entry) && (nameIn(entry) !== '' || entry.objectRef?.resource === 'events'),
    );
    const kinds: Record<string, number> = {};
    for (const entry of written) kinds[kindOf(entry)] = rounded((kinds[kindOf(entry)] ?? 0) + 1 / runs);
    return { times, kinds, writes: written.length / runs - 1, bareWriteSeconds: await bareWrite(lab, namespace) };
  } finally {
    for (const stop of stops) stop();
    await controller.stop();
  }
}

const isComplete = ({ status }: KubeObject): boolean =>
  ((status as { conditions?: readonly { type: string; status: string }[] } | undefined)?.conditions ?? []).some(
    ({ type, status: is }) => type === 'Complete' && is === 'True',
  );
