import { isDeepStrictEqual } from 'node:util';
import { GROUP } from '../../api/index.ts';
import type { KubeObject } from '../../kube/types.ts';
import { isRecord } from '../shapes.ts';
import type { Judged } from '../validation/judge.ts';
import type { Envelope } from './review.ts';

/**
 * The object of Sluice's group that a request creates, or whose spec it changes; undefined if there is nothing to judge. What is stored
 * already was judged, or is older than the webhook: an edit of its metadata, or of its status, must not fail for it.
 */
export function judgedIn({ request }: Envelope): Judged | undefined {
  const { operation } = request;
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || (request['subResource'] ?? '') !== '') return undefined;
  const object = objectIn(request['object']);
  if (!object || object.metadata.deletionTimestamp !== undefined) return undefined;
  const before = objectIn(request['oldObject']);
  if (!before) return { object };
  return isDeepStrictEqual(contentOf(object), contentOf(before)) ? undefined : { object, before };
}

function objectIn(value: unknown): KubeObject | undefined {
  if (!isRecord(value)) return undefined;
  const { apiVersion, kind, metadata } = value;
  const isOurs = typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`) && typeof kind === 'string';
  // The cast: these are the fields that every object has.
  return isOurs && isRecord(metadata) && typeof metadata['name'] === 'string' ? (value as unknown as KubeObject) : undefined;
}

function contentOf(object: KubeObject): object {
  const { apiVersion: _, metadata: __, status: ___, ...content } = object;
  return content;
}
