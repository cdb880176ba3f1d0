/** Our controller at work on a control plane, and namespaces in which a test is its user. */
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { stringify } from 'yaml';
import type { SharedControlPlane } from '../../harness/index.ts';
import alluxio from '../../runtimes/alluxio/index.ts';
import cache from '../../runtimes/cache/index.ts';
import efc from '../../runtimes/efc/index.ts';
import jindo from '../../runtimes/jindo/index.ts';
import juicefs from '../../runtimes/juicefs/index.ts';
import thin from '../../runtimes/thin/index.ts';
import vineyard from '../../runtimes/vineyard/index.ts';
import { crdOf } from '../../src/api/crd.ts';
import type { Settings } from '../../src/constructs/index.ts';
import { createClient, isNotFound, type KubeClient } from '../../src/kube/client/kube-client.ts';
import type { KubeObject, Log } from '../../src/kube/types.ts';
import { type Controller, type ControllerOptions, startController } from '../../src/reconciler/controller.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import example from './example-runtime/index.ts';
import { ExampleRuntime } from './example-runtime/spec.ts';
import { customKinds, type Kind, kinds, madeKinds } from './kinds.ts';
import { thinProfile } from './objects.ts';
import { ownStatus } from './own-status.ts';

const runtimes = [thin, juicefs, alluxio, cache, jindo, efc, vineyard, example];
const settings: Settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
/** The profile that every space may use. */
export const PROFILE = 'reconciler-tests';

export interface Sluice {
  readonly plane: SharedControlPlane;
  readonly client: KubeClient;
  readonly controller: Controller;
  readonly log: readonly string[];
  space(hint?: string): Promise<Space>;
  /** Removes the spaces in every state, waits until the controller has let everything go, and ends it. */
  stop(): Promise<void>;
}

/** The CRDs, the profile, and, unless options say otherwise, a controller in this process. */
export async function startSluice(
  plane: SharedControlPlane,
  { installed, ...options }: Partial<ControllerOptions> & { readonly installed?: boolean } = {},
): Promise<Sluice> {
  if (!installed) await installCrds(plane);
  const connection = options.connection ?? connectionFromKubeconfig([plane.kubeconfig]);
  const users = createClient(connectionFromKubeconfig([plane.kubeconfig]), { fieldManager: 'sluice-tests' });
  const { lines, log } = recorder();
  const controller = startController({ connection, runtimes, settings, probeMs: 0, log, ...options });
  await controller.synced;
  const spaces: Space[] = [];
  return {
    plane,
    client: users,
    controller,
    log: lines,
    async space(hint = 'test') {
      const created = await createSpace(plane, users, hint);
      spaces.push(created);
      return created;
    },
    async stop() {
      const began = performance.now();
      await removeSpaces(users, spaces);
      console.log(`${spaces.length} namespaces let go after ${Math.round(performance.now() - began)} ms`);
      await controller.stop();
      await users.close();
    },
  };
}

export async function installCrds(plane: SharedControlPlane): Promise<void> {
  await plane.kubectl('apply', '--server-side', '-f', join(import.meta.dirname, '../../crds'));
  await plane.kubectlApply(stringify(crdOf(ExampleRuntime)));
  await established(plane);
  await plane.kubectlApply(stringify(profile(PROFILE)));
}

/** Until the API server serves the kinds. Asked again, since kubectl fails on a definition so new that it has no conditions at all. */
export async function established({ kubectl }: Pick<SharedControlPlane, 'kubectl'>, ...crds: readonly string[]): Promise<void> {
  const which = crds.length > 0 ? crds : ['crd', '--all'];
  await eventually(() => kubectl('wait', '--for=condition=Established', '--timeout=30s', ...which));
}

export const profile = (name: string, image = 'example.io/fuse'): KubeObject =>
  thinProfile(name, {
    fileSystemType: 'fuse.test',
    nodePublishSecretPolicy: 'MountNodePublishSecretIfExists',
    fuse: { image, imageTag: 'v1' },
    worker: { image: 'example.io/worker', imageTag: 'v1' },
  });

/** Lines as JSON; with SLUICE_TEST_LOG=1 they are printed as they come. */
function recorder(): { readonly lines: readonly string[]; readonly log: Log } {
  const lines: string[] = [];
  const say = (level: string) => (fields: object, message: string) => {
    const line = JSON.stringify({ at: new Date().toISOString().slice(11, 23), level, message, ...fields });
    lines.push(line);
    if (process.env['SLUICE_TEST_LOG']) console.log(line);
  };
  return { lines, log: { debug: () => {}, info: say('info'), warn: say('warn'), error: say('error') } };
}

/** Asks again and again, at first every 40 ms; later a tenth of the time so far passes in between, since a kubectl costs a tenth of a second. */
export function eventually<T>(check: () => T | Promise<T>, seconds = 30): Promise<T> {
  const began = performance.now();
  const attempt = async () => {
    try {
      return await check();
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(400, (performance.now() - began) / 10)));
      throw error;
    }
  };
  return vi.waitFor(attempt, { timeout: seconds * 1000, interval: 40 });
}

/** Asks again until the check passes, for so many seconds. */
export type Wait = <T>(check: () => T | Promise<T>, seconds?: number) => Promise<T>;

/** A namespace and a user who works in it. */
export interface Space {
  readonly namespace: string;
  /** In the order given; their namespace is this one unless they belong to the cluster. */
  create(...objects: readonly KubeObject[]): Promise<void>;
  get(kind: Kind, name: string): Promise<KubeObject>;
  find(kind: Kind, name: string): Promise<KubeObject | undefined>;
  list(kind: Kind): Promise<readonly KubeObject[]>;
  /** A JSON merge patch. */
  patch(kind: Kind, name: string, patch: object, subresource?: string): Promise<KubeObject>;
  /** A JSON patch that replaces one value. */
  replace(kind: Kind, name: string, path: string, value: unknown): Promise<KubeObject>;
  delete(kind: Kind, name: string, propagation?: 'Background' | 'Foreground' | 'Orphan'): Promise<void>;
  /** Waits until the object looks like this, and returns it. */
  becomes(kind: Kind, name: string, expected: object, seconds?: number): Promise<KubeObject>;
  gone(kind: Kind, name: string, seconds?: number): Promise<void>;
  /** Waits until the dataset is Bound, its claim too, and its runtime says that all is well. */
  bound(kind: RuntimeKind, name: string, seconds?: number): Promise<void>;
  /** Events about an object: `Warning ErrorProcessRuntime: why`. */
  events(name: string): Promise<readonly string[]>;
  /** Names of what the controller made here, volumes included: `DaemonSet/demo-fuse`. */
  made(): Promise<readonly string[]>;
  kubectl(...args: readonly string[]): Promise<string>;
}
export type RuntimeKind =
  | 'ThinRuntime'
  | 'JuiceFSRuntime'
  | 'AlluxioRuntime'
  | 'CacheRuntime'
  | 'JindoRuntime'
  | 'EFCRuntime'
  | 'VineyardRuntime'
  | 'ExampleRuntime'
  | 'MooseFSRuntime';

export async function createSpace(
  plane: Pick<SharedControlPlane, 'kubectl'>,
  client: KubeClient,
  hint: string,
  exactly = false,
  wait: Wait = eventually,
): Promise<Space> {
  const namespace = exactly ? hint : `${hint}-${process.hrtime.bigint().toString(36)}`;
  await client.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const where = (kind: Kind, name: string) => ({ ...(kinds[kind].namespaced && { namespace }), name });
  const find = (kind: Kind, name: string) =>
    client.get(kinds[kind], where(kind, name)).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const list = async (kind: Kind) => (await client.list(kinds[kind], kinds[kind].namespaced ? { namespace } : {})).items;
  const becomes = (kind: Kind, name: string, expected: object, seconds?: number) =>
    wait(async () => {
      const found = await find(kind, name);
      const isOurs = found?.apiVersion.startsWith('data.fluid.io/') && found['status'];
      const own = isOurs ? { ...found, status: ownStatus(found) } : found;
      expect(own, `${kind} ${namespace}/${name}`).toMatchObject(expected);
      return found as KubeObject;
    }, seconds);
  function noneIfAbsent(error: unknown): readonly KubeObject[] {
    if (isNotFound(error)) return [];
    throw error;
  }
  /** Objects that may keep a Dataset that is being deleted: a failed one says so in its conditions, and a claim waits for pods. */
  async function keepers(): Promise<readonly object[]> {
    const left: object[] = [];
    // A kind that is not installed keeps nothing.
    for (const kind of ['Pod', 'PersistentVolumeClaim', ...customKinds] as const)
      for (const { metadata, ...rest } of await list(kind).catch(noneIfAbsent)) {
        const { name, deletionTimestamp, finalizers } = metadata;
        const { phase, conditions } = (rest['status'] ?? {}) as { readonly phase?: unknown; readonly conditions?: unknown };
        left.push({ kind, name, deletionTimestamp, finalizers, phase, conditions });
      }
    return left;
  }
  return {
    namespace,
    find,
    list,
    becomes,
    async create(...objects) {
      for (const object of objects) {
        const type = kinds[object.kind as Kind];
        const metadata = { ...object.metadata, ...(type.namespaced && { namespace }) };
        await client.create(type, { ...object, metadata }, { fieldValidation: 'Strict' });
      }
    },
    get: (kind, name) => client.get(kinds[kind], where(kind, name)),
    patch: (kind, name, patch, subresource) => client.patch(kinds[kind], where(kind, name), patch, { type: 'merge', subresource }),
    replace: (kind, name, path, value) => client.patch(kinds[kind], where(kind, name), [{ op: 'replace', path, value }], { type: 'json' }),
    delete: (kind, name, propagation = 'Background') => client.delete(kinds[kind], where(kind, name), { propagation }),
    async gone(kind, name, seconds) {
      try {
        await wait(async () => expect(await find(kind, name), `${kind} ${namespace}/${name}`).toBeUndefined(), seconds);
      } catch (error) {
        throw new Error(`${kind} ${namespace}/${name} is not gone. Left: ${JSON.stringify(await keepers())}`, { cause: error });
      }
    },
    async bound(kind, name, seconds) {
      try {
        await becomes('Dataset', name, { status: { phase: 'Bound' } }, seconds);
        await becomes('PersistentVolumeClaim', name, { status: { phase: 'Bound' } }, seconds);
        await becomes(kind, name, condition('Synced', { status: 'True' }), seconds);
      } catch (error) {
        const states = await Promise.all((['Dataset', kind] as const).map((each) => find(each, name)));
        throw new Error(`${kind} ${namespace}/${name} is not bound: ${JSON.stringify(states.map((state) => state?.['status']))}`, {
          cause: error,
        });
      }
    },
    async events(name) {
      const events = (await list('Event')).filter(({ involvedObject }) => (involvedObject as { name: string }).name === name);
      return events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    },
    async made() {
      const names: string[] = [];
      for (const kind of madeKinds) {
        for (const object of await list(kind)) {
          const { claimRef } = (object['spec'] ?? {}) as { claimRef?: { namespace?: string } };
          const isOurs = object.metadata.labels?.['data.fluid.io/owner-uid'] !== undefined;
          if (isOurs && (kind !== 'PersistentVolume' || claimRef?.namespace === namespace)) names.push(`${kind}/${object.metadata.name}`);
        }
      }
      return names.toSorted();
    },
    kubectl: (...args) => plane.kubectl(...args, '-n', namespace),
  };
}

/** For `becomes`: a condition of this type that says so. */
export const condition = (type: string, fields: object) => ({
  status: { conditions: expect.arrayContaining([expect.objectContaining({ type, ...fields })]) },
});
/** A text with these parts in this order. */
export const says = (...parts: readonly string[]) =>
  expect.stringMatching(new RegExp(parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*'), 's'));

/** One by one: a namespace that is deleted as a whole takes the namespace controller ten seconds. Kinds may not be installed. */
export async function removeSpaces(client: KubeClient, spaces: readonly Space[], wait: Wait = eventually): Promise<void> {
  const perhaps = (kind: Kind, { metadata }: KubeObject) => client.delete(kinds[kind], metadata).catch(ignoreMissing);
  const all = async ({ list }: Space, kind: Kind) => (await list(kind).catch(ignoreMissing)) ?? [];
  for (const space of spaces) {
    for (const pod of await space.list('Pod')) if (!pod.metadata.ownerReferences) await perhaps('Pod', pod);
    for (const kind of customKinds) for (const object of await all(space, kind)) await perhaps(kind, object);
  }
  await wait(async () => {
    const left: string[] = [];
    for (const space of spaces)
      for (const kind of customKinds)
        left.push(...(await all(space, kind)).map(({ metadata }) => `${kind} ${space.namespace}/${metadata.name}`));
    expect(left, 'what the controller has not let go').toEqual([]);
  }, 60);
  for (const { namespace } of spaces) await client.delete(kinds.Namespace, { name: namespace }).catch(ignoreMissing);
}

const ignoreMissing = (error: unknown): undefined => {
  if (!isNotFound(error)) throw error;
};
