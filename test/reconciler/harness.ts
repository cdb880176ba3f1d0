import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import example from '../support/example-runtime/index.ts';
import { onTestFinished, vi } from 'vitest';
import { Dataset as DatasetKind, type DatasetStatus, operationKinds, type RuntimeStatus } from '../../src/api/index.ts';
import type { BytesRead, Runtime, Settings } from '../../src/constructs/index.ts';
import type { Occurrence } from '../../src/kube/events/events.ts';
import { KEYS, shareOf } from '../../src/kube/turns/fair-queue.ts';
import type { KubeObject, Log } from '../../src/kube/types.ts';
import { kubernetesCluster, type KubernetesCluster } from '../../src/reconciler/kubernetes/kubernetes-cluster.ts';
import type { PodExec } from '../../src/kube/exec.ts';
import { typeOf, workloadType } from '../../src/planning/kinds.ts';
import { createNodeLabeler, type NodeLabeler } from '../../src/reconciler/kubernetes/nodes/node-labels.ts';
import type { PortPolicy } from '../../src/planning/ports.ts';
import type { Selects } from '../../src/kube/selector.ts';
import { operationKeyOf } from '../../src/reconciler/operations/references.ts';
import { createStore, type Store } from '../../src/reconciler/kubernetes/store/store.ts';
import { helpersOf } from '../../src/reconciler/operations/job-view.ts';
import { isSettled } from '../../src/reconciler/operations/state.ts';
import { createQueue, type Outcome, type Queue } from '../../src/kube/turns/queue.ts';
import { reconcileOperation } from '../../src/reconciler/operations/reconcile-operation.ts';
import { reconcile } from '../../src/reconciler/reconcile.ts';
import { type Key, keyOf, keyOfText, keyText, type OperationKey } from '../../src/reconciler/world.ts';
import { type Controllers, createControllers } from '../../src/api-server/controllers/index.ts';
import { createSchemas } from '../../src/api-server/schema/index.ts';
import { type ApiServer, createApiServer, type Match, WRITES } from '../../src/api-server/index.ts';
import { exampleFileSystem } from '../support/example-exec.ts';
import { thinProfile } from '../support/objects.ts';
import { ownStatus } from '../support/own-status.ts';

export interface HarnessOptions {
  /** Default: thin, juicefs and the example. */
  readonly runtimes?: readonly Runtime[];
  readonly settings?: Partial<Settings>;
  /** Answers commands in pods. Default: the example's file system. */
  readonly exec?: PodExec;
  readonly probeMs?: number;
  readonly secretMs?: number;
  readonly portPolicy?: PortPolicy;
  readonly openReferences?: boolean;
  /** The only namespaces that the controller serves. */
  readonly namespaces?: readonly string[];
  readonly excludeNodes?: Selects;
  /** How many nodes there are: `node-1`, `node-2` and so on. Default 3. */
  readonly nodes?: number;
  /** Kinds of ours whose CRD is not installed. */
  readonly absent?: readonly string[];
  /** CustomResourceDefinitions, by whose schemas custom resources are read and written. Default: none, and any object passes. */
  readonly crds?: readonly object[];
  /** The kinds of Fluid's own workloads are installed. */
  readonly fluidsWorkloads?: boolean;
  /** Called for each run of an operation that ends. */
  readonly onRun?: (kind: string, result: string, seconds: number) => void;
  /** Called with the bytes that readers got, in each pass over a runtime that counts them. */
  readonly onRead?: (dataset: string, uid: string, read: readonly BytesRead[]) => void;
  /** Before the controller's process starts. */
  readonly prepare?: (server: ApiServer) => void;
}

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
export interface PassDone {
  readonly key: string;
  /** How the pass ended, or its error. */
  readonly outcome?: Outcome;
  readonly error?: Error;
}

/**
 * Our controller at work on an API server in memory: the real store, applier, observer, labeler, queue and `reconcile`, with the rest of
 * Kubernetes (workloads, volumes, garbage collection) beside it. Time is faked from the first line to the end of the test, so nothing
 * here ever sleeps: microtasks run until nothing is left to run, then the clock jumps to the next timer.
 *
 *   const at = await harness();
 *   at.put(openDataset('demo'));                       // as a user; namespace `ml`
 *   at.put(thinRuntime('demo', { profileName: 'profile' }));
 *   await at.quiet();                                  // the queue runs until nothing was written for 5 s
 *   expect(at.dataset().phase).toBe('Bound');
 *
 * One pass at a time instead: `await at.pass()`. Before each pass, and nowhere else, the watches catch up.
 *
 * What goes wrong is said to the server (src/api-server):
 *
 *   at.server.rules.refuse({ verb: 'get', kind: 'Secret' }, { status: 403, reason: 'Forbidden' });
 *   at.server.rules.mutate({ kind: 'DaemonSet' }, (object) => …);       // an admission webhook
 *   const held = at.server.rules.hold({ verb: 'apply' }); … held.release();
 *   at.server.hold('Dataset'); … at.server.release('Dataset');          // the watch is behind
 *   at.controllers.paused.add('volumes'); at.controllers.unready.add('ml/demo-worker');
 *   at.kill(); … await at.restart();                                    // another process takes over
 */
export interface Harness {
  readonly server: ApiServer;
  readonly controllers: Controllers;
  readonly store: Store;
  readonly cluster: KubernetesCluster;
  readonly labeler: NodeLabeler;
  readonly events: readonly Occurrence[];
  readonly log: readonly LogLine[];
  readonly passes: readonly PassDone[];

  /** Makes or changes an object as a user; without a namespace in `ml`. */
  put(object: KubeObject): KubeObject;
  get(kind: string, name?: string): KubeObject | undefined;
  /** As `kubectl edit` of the spec. */
  edit(kind: string, spec: object, name?: string): void;
  delete(kind: string, name?: string): void;
  /** This and the next two are without the conditions of kstatus. */
  dataset(name?: string): Partial<DatasetStatus>;
  runtime(kind?: string, name?: string): Partial<RuntimeStatus>;
  /** By type: `True NotReady: 0 of 1 …`. */
  conditions(kind: string, name?: string): Record<string, string>;
  /** Writes of the controller that the server took: `create DaemonSet/demo-fuse`, `patch Dataset/demo/status`. */
  written(match?: Match): readonly string[];
  /** Forgets requests, events, log lines and passes. */
  forget(): void;

  /** One pass over a key by hand, once the watches have caught up. The queue stops, until `start` or `quiet`. */
  pass(key?: Key, reportInMs?: number): Promise<Outcome>;
  /** The queue runs from now on, as with a leader. */
  start(): void;
  /** Everything that can happen without time passing. */
  settle(): Promise<void>;
  /** Time goes on by `ms`, and everything that falls due happens. */
  advance(ms: number): Promise<void>;
  /** Starts the queue, and lets time go on until nothing was written for `calmMs`. */
  quiet(calmMs?: number): Promise<void>;
  /** The process ends on the spot: nothing that it still does has an effect. */
  kill(): void;
  /** A new process, which knows only what the server returns; the queue runs if it did before. */
  restart(): Promise<void>;
}

export const demo: Key = { namespace: 'ml', name: 'demo' };
const SETTINGS: Settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const START = Date.parse('2026-01-02T03:04:05Z');
/** A controller that still writes after so long will never be at rest. */
const LONGEST_MS = 900_000;
// Before a test fakes it: what it calls comes after all microtasks.
const realImmediate = setImmediate;
const microtasks = () => new Promise<void>((resolve) => realImmediate(resolve));

/** The parts of one process. */
interface Process {
  readonly store: Store;
  readonly cluster: KubernetesCluster;
  readonly labeler: NodeLabeler;
  /** Ends the commands that run in pods. */
  readonly ended: AbortController;
  queue?: Queue;
  dead: boolean;
}

export async function harness(options: HarnessOptions = {}): Promise<Harness> {
  const { runtimes = [thin, juicefs, example], settings = {}, nodes = 3, absent = [], exec = exampleFileSystem().exec } = options;
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  const kinds = [DatasetKind, ...operationKinds, ...runtimes.flatMap(({ resource, companions }) => [resource, ...companions])].map(typeOf);
  const fluids = runtimes.flatMap(({ fluidsWorkloads }) =>
    options.fluidsWorkloads && fluidsWorkloads ? workloadType(fluidsWorkloads) : [],
  );
  const server = createApiServer({
    kinds: [...kinds.filter(({ kind }) => !absent.includes(kind)), ...fluids],
    namespaces: ['default', demo.namespace],
    ...(options.crds && { schemas: createSchemas(options.crds) }),
  });
  const controllers = createControllers(server);
  for (let i = 1; i <= nodes; i++)
    server.put({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `node-${i}`, labels: { 'kubernetes.io/hostname': `node-${i}` } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  server.put(thinProfile('profile', { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } }));
  options.prepare?.(server);

  const events: Occurrence[] = [];
  const lines: LogLine[] = [];
  const passes: PassDone[] = [];
  const line = (level: keyof Log) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: fields as LogLine['fields'] });
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  let process = boot();
  onTestFinished(() => {
    end(process);
    vi.useRealTimers();
  });

  function boot(): Process {
    const add = (key: Key | OperationKey) => self.queue?.add(keyText(key));
    const client = server.client({ fieldManager: 'sluice', deadline: () => (self.dead ? 0 : Infinity) });
    const ended = new AbortController();
    const store = createStore({
      client,
      runtimes,
      ...(options.namespaces && { namespaces: options.namespaces }),
      log,
      onKey: add,
      onGone: (key, uid) => self.cluster.gone(key, uid),
      onPlacement: (moved) => self.labeler.changed(moved),
    });
    const labeler = createNodeLabeler(
      client,
      store,
      { isExcluded: options.excludeNodes ?? (() => false), counts: !options.namespaces },
      log,
      {
        onInvalidLabel: (regarding, note) => emit({ regarding, type: 'Warning', reason: 'NodeNotLabelled', note }),
        onRefusals: ({ namespace = '', name }) => add({ namespace, name }),
      },
    );
    const cluster = kubernetesCluster({
      client,
      store,
      labeler,
      events: { emit, flush: async () => {}, dropped: 0 },
      exec: (...call) => (self.dead ? Promise.reject(new Error('killed')) : exec(...call)),
      settings: { ...SETTINGS, ...settings },
      portPolicy: options.portPolicy ?? 'bitmap',
      probeMs: options.probeMs ?? 0,
      ...(options.secretMs !== undefined && { secretMs: options.secretMs }),
      ...(options.openReferences && { openReferences: true }),
      wake: add,
      ...(options.onRun && { onRun: options.onRun }),
      ...(options.onRead && { onRead: options.onRead }),
      signal: ended.signal,
      log,
    });
    const self: Process = { store, cluster, labeler, ended, dead: false };
    function emit(event: Occurrence): void {
      if (!self.dead) events.push(event);
    }
    return self;
  }
  function end(ended: Process): void {
    ended.dead = true;
    ended.ended.abort(new Error('killed'));
    void ended.labeler.stop();
    void ended.queue?.stop();
    ended.store.stop();
  }

  function lead(leader: Process): void {
    const first = new Set<string>();
    for (const dataset of leader.store.datasets()) first.add(keyText(keyOf(dataset)));
    for (const { object } of leader.store.allRuntimes()) first.add(keyText(keyOf(object)));
    for (const operation of leader.store.operations.values())
      if (!isSettled(operation) || helpersOf(leader.store, operation).length > 0) first.add(keyText(operationKeyOf(operation)));
    for (const key of leader.store.datasetsOfLeftVolumes()) first.add(keyText(key));
    leader.queue = createQueue({
      concurrency: KEYS,
      mostOfOne: shareOf(KEYS),
      work: (key, { heldMs, unsettled }) => passOf(leader, key, Math.min(10_000, 1000 + 50 * (unsettled - 1)) - heldMs),
      onDone(key) {
        if (first.delete(key) && first.size === 0) leader.labeler.complete();
      },
    });
    if (first.size === 0) leader.labeler.complete();
    for (const key of first) leader.queue.add(key);
  }
  async function passOf(of: Process, text: string, reportInMs: number): Promise<Outcome> {
    try {
      const key = keyOfText(text);
      const outcome =
        'kind' in key
          ? await reconcileOperation(of.cluster.operations, key, Math.max(0, reportInMs))
          : await reconcile(of.cluster, key, Math.max(0, reportInMs));
      passes.push({ key: text, outcome });
      return outcome;
    } catch (error) {
      passes.push({ key: text, error: error as Error });
      return { kind: 'failed' };
    }
  }

  async function settle(): Promise<void> {
    do await microtasks();
    while (controllers.settle() > 0);
  }
  /** One timer after the other, until `isOver` says so when everything of that moment has happened. */
  async function until(isOver: () => boolean): Promise<void> {
    for (await settle(); !isOver(); await settle()) vi.advanceTimersToNextTimer();
  }
  const wasTaken = ({ status }: { readonly status: number }) => status >= 200 && status < 300;
  const namespaceOf = (kind: string) => (server.typeOf(kind).namespaced ? demo.namespace : undefined);

  await settle();
  return {
    server,
    controllers,
    get store() {
      return process.store;
    },
    get cluster() {
      return process.cluster;
    },
    get labeler() {
      return process.labeler;
    },
    events,
    log: lines,
    passes,

    put: ({ metadata, ...rest }) => {
      const namespace = namespaceOf(rest.kind);
      return server.put({ ...rest, metadata: { ...(namespace && { namespace }), ...metadata } } as KubeObject);
    },
    get: (kind, name = demo.name) => server.get(kind, namespaceOf(kind), name),
    edit(kind, spec, name = demo.name) {
      const object = server.get(kind, namespaceOf(kind), name);
      if (!object) throw new Error(`expected ${kind} ${name}, which does not exist`);
      const { resourceVersion: _, ...metadata } = object.metadata;
      server.put({ ...object, metadata, spec: { ...(object['spec'] as object), ...spec } });
    },
    delete: (kind, name = demo.name) => server.delete(kind, namespaceOf(kind), name),
    // Statuses of our objects, typed by their schemas.
    dataset: (name = demo.name) => ownStatus<DatasetStatus>(server.get('Dataset', demo.namespace, name)),
    runtime: (kind = 'ThinRuntime', name = demo.name) => ownStatus<RuntimeStatus>(server.get(kind, demo.namespace, name)),
    conditions(kind, name = demo.name) {
      const status = ownStatus<DatasetStatus>(server.get(kind, namespaceOf(kind), name));
      return Object.fromEntries(
        (status.conditions ?? []).map((condition) => [
          condition.type,
          `${condition.status} ${condition.reason ?? ''}: ${condition.message ?? ''}`,
        ]),
      );
    },
    written: (match = {}) =>
      server
        .requestsThat({ verb: WRITES, ...match })
        .filter(wasTaken)
        .map(({ verb, kind, name, subresource }) => `${verb} ${kind}/${name}${subresource ? `/${subresource}` : ''}`),
    forget() {
      server.forgetRequests();
      for (const list of [events, lines, passes]) list.splice(0);
    },

    async pass(key = demo, reportInMs = 0) {
      const { queue } = process;
      delete process.queue;
      await queue?.stop();
      await settle();
      const done = reconcile(process.cluster, key, reportInMs);
      await done.catch(() => {});
      return done;
    },
    start() {
      if (!process.queue) lead(process);
    },
    settle,
    async advance(ms) {
      let over = false;
      setTimeout(() => {
        over = true;
      }, ms);
      await until(() => over);
    },
    async quiet(calmMs = 5_000) {
      await settle();
      if (!process.queue) lead(process);
      const began = Date.now();
      const beat = setInterval(() => {}, calmMs);
      let [seen, since] = [-1, began];
      await until(() => {
        const count = server.requestsThat({ verb: WRITES }).length;
        if (count !== seen) [seen, since] = [count, Date.now()];
        return Date.now() - since >= calmMs || Date.now() - began > LONGEST_MS;
      });
      clearInterval(beat);
      if (Date.now() - began <= LONGEST_MS) return;
      const last = server.requestsThat({ verb: WRITES }).slice(-10);
      throw new Error(`it goes on for ever: ${last.map(({ verb, kind, name, status }) => `${verb} ${kind}/${name} ${status}`).join(', ')}`);
    },
    kill: () => end(process),
    async restart() {
      const { queue } = process;
      end(process);
      process = boot();
      await settle();
      if (queue) lead(process);
    },
  };
}

/** A harness in which `ml/demo` is bound, and what led to it forgotten. */
export async function boundHarness(objects: readonly KubeObject[], options: HarnessOptions = {}): Promise<Harness> {
  const at = await harness(options);
  for (const object of objects) at.put(object);
  await at.quiet();
  at.forget();
  return at;
}
