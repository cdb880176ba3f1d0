/** A real control plane with our three users in it, and what benches do there again and again. */
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import type { KubeObject } from '../src/kube/types.ts';
import { freePorts } from '../harness/control-plane/ports.ts';
import { type ControlPlane, startControlPlane } from '../harness/index.ts';
import { type AuditLog, auditLog, CONTROLLER, POLICY, REPLAY, USER } from './audit.ts';
import { type Client, MERGE, openClient, unlessGone } from './client.ts';
import { bundled, type Controller, startController } from './controller.ts';
import { secret } from './companions.ts';
import { COMPANIONS, type Kind, KINDS } from './kinds.ts';
import { pair, paths } from './objects.ts';
import { quantile, rounded } from './statistics.ts';

/** The usual range has host ports for 666 Alluxios. */
const FLAGS = ['--runtime-node-port-range', 'alluxio=20000-60000'];
const CRDS = fileURLToPath(new URL('../crds', import.meta.url));

export interface Lab {
  readonly plane: ControlPlane;
  /** The controller's. */
  readonly kubeconfig: string;
  readonly user: Client;
  /** As another user, so that its requests can be distinguished. */
  readonly replay: Client;
  readonly audit: AuditLog;
  /** A controller that leads; with `standby` one on another host that waits. */
  start(standby?: 'standby'): Promise<Controller>;
  /** A new namespace, with the Secret that mounts name. */
  namespace(): Promise<string>;
  /** Waits until so many are bound, of these kinds by turns; they stay until the lab is closed. Its namespace. */
  population(kinds: readonly Kind[], count: number): Promise<string>;
  /** Takes a namespace away, with everything that was set up in it. No controller may be running. */
  clear(namespace: string): Promise<void>;
  close(): Promise<void>;
}

export const say = (text: string): void => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);

export async function openLab(): Promise<Lab> {
  say('starting a control plane');
  const policy = join(tmpdir(), `sluice-bench-${process.pid}-audit.yaml`);
  writeFileSync(policy, POLICY);
  const plane = await startControlPlane({
    nodes: 3,
    audit: true,
    // Rotated logs could not be read from a mark on.
    apiServerArgs: [`--audit-policy-file=${policy}`, '--audit-log-maxsize=100000'],
  }).finally(() => rmSync(policy));
  try {
    return await furnished(plane);
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** Asked again: kubectl fails on a definition so new that it has no conditions at all. */
async function untilEstablished(plane: ControlPlane, tries = 20): Promise<void> {
  await plane.kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', CRDS).catch(async (error: unknown) => {
    if (tries === 0) throw error;
    await sleep(100);
    return untilEstablished(plane, tries - 1);
  });
}

async function furnished(plane: ControlPlane): Promise<Lab> {
  await plane.kubectl('apply', '-f', CRDS);
  await untilEstablished(plane);
  await plane.kubectl(
    'create',
    'clusterrolebinding',
    'bench',
    '--clusterrole=cluster-admin',
    ...[CONTROLLER, USER, REPLAY].map((name) => `--user=${name}`),
  );
  const kubeconfig = await plane.kubeconfigFor(CONTROLLER);
  const user = openClient(await plane.kubeconfigFor(USER));
  const replay = openClient(await plane.kubeconfigFor(REPLAY));
  for (const { plural, object } of COMPANIONS)
    await until('the users may do what they are to do', 20, () =>
      user.send('POST', paths.companions(plural), object).catch(() => undefined),
    );
  const audit = auditLog(plane.auditLog ?? '');
  const controllers = new Set<Controller>();
  const populations = new Map<string, Promise<string>>();
  let namespaces = 0;

  const lab: Lab = {
    plane,
    kubeconfig,
    user,
    replay,
    audit,
    async start(standby) {
      await bundled();
      const [metricsPort = 0] = await freePorts(1);
      const controller = startController({ kubeconfig, metricsPort, flags: FLAGS, ...(standby && { elsewhere: 'another-host' }) });
      controllers.add(controller);
      await (standby ? controller.synced() : controller.leading());
      return controller;
    },
    async namespace() {
      // All of one length, and none is part of another: the replay puts one in another's place.
      const name = `bench-${String(++namespaces).padStart(3, '0')}`;
      await user.send('POST', paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await user.send('POST', paths.core(name, 'secrets'), secret);
      return name;
    },
    population(kinds, count) {
      const name = `${count} ${kinds}`;
      const known = populations.get(name) ?? populate(kinds, count);
      populations.set(name, known);
      return known;
    },
    async clear(namespace) {
      say(`clearing ${namespace}`);
      await clear(user, namespace);
    },
    async close() {
      await Promise.all([...controllers].map((controller) => controller.stop('SIGKILL')));
      await Promise.all([user.close(), replay.close()]);
      await plane.stop();
    },
  };

  async function populate(kinds: readonly Kind[], count: number): Promise<string> {
    say(`setting up ${count} runtimes: ${kinds}`);
    const controller = await lab.start();
    const namespace = await lab.namespace();
    const bound = await watchBound(lab, paths.datasets(namespace));
    await createAll(lab, kinds, namespace, count);
    await bound.reached(count, Math.max(300, count / 10));
    bound.stop();
    await controller.idle();
    await controller.stop();
    return namespace;
  }
  return lab;
}

export const nameOf = (i: number): string => `d${String(i).padStart(4, '0')}`;

/** The user's creates, of these kinds by turns, as many at once as there are connections. Returns when each was answered, by its number. */
export async function createAll(
  { user }: Pick<Lab, 'user'>,
  kinds: readonly Kind[],
  namespace: string,
  count: number,
): Promise<readonly number[]> {
  const createdAt: number[] = [];
  await atOnce(16, range(count), async (i) => {
    const kind = kinds[i % kinds.length]!;
    const { dataset, runtime } = pair(kind, namespace, nameOf(i));
    await user.send('POST', paths.datasets(namespace), dataset);
    await user.send('POST', paths.runtimes(kind, namespace), runtime);
    createdAt[i] = performance.now();
  });
  return createdAt;
}

export interface Bound {
  /** When each was first seen Bound, by name. */
  readonly at: ReadonlyMap<string, number>;
  /** The moment of the `count`th. */
  reached(count: number, seconds: number): Promise<number>;
  stop(): void;
}

/** Datasets or claims turning Bound, from a watch: polling would be load. */
export async function watchBound({ user }: Pick<Lab, 'user'>, path: string): Promise<Bound> {
  const at = new Map<string, number>();
  const waiting: { readonly count: number; readonly resolve: (at: number) => void }[] = [];
  const stop = await user.watch(path, ({ object, at: now }) => {
    if (phaseOf(object) !== 'Bound' || at.has(object.metadata.name)) return;
    at.set(object.metadata.name, now);
    for (const { count, resolve } of waiting) if (at.size === count) resolve(now);
  });
  return {
    at,
    async reached(count, seconds) {
      if (at.size >= count) return [...at.values()][count - 1] ?? Number.NaN;
      const reached = new Promise<number>((resolve) => waiting.push({ count, resolve }));
      const late = new AbortController();
      try {
        return await Promise.race([
          reached,
          sleep(seconds * 1000, undefined, { signal: late.signal }).then(() => {
            throw new Error(`${at.size} of ${count} were Bound after ${seconds} s`);
          }),
        ]);
      } finally {
        late.abort();
      }
    },
    stop,
  };
}

/** Much faster than teardown, which is not what is measured here: finalizers go, then everything at once. The namespace stays, empty. */
async function clear(user: Client, namespace: string): Promise<void> {
  const volumes = async () => (await user.list(paths.volumes)).filter(({ metadata }) => metadata.name.startsWith(`${namespace}-`));
  const users = [paths.datasets(namespace), ...KINDS.map((kind) => paths.runtimes(kind, namespace))];
  for (const path of users) {
    const marked = (await user.list(path)).filter(({ metadata }) => metadata.finalizers?.length);
    await atOnce(16, marked, ({ metadata }) =>
      user.send('PATCH', `${path}/${metadata.name}`, { metadata: { finalizers: null } }, MERGE).catch(unlessGone),
    );
  }
  const core = ['configmaps', 'services', 'persistentvolumeclaims'].map((plural) => paths.core(namespace, plural));
  const apps = ['daemonsets', 'statefulsets'].map((plural) => paths.apps(namespace, plural));
  for (const path of [...apps, ...users, ...core]) await user.send('DELETE', path);
  await atOnce(16, await volumes(), ({ metadata }) => user.send('DELETE', `${paths.volumes}/${metadata.name}`).catch(unlessGone));
  await until(`the pods of ${namespace} are gone`, 240, async () => (await user.list(paths.core(namespace, 'pods'))).length === 0);
  await until(`the volumes of ${namespace} are gone`, 240, async () => (await volumes()).length === 0);
}

export const phaseOf = (object: KubeObject): string | undefined => (object['status'] as { phase?: string } | undefined)?.phase;

export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** `work` for each, so many at a time, begun in order. */
export async function atOnce<T>(count: number, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  await pLimit(count).map(items, work);
}

export async function until<T>(what: string, seconds: number, ask: () => Promise<T | undefined | false>, everyMs = 100): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(everyMs);
  }
}

/** The present cost of one write for a bare client, s: the median. Times of single changes depend on it. */
export async function bareWrite({ replay }: Pick<Lab, 'replay'>, namespace: string): Promise<number> {
  const path = paths.core(namespace, 'configmaps');
  const times: number[] = [];
  for (const i of range(30)) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `bare-${i}` }, data: { key: 'value' } };
    times.push(await timed(() => replay.send('POST', path, object)));
    await replay.send('DELETE', `${path}/bare-${i}`);
  }
  return rounded(quantile(times, 0.5) / 1000);
}

/** In ms. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}
