import type { KubeClient } from '../../../kube/contract.ts';
import type { KubeObject } from '../../../kube/types.ts';
import { beginningOf } from '../../../planning/last-words.ts';
import { Event } from '../../../planning/kinds.ts';

/** Kubernetes makes one event of repeated ones, after ten whose texts differ. Others may write events of a megabyte. */
const MOST_EVENTS = 12;
const MOST_CHARACTERS = 500;

/**
 * Why Kubernetes could not create the pods of an object: a quota, Pod Security, a webhook. Anybody who may write events in the namespace could
 * have written it: it is shown, and nothing follows from it. threat-model: R-job-events
 *
 * @param uid of a Job or a workload
 * @returns the latest words, without secrets; undefined if there are none, or no longer
 * @throws ApiError, NoAnswer
 */
export async function refusedPods(
  client: Pick<KubeClient, 'list'>,
  { namespace, uid }: { readonly namespace: string; readonly uid: string },
): Promise<string | undefined> {
  const fieldSelector = `involvedObject.uid=${uid},reason=FailedCreate`;
  const { items } = await client.list(Event, { namespace, fieldSelector, limit: MOST_EVENTS });
  const [latest] = items.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const message = latest?.['message'];
  const text = typeof message === 'string' ? beginningOf(message, MOST_CHARACTERS) : '';
  return text || undefined;
}

/** An event that repeats keeps the time of the first in eventTime; only its series says when it was seen last. */
function timeOf(event: KubeObject): string {
  const series = event['series'] as { readonly lastObservedTime?: unknown } | null | undefined;
  return String(series?.lastObservedTime ?? event['lastTimestamp'] ?? event['eventTime'] ?? event.metadata.creationTimestamp ?? '');
}
