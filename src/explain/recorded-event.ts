import type { KubeObject } from '../kube/types.ts';

/** An Event as any version of Kubernetes' recorders writes it. */
export interface RecordedEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number | null;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  /** Times of a repeated event: `eventTime` is the first. */
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | null;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly uid?: string };
}

/** The cast: it was listed as an Event. */
export const recordedEvent = (event: KubeObject): RecordedEvent => event as unknown as RecordedEvent;

/** When it was last seen, RFC 3339; undefined if it has no time. */
export const lastSeen = ({ series, lastTimestamp, eventTime, firstTimestamp }: RecordedEvent): string | undefined =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? undefined;

/** How often it was seen. */
export const timesSeen = ({ series, count }: RecordedEvent): number => series?.count ?? count ?? 1;
