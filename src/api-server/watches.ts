import type { WatchOptions } from '../kube/contract.ts';
import type { KubeObject, ResourceType, WatchEvent } from '../kube/types.ts';
import { errorFrom, Refusal } from './refusals.ts';
import { answer } from './select.ts';
import { eventOf, type Storage } from './storage.ts';

/** A watch that is open, as the server has hold of it. */
export interface OpenWatch {
  readonly type: ResourceType;
  /** Ends the watch at once; with a Refusal, by an ERROR event. */
  end(error?: Refusal): void;
  /** Ends the watch once all events are delivered. */
  finish(): void;
  /** Sends an event that no change of an object caused. */
  say(event: WatchEvent): void;
}

export interface Watching {
  readonly storage: Storage;
  /** All that are open. */
  readonly watches: Set<OpenWatch>;
  /** Aborted when the client is closed. */
  readonly closed: AbortSignal;
  /** The caller changes nothing that it gets. */
  readonly readsOnly: boolean;
}

/**
 * The events of one watch, until it is ended.
 *
 * @param begin sends the request; returns which objects the watch selects
 */
export async function* watch(
  { storage, watches, closed, readsOnly }: Watching,
  type: ResourceType,
  options: WatchOptions,
  begin: () => Promise<(object: KubeObject) => boolean>,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { signal, metadataOnly } = options;
  if (signal.aborted) return;
  let ended: { readonly error?: Refusal } | undefined;
  let isFinishing = false;
  const said: WatchEvent[] = [];
  const end = (error?: Refusal) => {
    ended ??= { ...(error && { error }) };
    storage.wakeAll(type);
  };
  const entry: OpenWatch = {
    type,
    end,
    finish: () => {
      isFinishing = true;
      storage.wakeAll(type);
    },
    say: (event) => {
      said.push(event);
      storage.wakeAll(type);
    },
  };
  const onAbort = () => end();
  try {
    const isSelected = await begin().catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (!isSelected) return;
    watches.add(entry);
    options.onHeard?.();
    signal.addEventListener('abort', onAbort, { once: true });
    closed.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(end, options.timeoutSeconds * 1000);
    timer.unref?.();
    try {
      let seen = Number(options.resourceVersion);
      while (!ended) {
        // One at a time: a watch that is not read keeps nothing that the history has forgotten.
        const change = storage.changeAfter(type, seen);
        if (change) {
          seen = change.revision;
          const event = eventOf(change, isSelected);
          if (event) yield { ...event, object: answer(type, event.object, metadataOnly, readsOnly) };
        } else if (said.length > 0) yield said.shift()!;
        else if (isFinishing) end();
        else await storage.next(type);
      }
    } finally {
      clearTimeout(timer);
    }
    if (ended.error) throw ended.error;
  } catch (error) {
    throw error instanceof Refusal ? errorFrom('WATCH', { type, namespace: options.namespace }, error) : error;
  } finally {
    watches.delete(entry);
    signal.removeEventListener('abort', onAbort);
    closed.removeEventListener('abort', onAbort);
  }
}
