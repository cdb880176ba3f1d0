import { annotation, type SidecarNote } from '../api/index.ts';
import { isRecord, record, text } from './shapes.ts';

/** @throws Error if it is not such a note */
export function parseNote(json: string): SidecarNote {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    parsed = undefined;
  }
  const { caches = [], refused } = record(parsed);
  const isNote = isRecord(parsed) && Array.isArray(caches) && caches.every((each) => typeof each === 'string');
  if (!isNote || !(refused === undefined || typeof refused === 'string'))
    throw new Error(`annotation ${annotation.sidecar}: expected JSON {caches: [names], refused?: text}, found ${json.slice(0, 200)}`);
  const why = text(refused);
  return { caches, ...(why !== undefined && { refused: why }) };
}
