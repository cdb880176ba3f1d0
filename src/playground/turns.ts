import type { Task } from '../api-server/controllers/index.ts';
import { current, ownerBy } from '../api-server/controllers/owners.ts';
import type { ApiServer, Changed } from '../api-server/index.ts';
import type { Timers } from '../kube/clock.ts';
import { apiVersionOf, type KubeObject } from '../kube/types.ts';

/** For so long changes are gathered, and then looked at together, ms. */
const GATHER_MS = 5;
/** After so long requests and signals have their turn, ms. */
const MOST_MS = 50;
/** After a failure an object is looked at again, since another one may be the cause, such as one that has the wanted name, ms. */
const FAILED_MS = 5_000;

/**
 * Lets controllers and kubelets look at the objects that a change concerns, beside the requests: an object is looked at once, however many
 * changes there are before.
 *
 * @param onFault is told of an object that its controller cannot read, which stops no other
 */
export function startTurns(
  server: ApiServer,
  tasks: readonly Task[],
  { monotonic, after }: Timers,
  onFault: (error: unknown) => void,
): { stop(): void } {
  const kinds = tasks.map((task) =>
    task.kinds === 'all' ? undefined : new Set(task.kinds.map((kind) => `${apiVersionOf(server.typeOf(kind))}/${kind}`)),
  );
  /** In the order in which they came up. */
  const line = new Map<string, { readonly task: Task; readonly object: KubeObject }>();
  /** Cancels of looks that are due later. */
  const later = new Map<string, () => void>();
  let cancel: (() => void) | undefined;
  /** How long requests are served before the next turn, ms: as long as the last one took. */
  let rest = GATHER_MS;
  let isStopped = false;

  function follow({ object, old }: Changed): void {
    const changed = [object, old].filter((each) => each !== undefined);
    const owners = changed.flatMap((each) => (each.metadata.ownerReferences ?? []).flatMap((owner) => ownerBy(server, each, owner) ?? []));
    tasks.forEach((task, i) => {
      const isOurs = ({ apiVersion, kind }: KubeObject) => kinds[i]?.has(`${apiVersion}/${kind}`) ?? true;
      for (const each of [...changed, ...owners].filter(isOurs)) look(i, each);
      for (const each of guarded(object ?? old!, () => task.concerned?.({ object, old })) ?? []) if (each) look(i, each);
    });
  }
  function look(i: number, object: KubeObject): void {
    const { apiVersion, kind, metadata } = object;
    line.set(`${i} ${apiVersion}/${kind}/${metadata.namespace}/${metadata.name}`, { task: tasks[i]!, object });
    soon();
  }
  function soon(): void {
    if (!isStopped) cancel ??= after(rest, turn);
  }

  function turn(): void {
    cancel = undefined;
    const began = monotonic();
    for (const [key, { task, object }] of line) {
      line.delete(key);
      act(key, task, object);
      if (monotonic() - began > MOST_MS) break;
    }
    rest = Math.max(GATHER_MS, monotonic() - began);
    if (line.size > 0) soon();
  }
  function act(key: string, task: Task, looked: KubeObject): void {
    const { apiVersion, kind, metadata } = looked;
    later.get(key)?.();
    later.delete(key);
    const done = guarded(looked, () => {
      const object = current(server, kind, apiVersion, metadata);
      return object !== undefined && task.work(object);
    });
    const look = { task, object: looked };
    if (done === true) line.set(key, look);
    else if (done !== false) again(key, look, done ?? FAILED_MS);
  }
  /** Undefined if it fails. */
  function guarded<T>({ kind, metadata: { namespace, name } }: KubeObject, run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      const which = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
      onFault(new Error(`${which}: ${(error as Error).message}`, { cause: error }));
      return undefined;
    }
  }
  function again(key: string, look: { readonly task: Task; readonly object: KubeObject }, ms: number): void {
    later.set(
      key,
      after(ms, () => {
        line.set(key, look);
        soon();
      }),
    );
  }

  for (const object of server.all()) follow({ object, old: undefined });
  const unfollow = server.follow(follow);
  return {
    stop() {
      isStopped = true;
      unfollow();
      cancel?.();
      for (const cancelled of later.values()) cancelled();
    },
  };
}
