import { stripVTControlCharacters } from 'node:util';
import { redactedText } from '../../api/redact.ts';
import type { EndedPod } from './world.ts';

const MOST_CHARACTERS = 1000;
/** A condition is read by people: the last lines say why a program failed. */
export function lastWords({ name, exitCode, message }: EndedPod): string {
  // Redacted before the cut, which may part a secret from its name. The cut is between characters, never in one.
  const output = [...redactedText(printable(message)).trim()].slice(-MOST_CHARACTERS).join('').trim();
  return `pod ${name} ended with exit code ${exitCode}${output ? `, and printed last: ${output}` : ''}`;
}

/** Without the colours and movements of a terminal, and without other characters that no text has. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{C}\n\t]/gu, '');
