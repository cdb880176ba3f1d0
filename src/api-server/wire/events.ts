/** Events in the two forms in which a server shows them: core/v1, which is stored, and events.k8s.io/v1. */
import type { KubeObject, ResourceType } from '../../kube/types.ts';

const GROUP = 'events.k8s.io';
export const storedEvent: ResourceType = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
export const newEvent: ResourceType = { ...storedEvent, group: GROUP };

export const isNewEvent = ({ group, plural }: ResourceType): boolean => group === GROUP && plural === 'events';

/** Fields of both, as events.k8s.io/v1 names them, with their names in core/v1 (kubernetes/api events/v1/types.go). */
const NAMES = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
] as const;

/** As it is stored. A patch is renamed alike. */
export function stored(event: KubeObject): KubeObject {
  const renamed = { ...event } as Record<string, unknown>;
  for (const [from, to] of NAMES)
    if (from in renamed) {
      renamed[to] = renamed[from];
      delete renamed[from];
    }
  if (event.kind) Object.assign(renamed, { apiVersion: 'v1' });
  return renamed as KubeObject;
}

/** As clients of events.k8s.io read it. */
export function shown(event: KubeObject): KubeObject {
  const renamed = { ...event, apiVersion: `${GROUP}/v1`, kind: 'Event' } as Record<string, unknown>;
  for (const [to, from] of NAMES)
    if (from in renamed) {
      renamed[to] = renamed[from];
      delete renamed[from];
    }
  return renamed as unknown as KubeObject;
}
