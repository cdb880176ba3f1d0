import type { ApiServer } from '../api-server/index.ts';
import { storedEvent } from '../api-server/wire/events.ts';
import { type Clock, timestamp } from '../kube/clock.ts';
import type { KubeObject } from '../kube/types.ts';

/** As the API server keeps them by default, ms. */
const KEPT_MS = 3_600_000;

/** Events of scheduler and kubelets about pods. */
export interface PodEvents {
  say(pod: KubeObject, event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }): void;
  /** Forgets what was said of a pod, by its UID. */
  forget(uid: string): void;
}

/** A repeated event of a pod is written once. */
export function createPodEvents(server: ApiServer, { wall }: Clock): PodEvents {
  const said = new Map<string, string>();
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
    forget: (uid) => said.delete(uid),
  };
}

/** Deletes events of all kinds that are an hour old. */
export function cleanEvents(server: ApiServer, { wall }: Clock): void {
  for (const { kind, metadata } of server.all('Event'))
    if (Date.parse(String(metadata['creationTimestamp'])) < wall() - KEPT_MS) server.remove(kind, metadata.namespace, metadata.name);
}
