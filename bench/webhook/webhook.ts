import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '../../harness/index.ts';
import { webhookNames } from '../../src/api/webhook-names.ts';
import { type Client, openClient } from '../client.ts';
import { atLeast, atMost, type Bench, type Figure, unjudged } from '../figure.ts';
import { range, say } from '../lab.ts';
import { cpuSeconds, memory } from '../proc.ts';
import { median, rounded } from '../statistics.ts';
import { type Asked, type Asker, type Command, startAsker } from './client.ts';
import { type Cluster, FLUID_WEBHOOK, type Server, startFluid, startOurs } from './servers.ts';
import { createDatasets } from './world.ts';

const CRDS = fileURLToPath(new URL('../../crds', import.meta.url));
const DATASETS = 5_000;
/** V8 collects garbage once a process is quiet. */
const REST_MS = 10_000;
/** Pods a second, more than a scheduler places. */
const PER_SECOND = 976;
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/**
 * `sluice webhook` as a process of its own, asked as an API server asks, about pods of one Dataset each out of thousands. With FLUID_WEBHOOK,
 * the path of a binary of Fluid's cmd/webhook, that is asked the same by turns: on the same API server, in the same minutes.
 */
export const webhook: Bench = {
  name: 'webhook',
  async *run({ quick }) {
    const size: Size = quick
      ? { datasets: 200, rounds: 1, seconds: 1, starts: 1, restMs: 0 }
      : { datasets: DATASETS, rounds: 5, seconds: 5, starts: 3, restMs: REST_MS };
    say('starting a control plane');
    // Controllers would bind the claims and count the pods of the DaemonSets, meanwhile and for a long time.
    const plane = await startControlPlane({ nodes: 0, controllerManagerArgs: ['--controllers=serviceaccount-controller'] });
    const user = openClient(plane.kubeconfig, 32);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-webhook-'));
    try {
      await plane.kubectl('apply', '-f', CRDS);
      await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', CRDS);
      say(`creating ${size.datasets} Datasets`);
      await createDatasets(user, size.datasets);
      yield* measured({ kubeconfig: plane.kubeconfig, user }, size, folder);
    } finally {
      await user.close();
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Size {
  readonly datasets: number;
  readonly rounds: number;
  /** Duration of each kind of request in a round. */
  readonly seconds: number;
  readonly starts: number;
  readonly restMs: number;
}

/** One that is asked, and what came of it, by round. */
interface Contestant {
  readonly server: Server;
  readonly asker: Asker;
  readonly one: Measured[];
  readonly rate: Measured[];
  readonly sixteen: Measured[];
}
interface Measured extends Asked {
  /** CPU time of the server for each request. */
  readonly serverCpuMs: number;
}

async function* measured(plane: Omit<Cluster, 'namespace'>, size: Size, folder: string): AsyncGenerator<Figure> {
  const cluster = { ...plane, namespace: 'fluid-system' };
  await installed(plane.user, cluster.namespace);
  const { datasets } = size;
  const readyAfter: number[] = [];
  const contestants: Contestant[] = [];
  const joined = async (server: Server) => {
    const contestant = { server, asker: await startAsker(server.target, datasets), one: [], rate: [], sixteen: [] };
    contestants.push(contestant);
    return contestant;
  };
  try {
    say('starting the webhook');
    for (let i = 1; i < size.starts; i++) {
      const server = await startOurs(cluster);
      readyAfter.push(server.readySeconds);
      await server.stop();
    }
    const ours = await joined(await startOurs(cluster));
    const { pid } = ours.server;
    readyAfter.push(ours.server.readySeconds);
    yield atMost('webhook/ready', median(readyAfter), 's from the start of the process, median', 8, {
      datasets,
      worst: rounded(Math.max(...readyAfter)),
      cpuSeconds: rounded(cpuSeconds(pid)),
    });
    const atOnceReady = memory(pid).rss;
    await sleep(size.restMs);
    yield atMost('webhook/rss-ready', memory(pid).rss, 'MB, ten seconds later', 120, {
      datasets,
      atOnce: rounded(atOnceReady),
      peak: rounded(memory(pid).peak),
    });
    const fluid = FLUID_WEBHOOK ? await joined(await fluidBeside(FLUID_WEBHOOK, plane, folder)) : undefined;

    // Opens connections, and has what is run often compiled.
    for (const { asker } of contestants) await asker.ask({ do: 'crowd', seconds: size.seconds, atOnce: 16 });
    for (const round of range(size.rounds)) {
      say(`round ${round + 1} of ${size.rounds}`);
      for (const each of contestants) each.one.push(await ask(each, { do: 'crowd', seconds: size.seconds, atOnce: 1 }));
      for (const each of contestants) each.rate.push(await ask(each, { do: 'rate', seconds: size.seconds, perSecond: PER_SECOND }));
      for (const each of contestants) each.sixteen.push(await ask(each, { do: 'crowd', seconds: size.seconds, atOnce: 16 }));
    }
    const atOnceAsked = memory(pid).rss;
    await sleep(size.restMs);
    yield* figures(ours, fluid, { datasets, atOnce: rounded(atOnceAsked) });
  } finally {
    for (const { asker, server } of contestants) {
      asker.stop();
      await server.stop();
    }
  }
}

const of = (rounds: readonly Measured[], what: keyof Measured): number => median(rounds.map((each) => each[what]));
const detailOf = (rounds: readonly Measured[]) => ({
  serverCpuMs: rounded(of(rounds, 'serverCpuMs')),
  clientCpuMs: rounded(median(rounds.map((each) => (each.cpuSeconds * 1000) / each.count))),
  rounds: rounds.length,
});

function* figures(
  ours: Contestant,
  fluid: Contestant | undefined,
  size: { readonly datasets: number; readonly atOnce: number },
): Iterable<Figure> {
  yield unjudged('webhook/one', of(ours.one, 'p50'), 'ms p50, one at a time', { ...detailOf(ours.one), p99: rounded(of(ours.one, 'p99')) });
  yield atMost(`webhook/rate-${PER_SECOND}`, of(ours.rate, 'p99'), `ms p99 at ${PER_SECOND} requests/s`, 20, {
    ...detailOf(ours.rate),
    p50: rounded(of(ours.rate, 'p50')),
    worst: rounded(Math.max(...ours.rate.map(({ p99 }) => p99))),
  });
  yield unjudged('webhook/sixteen', of(ours.sixteen, 'perSecond'), 'requests/s, 16 at a time', {
    ...detailOf(ours.sixteen),
    p99: rounded(of(ours.sixteen, 'p99')),
  });
  const { rss, peak } = memory(ours.server.pid);
  yield atMost('webhook/rss', rss, 'MB, ten seconds after all requests', 120, { ...size, peak: rounded(peak) });
  if (!fluid) return;
  yield atMost('webhook/one-of-fluid', of(ours.one, 'p50') / of(fluid.one, 'p50'), "times Fluid's p50, one at a time", 1.5, {
    fluidMs: rounded(of(fluid.one, 'p50')),
    ...fluidDetail(fluid.one),
  });
  yield atLeast('webhook/sixteen-of-fluid', of(ours.sixteen, 'perSecond') / of(fluid.sixteen, 'perSecond'), "of Fluid's requests/s", 0.85, {
    fluidPerSecond: rounded(of(fluid.sixteen, 'perSecond')),
    ...fluidDetail(fluid.sixteen),
  });
  yield unjudged(
    `webhook/rate-${PER_SECOND}-fluid`,
    of(fluid.rate, 'p99'),
    `ms p99 of Fluid's at ${PER_SECOND} requests/s`,
    fluidDetail(fluid.rate),
  );
  yield unjudged('webhook/rss-fluid', memory(fluid.server.pid).rss, "MB of Fluid's after all requests", {
    peak: rounded(memory(fluid.server.pid).peak),
  });
}

const fluidDetail = (rounds: readonly Measured[]) => ({ fluidCpuMs: detailOf(rounds).serverCpuMs });

async function ask({ server, asker }: Contestant, command: Exclude<Command, { do: 'open' }>): Promise<Measured> {
  const before = cpuSeconds(server.pid);
  const asked = await asker.ask(command);
  if (asked.refused > 0)
    throw new Error(`expected each pod to be admitted with its sidecar, found ${asked.refused} of ${asked.count} otherwise`);
  return { ...asked, serverCpuMs: ((cpuSeconds(server.pid) - before) * 1000) / asked.count };
}

/** In a namespace of its own, and with a configuration that is no longer ours: each of the two would write its own CA into the other's. */
async function fluidBeside(program: string, plane: Omit<Cluster, 'namespace'>, folder: string): Promise<Server> {
  say("starting Fluid's webhook");
  await plane.user.send('DELETE', `${CONFIGURATIONS}/${webhookNames.configuration}`);
  await installed(plane.user, 'fluid');
  return startFluid(program, folder, { ...plane, namespace: 'fluid' });
}

/** A namespace and the configuration. Its Service does not exist: no pod is created here. */
async function installed(user: Client, namespace: string): Promise<void> {
  await user.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await user.send('POST', CONFIGURATIONS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: webhookNames.configuration },
    webhooks: [
      {
        name: 'sidecar.fuse.fluid.io',
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        clientConfig: { service: { namespace, name: webhookNames.service, path: webhookNames.path, port: webhookNames.port } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        objectSelector: { matchLabels: { 'serverless.fluid.io/inject': 'true' } },
      },
    ],
  });
}
