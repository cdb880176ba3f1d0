/** The pages of the documentation: their blocks of code, and what these say to type. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { chinesePages } from '../../scripts/zh/twins.ts';
import { COMMANDS } from '../../src/cli/program.ts';

export const root = join(import.meta.dirname, '../..');

export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Chinese pages have the blocks and tables of the English ones, which alone are tested. */
export const CHINESE = chinesePages(root);
export const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]
  .filter((page) => !CHINESE.includes(page))
  .toSorted();

interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
  /** Of a first line `// file` or `# file`: where the reader would put it. */
  readonly file: string | undefined;
  /** The file in a comment `<!-- from file -->` in front. */
  readonly from: string | undefined;
}

export const blocks: readonly Block[] = PAGES.flatMap((page) =>
  [...read(page).matchAll(/(?:<!-- from (\S+) -->\n)?^```(\w*)\n(.*?)^```$/gms)].map(([, from, language = '', text = '']) => {
    const [, file] = /^(?:\/\/|#) ([\w./-]+\.(?:ts|json|yaml|py))\n/.exec(text) ?? [];
    return { page, language, text, file, from };
  }),
);

// Pages that a test of their own follows from their first line to their last.
export const TUTORIAL = 'docs/adding-a-runtime.md';
export const PLAYGROUND = 'docs/playground.md';
export const PYTHON = 'docs/python.md';

export const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };

/** The first line that does not stand in the text, after the one before; a line `…`, or `// …`, stands for any. */
export function between(text: string, wanted: string): string | undefined {
  const lines = text.split('\n');
  let at = 0;
  let maySkip = true;
  for (const line of wanted.trimEnd().split('\n')) {
    if (/^\s*(\/\/ |# )?…$/.test(line)) {
      maySkip = true;
      continue;
    }
    const found = maySkip ? lines.indexOf(line, at) : lines[at] === line ? at : -1;
    if (found === -1) return line;
    at = found + 1;
    maySkip = false;
  }
  return undefined;
}

export interface Transcript {
  readonly command: string;
  readonly answer: string;
}

export function transcripts(text: string): readonly Transcript[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ command: part.split('\n')[0] ?? '', answer: part.split('\n').slice(1).join('\n') }));
}

/** A command, or its sub-command if the next word names one. */
export async function commandNamed(name: string, next?: string): Promise<Command> {
  const known = COMMANDS.find((each) => each.name === name);
  if (!known) throw new Error(`no command of sluice is called ${name}`);
  const { define } = await known.load();
  const command = new Command(name);
  await define(command, { runtimes: async () => runtimes, resources: async () => [] });
  return command.commands.find((each) => each.name() === next) ?? command;
}
