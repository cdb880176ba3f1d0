import { redactedText } from '../../api/redact.ts';
import type { Infos } from './world.ts';

/** How often a pod is asked how far it is; each answer that differs is a write. */
export const PROGRESS_MS = 10_000;

/** More than these, and longer ones, are dropped: a pod's user decides what is in the file. */
const MOST = 16;
const LINE = /^([A-Za-z][\w ]{0,62})=(.{1,256})$/;

/** What a progress file says: lines `name=value`. Other lines are skipped. */
export function infosOf(text: string): Infos {
  const lines = text.slice(0, 16_384).split('\n');
  const pairs = lines.flatMap((line) => {
    const [, name = '', value = ''] = LINE.exec(line.trimEnd()) ?? [];
    return name === '' ? [] : [[name, redactedText(value)] as const];
  });
  return Object.fromEntries(pairs.slice(0, MOST));
}
