import { redactedText } from '../api/redact.ts';
import type { CrashingPod } from './objects.ts';

const MOST_CHARACTERS = 1000;
/** Characters that are read of a text of a pod or an Event, which a user may write: redacting a megabyte takes seconds. */
const MOST_READ = 8_192;
/** A condition is read by people: the last lines say why a program failed. */
export function lastWords({ name, exitCode, message }: CrashingPod): string {
  const output = endOf(message, MOST_CHARACTERS);
  return `pod ${name} ended with exit code ${exitCode}${output ? `, and printed last: ${output}` : ''}`;
}

/**
 * The end of what a program printed, without its secrets. Redacted before the cut, which may part a secret from its name. The cut is between
 * characters, never in one.
 */
export const endOf = (output: string, characters: number): string =>
  [...redactedText(printable(output.slice(-MOST_READ))).trim()].slice(-characters).join('').trim();

/** The beginning of a text that others may have written, without its secrets. Redacted before the cut, as above. */
export const beginningOf = (text: string, characters: number): string =>
  [...redactedText(printable(text.slice(0, MOST_READ))).trim()].slice(0, characters).join('');

/** Colours and movements of a terminal, as ECMA-48 has them. Node's own function takes a second for 50 kB of their beginnings. */
// oxlint-disable-next-line no-control-regex -- they begin with one
const SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\^_]/g;

/** Without the colours and movements of a terminal, and without other characters that no text has. */
const printable = (text: string): string =>
  text
    .replaceAll(SEQUENCE, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t]/gu, '');
