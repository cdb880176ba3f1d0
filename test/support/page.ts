/** The blocks of a documentation page, for tests that do what the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The file in a first line `# file`: where the reader would put it. */
  readonly file: string | undefined;
}

export function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(import.meta.dirname, '../..', page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({
    language,
    text: body,
    file: /^# ([\w.-]+\.\w+)\n/.exec(body)?.[1],
  }));
}
