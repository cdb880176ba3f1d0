import type { ApiServer } from '../api-server/index.ts';
import { storedEvent } from '../api-server/wire/events.ts';
import { type Clock, timestamp } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';

/** As the API server keeps them by default, ms. */
const KEPT_MS = 3_600_000;
const CLEANED_MS = 60_000;

/** What scheduler and kubelets say of pods, as events. */
export interface PodEvents {
  say(pod: KubeObject, event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }): void;
  /** Deletes events that are an hour old. */
  clean(): void;
}

/** What is said again of a pod is said once. */
export function createPodEvents(server: ApiServer, { wall, monotonic }: Clock): PodEvents {
  const said = new Map<string, string>();
  let cleanedAt = monotonic();
  const time = () => timestamp(wall());
  return {
    say({ metadata: { name, namespace = '', uid = '', resourceVersion } }, { type, reason, message }) {
      if (said.get(uid) === message || server.get('Namespace', undefined, namespace)?.metadata.deletionTimestamp) return;
      said.set(uid, message);
      const component = reason === 'Scheduled' || reason === 'FailedScheduling' ? 'default-scheduler' : 'kubelet';
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${name}.`, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion },
        type,
        reason,
        message,
        source: { component },
        reportingComponent: component,
        firstTimestamp: time(),
        lastTimestamp: time(),
        count: 1,
      } as unknown as KubeObject;
      server.objects.create(storedEvent, namespace, event, { manager: component });
    },
    clean() {
      if (monotonic() - cleanedAt < CLEANED_MS) return;
      cleanedAt = monotonic();
      const living = new Set(server.all('Pod').map(({ metadata }) => metadata.uid));
      for (const uid of said.keys()) if (!living.has(uid)) said.delete(uid);
      for (const { kind, metadata } of server.all('Event'))
        if (Date.parse(String(metadata['creationTimestamp'])) < wall() - KEPT_MS) server.remove(kind, metadata.namespace, metadata.name);
    },
  };
}
