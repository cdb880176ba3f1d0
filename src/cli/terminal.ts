/**
 * All that commands write to standard output and standard error. Texts of tenants, such as messages of events, names and values, could have
 * characters that a terminal obeys (CVE-2021-25743): they are written as JSON escapes them, and a text of several lines is indented, so that
 * it forges no line of the command's own. No other command writes to these streams: a test looks. An exec plugin of a kubeconfig, which asks
 * its user at the terminal, writes its own texts there.
 */
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { oneLine } from '../api/index.ts';

type Style = Parameters<typeof styleText>[0];
interface Styled {
  readonly style: Style;
  readonly text: string;
}
/** A line of a report: texts side by side, of whoever has written them. */
export type Line = string | readonly (string | Styled)[];

/** A text in this style, if the stream has colours. */
export const styled = (style: Style, text: string): Styled => ({ style, text });

/** Escapes what a terminal would obey, and what reverses or hides text, as JSON does: JSON keeps its meaning. Lines and tabs stay. */
export const visible = (text: string): string => text.replace(/[^\n\t]+/g, oneLine);

/** The text of lines without colours. */
export const plain = (lines: readonly Line[]): string => textOf(lines, (_, text) => text);

/** Writes lines to standard output. */
export const say = (...lines: readonly Line[]): void => void process.stdout.write(coloured(lines, process.stdout));

/** Writes lines to standard error. */
export const complain = (...lines: readonly Line[]): void => void process.stderr.write(coloured(lines, process.stderr));

/** Writes a text of our own that has several lines, such as help or a stack. */
export const sayText = (text: string): void => void process.stdout.write(visible(text));
export const complainText = (text: string): void => void process.stderr.write(visible(text));

/** Writes what a program reads, such as a script, as it is; to a terminal as people can read it. */
export const sayExactly = (text: string): void => void process.stdout.write(process.stdout.isTTY ? visible(text) : text);

/** For text in which nothing is left to escape, and too much of it to be written at once. */
export const standardOutput = (): Writable => process.stdout;

const coloured = (lines: readonly Line[], stream: NodeJS.WriteStream): string =>
  textOf(lines, (style, text) => styleText(style, text, { stream }));

function textOf(lines: readonly Line[], paint: (style: Style, text: string) => string): string {
  return lines
    .map((line) => {
      const pieces = typeof line === 'string' ? [line] : line;
      const [first = ''] = pieces;
      const [margin = ''] = /^ */.exec(typeof first === 'string' ? first : first.text) ?? [];
      const indented = (text: string) => visible(text).replace(/\n/g, `\n${margin}    `);
      return `${pieces.map((piece) => (typeof piece === 'string' ? indented(piece) : paint(piece.style, indented(piece.text)))).join('')}\n`;
    })
    .join('');
}
