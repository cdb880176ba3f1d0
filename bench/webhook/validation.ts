import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '../../harness/index.ts';
import { openClient } from '../client.ts';
import { atMost, type Bench, type Figure, unjudged } from '../figure.ts';
import { range, say } from '../lab.ts';
import { cpuSeconds, memory } from '../proc.ts';
import { median, rounded } from '../statistics.ts';
import { type Asked, startAsker } from './client.ts';
import { type Cluster, startOurs } from './servers.ts';
import { createDatasets } from './world.ts';

const CRDS = fileURLToPath(new URL('../../crds', import.meta.url));
const NAMESPACE = 'fluid-system';
/** Edits a second: a whole cluster is applied again by GitOps within minutes. */
const PER_SECOND = 50;
const TARGET_MS = 20;

/** `sluice webhook --validate` as a process of its own, asked as an API server asks, about edits of Datasets and runtimes. */
export const validation: Bench = {
  name: 'webhook-validation',
  async *run({ quick }) {
    const [datasets, rounds, seconds, restMs] = quick ? [100, 1, 2, 0] : [2_000, 5, 5, 10_000];
    say('starting a control plane');
    const plane = await startControlPlane({ nodes: 0, controllerManagerArgs: ['--controllers=serviceaccount-controller'] });
    const user = openClient(plane.kubeconfig, 32);
    try {
      await plane.kubectl('apply', '-f', CRDS);
      await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', CRDS);
      say(`creating ${datasets} Datasets`);
      await createDatasets(user, datasets);
      await user.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
      yield* measured({ kubeconfig: plane.kubeconfig, user, namespace: NAMESPACE }, { datasets, rounds, seconds, restMs });
    } finally {
      await user.close();
      await plane.stop();
    }
  },
};

interface Size {
  readonly datasets: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly restMs: number;
}

async function* measured(cluster: Cluster, { datasets, rounds, seconds, restMs }: Size): AsyncGenerator<Figure> {
  const server = await startOurs(cluster, '--validate');
  const asker = await startAsker(server.target, datasets, 'datasets');
  try {
    const ask = async (command: Parameters<typeof asker.ask>[0]): Promise<Asked & { readonly serverCpuMs: number }> => {
      const before = cpuSeconds(server.pid);
      const asked = await asker.ask(command);
      if (asked.refused > 0) throw new Error(`expected each edit to be allowed, found ${asked.refused} of ${asked.count} otherwise`);
      return { ...asked, serverCpuMs: ((cpuSeconds(server.pid) - before) * 1000) / asked.count };
    };
    await ask({ do: 'crowd', seconds, atOnce: 4 });
    const [one, rate] = [[], []] as [Awaited<ReturnType<typeof ask>>[], Awaited<ReturnType<typeof ask>>[]];
    for (const round of range(rounds)) {
      say(`round ${round + 1} of ${rounds}`);
      one.push(await ask({ do: 'crowd', seconds, atOnce: 1 }));
      rate.push(await ask({ do: 'rate', seconds, perSecond: PER_SECOND }));
    }
    const of = (all: typeof one, what: keyof (typeof one)[number]) => median(all.map((each) => each[what]));
    const detail = (all: typeof one) => ({ p50: rounded(of(all, 'p50')), serverCpuMs: rounded(of(all, 'serverCpuMs')), rounds, datasets });
    yield atMost('webhook-validation/one', of(one, 'p99'), 'ms p99, one at a time', TARGET_MS, detail(one));
    yield atMost(`webhook-validation/rate-${PER_SECOND}`, of(rate, 'p99'), `ms p99 at ${PER_SECOND} edits/s`, TARGET_MS, {
      ...detail(rate),
      worst: rounded(Math.max(...rate.map(({ p99 }) => p99))),
    });
    await sleep(restMs);
    const { rss, peak } = memory(server.pid);
    yield unjudged('webhook-validation/rss', rss, 'MB, ten seconds after all requests', { datasets, peak: rounded(peak) });
  } finally {
    asker.stop();
    await server.stop();
  }
}
