import { sidecar } from '../../../api/sidecars.ts';
import { type Clock, systemClock } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { isNotFound } from '../../../kube/errors.ts';
import type { EventSink } from '../../../kube/events/events.ts';
import type { KubeObject, Log } from '../../../kube/types.ts';
import { reflect } from '../../../kube/watch/reflector.ts';
import { type ApplicationSettings, endedIn, type Sidecar, sidecarsToStop } from '../../applications/sidecars-to-stop.ts';
import type { Application, StopResult } from '../../applications/commands.ts';
import { createSidecarStopper } from '../../applications/stop-sidecars.ts';
import { type Key, keyOf } from '../../world.ts';
import type { PodExec } from '../../../kube/exec.ts';
import { Pod } from '../../../planning/kinds.ts';

export interface ApplicationOptions {
  readonly client: KubeClient;
  /** The only namespaces of pods. Absent: all. */
  readonly namespaces?: readonly string[];
  readonly exec: PodExec;
  readonly settings: ApplicationSettings;
  readonly events: Pick<EventSink, 'emit'>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly onStop?: ((result: StopResult) => void) | undefined;
}

/** The kept part of a pod: next to nothing, until there is a sidecar to stop. */
interface Kept extends KubeObject {
  readonly sidecars: readonly Sidecar[];
}

/** The default grace period of a pod, in which the kubelet would run the same preStop. */
const COMMAND_MS = 30_000;

/**
 * Stops the sidecars of pods that have nothing else to do. Watches only pods that have sidecars and run: the API server sends none of any
 * other pod.
 */
export function stopSidecars(options: ApplicationOptions): { stop(): Promise<void> } {
  const { client, namespaces, exec, settings, events, log, signal, clock = systemClock, onStop } = options;
  const kept = ({ apiVersion, kind, metadata, ...rest }: KubeObject): Kept => {
    const { name, namespace, uid, resourceVersion } = metadata;
    const found = sidecarsToStop({ apiVersion, kind, metadata, ...rest }, settings);
    // The cast: a field that is undefined counts as absent.
    return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, sidecars: found } as Kept;
  };
  const applicationOf = (pod: Kept | undefined): Application | undefined =>
    pod && pod.sidecars.length > 0 ? { uid: pod.metadata.uid ?? '', sidecars: pod.sidecars } : undefined;
  const read = (pod: Key): Promise<KubeObject | undefined> =>
    client.get(Pod, pod, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const watchIn = (namespace: string | undefined) =>
    reflect<Kept>(client, Pod, {
      ...(namespace !== undefined && { namespace }),
      labelSelector: `${sidecar.done}=true`,
      fieldSelector: 'status.phase=Running',
      project: kept,
      log,
      clock,
      onChange(change) {
        const had = change.type === 'changed' && change.old.sidecars.length > 0;
        if (had || change.object.sidecars.length > 0) stopper.add(keyOf(change.object));
      },
    });
  const pods = new Map((namespaces ?? [undefined]).map((namespace) => [namespace, watchIn(namespace)] as const));
  const stopper = createSidecarStopper({
    applications: {
      seen: ({ namespace, name }) => applicationOf((pods.get(undefined) ?? pods.get(namespace))?.get(namespace, name)),
      read: async (pod) => applicationOf(await read(pod).then((object) => object && kept(object))),
      async ended(pod, uid) {
        const object = await read(pod);
        return new Set(object?.metadata.uid === uid ? endedIn(object) : []);
      },
      run: ({ namespace, name }: Key, container, argv) => exec({ namespace, pod: name, container }, argv, COMMAND_MS),
    },
    report: ({ namespace, name }, uid, note) =>
      events.emit({
        regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
        type: 'Warning',
        reason: 'SidecarNotStopped',
        note,
      }),
    log,
    signal,
    clock,
    onStop,
  });
  return {
    async stop() {
      for (const each of pods.values()) each.stop();
      await stopper.stop();
    },
  };
}
