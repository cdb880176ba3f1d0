import type { MountRow } from '../../constructs/index.ts';
import { redactedText } from '../../api/redact.ts';
import { differingOptions } from './mount-change.ts';
import { some } from '../some.ts';
import type { Hold } from '../hold.ts';

/** A row that was mounted or unmounted without an error, and is listed otherwise. */
export interface MountTrouble {
  readonly path: string;
  readonly text: string;
  /** Pods that read this path do not find what the spec promises. */
  readonly isLack: boolean;
  /** A retry is due now. */
  readonly isDue: boolean;
}

/** Describes how a row is listed otherwise than asked for. Of options it has only names, since their values may come from a Secret. */
export function troubleOf(path: string, asked: MountRow | undefined, listed: MountRow | undefined): Omit<MountTrouble, 'isDue'> {
  const others = differingOptions(asked, listed);
  const options = asked && others.length > 0 ? ` with other options: ${some(others)}` : '';
  const isSame = asked?.source === undefined || listed?.source === undefined || asked.source === listed.source;
  const wish = asked ? `asked for${asked.source === undefined ? '' : ` ${asked.source}`}` : 'asked to be unmounted';
  const finding = listed
    ? `listed${(asked && isSame) || listed.source === undefined ? '' : ` as ${listed.source}`}${options}`
    : 'not listed';
  return { path, text: redactedText(`${path}: ${wish}, ${finding}`), isLack: asked !== undefined && !(listed && isSame) };
}

const WHAT = 'The engine accepted these changes of mounts and lists something else; the controller retries them with back-off';

/** One hold for all of them; its text is the same as long as they last, so that the condition is written once. */
export const holdOf = (troubles: readonly MountTrouble[]): Hold | undefined =>
  troubles.length > 0 ? { reason: 'MountsDiffer', message: `${WHAT}: ${some(troubles.map(({ text }) => text))}` } : undefined;
