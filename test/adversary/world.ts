import { vi } from 'vitest';
import { Dataset as DatasetKind, isLabel, operationKinds } from '../../src/api/index.ts';
import type { PodExec } from '../../src/kube/exec.ts';
import { typeOf } from '../../src/planning/kinds.ts';
import { type Controllers, createControllers } from '../../src/api-server/controllers/index.ts';
import { type ApiServer, createApiServer, Refusal, type Snapshot, WRITES } from '../../src/api-server/index.ts';
import type { Knowledge } from '../../src/webhook/knowledge.ts';
import { startWatches } from '../../src/webhook/watches/watches.ts';
import { runtimes as all } from '../../runtimes/_all.gen.ts';
import example from '../support/example-runtime/index.ts';
import { isEndless, newTally, type Tally } from './cost.ts';
import { createPlugin, type Plugin } from './plugin.ts';
import { type Process, startProcess } from './process.ts';

export const runtimes = [...all, example];
const START = Date.parse('2026-01-02T03:04:05Z');
const silent = (): void => {};
const log = { debug: silent, info: silent, warn: silent, error: silent };
// Before a test fakes it: what it calls comes after all microtasks.
const realImmediate = setImmediate;
const microtasks = () => new Promise<void>((resolve) => realImmediate(resolve));

/** A cluster with Sluice at work, in which time goes on only when it is asked to. */
export interface World {
  readonly server: ApiServer;
  readonly controllers: Controllers;
  readonly plugin: Plugin;
  readonly webhook: Knowledge;
  readonly process: Process;
  /** Commands that ran in pods, as `<namespace>/<pod> <argv>`. */
  readonly commands: readonly string[];
  readonly tally: Tally;
  /** Time goes on by `ms`, and everything that falls due happens. */
  advance(ms: number): Promise<void>;
  /** Time goes on until nothing was written for `calmMs`, for `longestMs` at most. */
  quiet(calmMs: number, longestMs?: number): Promise<void>;
  restart(): Promise<void>;
  /** A second process leads for a moment, as one that has not noticed yet that it lost the lease. */
  overlap(ms: number): Promise<void>;
  end(): void;
}

export interface WorldOptions {
  readonly from?: Snapshot;
  readonly exec: PodExec;
  readonly probeMs?: number;
}

/** A cluster that still changes after so many rounds, requests or passes will never be at rest. */
const MOST_ROUNDS = 1_000;
const MOST_REQUESTS = 10_000;
const MOST_PASSES = 3_000;
const lastRequests = ({ requests }: ApiServer): string =>
  requests
    .slice(-8)
    .map(({ verb, kind, namespace, name, status }) => `${verb} ${kind} ${namespace}/${name} ${status}`)
    .join(', ');

/** Faked timers have to be on. */
export async function createWorld({ from, exec, probeMs = 0 }: WorldOptions): Promise<World> {
  vi.clearAllTimers();
  vi.setSystemTime(START);
  const kinds = [DatasetKind, ...operationKinds, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map(typeOf);
  const server = createApiServer({ kinds, namespaces: [], ...(from && { from }) });
  // The API server in memory takes any label, a real one does not.
  server.rules.add(
    { kind: 'Node', verb: 'patch' },
    {
      before({ body, name }) {
        const { metadata } = body as { metadata?: { labels?: Record<string, string | null> } };
        const wrong = Object.entries(metadata?.labels ?? {}).find(([key, value]) => value !== null && !isLabel([key, value]));
        if (wrong) throw new Refusal(422, 'Invalid', `Node "${name}" is invalid: metadata.labels: Invalid value: ${JSON.stringify(wrong)}`);
      },
    },
  );
  const controllers = createControllers(server);
  const plugin = createPlugin(server);
  const commands: string[] = [];
  let changed = true;
  let changes = 0;
  server.onChange = () => {
    changed = true;
    changes++;
  };
  const tally = newTally();
  const options = {
    server,
    tally,
    runtimes,
    probeMs,
    exec: (async (pod, argv, ...rest) => {
      commands.push(`${pod.namespace}/${pod.pod} ${argv.join(' ')}`);
      return exec(pod, argv, ...rest);
    }) satisfies PodExec,
  };
  const starting = Promise.all([
    startProcess(options),
    startWatches({
      client: server.client({ readsOnly: true }),
      runtimes: runtimes.map(({ resource }) => resource),
      namespace: 'fluid-system',
      log,
    }),
  ]);
  await settle();
  let [process] = await starting;
  const [, webhook] = await starting;

  async function settle(): Promise<void> {
    let rounds = 0;
    const mustEnd = () => {
      if (isEndless(tally) || ++rounds > MOST_ROUNDS) throw new Error(`it goes on for ever without time going by: ${lastRequests(server)}`);
    };
    do {
      await microtasks();
      mustEnd();
      while (changed) {
        mustEnd();
        changed = false;
        controllers.settle();
        await plugin.sync();
        await microtasks();
      }
    } while (changed);
  }
  /** One timer after the other, until `isOver` says so when everything of that moment has happened. */
  async function until(isOver: () => boolean): Promise<void> {
    const most = { requests: server.requests.length + MOST_REQUESTS, passes: process.passes + MOST_PASSES };
    for (await settle(); !isOver(); await settle()) {
      if (server.requests.length > most.requests || process.passes > most.passes)
        throw new Error(`it goes on for ever: ${lastRequests(server)}`);
      tally.atOnce = 0;
      vi.advanceTimersToNextTimer();
    }
  }
  async function advance(ms: number): Promise<void> {
    let over = false;
    setTimeout(() => {
      over = true;
    }, ms);
    await until(() => over);
  }
  return {
    server,
    controllers,
    plugin,
    webhook,
    commands,
    tally,
    get process() {
      return process;
    },
    advance,
    async quiet(calmMs, longestMs = 600_000) {
      const began = Date.now();
      let [seen, since] = [changes, began];
      const beat = setInterval(silent, calmMs);
      await until(() => {
        if (changes !== seen) [seen, since] = [changes, Date.now()];
        return Date.now() - since >= calmMs || Date.now() - began > longestMs;
      });
      clearInterval(beat);
    },
    async restart() {
      process.kill();
      const next = startProcess(options);
      await settle();
      process = await next;
      await settle();
    },
    async overlap(ms) {
      // Two that contradict each other would do so without time going by.
      const slow = server.rules.delay({ verb: WRITES }, 20);
      const next = startProcess(options);
      await settle();
      const second = await next;
      await advance(ms);
      second.kill();
      slow.remove();
    },
    end() {
      process.kill();
      webhook.stop();
      vi.clearAllTimers();
    },
  };
}
