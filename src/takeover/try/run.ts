import { Dataset, type Manifest } from '../../api/index.ts';
import { selector } from '../../install/labels.ts';
import { type Clock, sleep, systemClock } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { ignoreNotFound, isConflict, mayPass, messageOf } from '../../kube/errors.ts';
import { selectorText } from '../../kube/selector.ts';
import { typeOf, typeOfManifest } from '../../planning/kinds.ts';
import { applyAll } from '../apply.ts';
import { observe } from './observe.ts';
import { Binding, FENCE, fenceObjects, Policy } from './policies.ts';
import type { TryAction, TryStep, TryWait } from './steps.ts';
import type { TryPart, TryTarget, TryWorld } from './world.ts';

/** A try that cannot go on; the same command continues it. */
export class TryStopped extends Error {
  override readonly name = 'TryStopped';
}

export interface TryRun {
  readonly client: KubeClient;
  readonly target: TryTarget;
  /** Called with each step that is done. `seconds` since the one before. @param left what an optional step waited for in vain */
  readonly done: (step: TryStep, seconds: number, left?: string) => void;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

const POLL_MS = 500;
/** Writes that never have the effect that they should have. */
const MOST_ALIKE = 20;

/**
 * Takes the steps in their order until all are done. Reads the cluster before each, and keeps nothing that a run which begins again would need.
 * @throws TryStopped, ApiError, and the signal's reason
 */
export async function carryOut(steps: readonly TryStep[], { client, target, done, clock = systemClock, signal }: TryRun): Promise<void> {
  const applied = new Set<TryPart>();
  let began = clock.monotonic();
  let wait: { readonly what: string; readonly since: number } | undefined;
  let [alike, times] = ['', 0];
  for (const step of steps) {
    for (;;) {
      signal?.throwIfAborted();
      const world = await patiently(() => observe(client, target, new Set(applied)), clock, signal);
      const asked = step.of(world);
      const left = asked && 'waitsFor' in asked ? since(asked) : undefined;
      if (!asked || left !== undefined) {
        done(step, (clock.monotonic() - began) / 1000, left);
        began = clock.monotonic();
        break;
      }
      if (!('actions' in asked)) {
        await sleep(clock, POLL_MS, signal);
        continue;
      }
      const what = JSON.stringify(asked.actions);
      times = what === alike ? times + 1 : 1;
      alike = what;
      if (times > MOST_ALIKE) throw new TryStopped(`tried ${MOST_ALIKE} times without effect: ${step.title}`);
      for (const action of asked.actions) {
        await patiently(() => take(client, target, world, action), clock, signal);
        if (action.do === 'apply') applied.add(action.part);
        if (action.do === 'fence') applied.add('fence');
      }
    }
  }

  /** The thing that an optional step still waits for, once its time is over. Throws when that of another step is. */
  function since({ waitsFor, withinMs, because, isOptional }: TryWait): string | undefined {
    if (wait?.what !== waitsFor) wait = { what: waitsFor, since: wait && isOptional ? wait.since : clock.monotonic() };
    if (clock.monotonic() - wait.since < withinMs) return undefined;
    if (isOptional) return waitsFor;
    throw new TryStopped(`waited ${withinMs / 1000} s in vain until ${waitsFor}${because === undefined ? '' : `: ${because}`}`);
  }
}

/** An API server that restarts answers again sooner. */
const PATIENCE_MS = 60_000;
async function patiently<T>(work: () => Promise<T>, clock: Clock, signal: AbortSignal | undefined): Promise<T> {
  const began = clock.monotonic();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isPassing = mayPass(error) || isConflict(error);
      if (!isPassing) throw error;
      if (clock.monotonic() - began >= PATIENCE_MS) throw new TryStopped(messageOf(error), { cause: error });
      await sleep(clock, POLL_MS, signal);
    }
  }
}

function take(client: KubeClient, target: TryTarget, world: TryWorld, action: TryAction): Promise<unknown> {
  switch (action.do) {
    case 'apply':
      return applyAll(client, target[action.part]);
    case 'fence':
      return fence(client, { namespaces: action.namespaces, users: [...new Set([...target.users, ...(world.fence?.users ?? [])])] });
    case 'remove':
      return removeAll(client, target.controller);
    case 'unbind':
      return client.patch(typeOf(Dataset), action.dataset, { status: { conditions: [] } }, { type: 'merge', subresource: 'status' });
  }
}

/** The Deployment first: while its pods end, they have their rights. What others share with it, such as the namespace, is not of the component. */
async function removeAll(client: KubeClient, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests.toReversed())
    await client.delete(typeOfManifest(manifest), manifest.metadata, { propagation: 'Background' }).catch(ignoreNotFound);
}

/** Policies of these namespaces. What is for others goes after: at no moment is a namespace open that shall not be. */
async function fence(client: KubeClient, wanted: Parameters<typeof fenceObjects>[0]): Promise<void> {
  const objects = wanted.namespaces.length > 0 ? fenceObjects(wanted) : [];
  await applyAll(client, objects);
  const names = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  for (const type of [Binding, Policy]) {
    const { items } = await client.list(type, { labelSelector: selectorText(selector('controller')), metadataOnly: true });
    for (const { metadata } of items)
      if (metadata.name.startsWith(FENCE) && !names.has(`${type.kind}/${metadata.name}`))
        await client.delete(type, metadata).catch(ignoreNotFound);
  }
}
