/** The commands of the program with their exit codes and flags, as their own help says. */
import { Command } from 'commander';
import { runtimes } from '../../runtimes/_all.gen.ts';
import { COMMANDS } from '../../src/cli/program.ts';
import { code, table } from './markdown.ts';

/** Each command, and each sub-command after the command that has it. */
async function allCommands(): Promise<readonly Command[]> {
  const known = await Promise.all(
    COMMANDS.map(async ({ name, summary, load }) => {
      const { define } = await load();
      const command = new Command(name).summary(summary).description(summary);
      await define(command, { runtimes: async () => runtimes, resources: async () => [] }, () => true);
      return command;
    }),
  );
  return known.flatMap((command) => [command, ...command.commands]);
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

/** `0  done` and so on, with the lines that continue a text. */
function exitCodesOf(help: string): readonly (readonly string[])[] {
  const [, lines = ''] = /^Exit codes[^\n]*:\n((?: {2,}[^\n]*\n?)+)/m.exec(help) ?? [];
  return [...lines.matchAll(/^ {2}(\d+) +(.*(?:\n {4,}.*)*)/gm)].map(([, number = '', text = '']) => [
    number,
    text.replaceAll(/\s+/g, ' '),
  ]);
}

const flagRows = ({ options }: Command): readonly (readonly string[])[] =>
  options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, argChoices, defaultValue }) => [
      code(flags),
      description + (argChoices ? `: ${argChoices.join(', ')}` : ''),
      defaultValue === undefined || defaultValue === true ? '' : code(String(defaultValue)),
    ]);

function sectionOf(command: Command): string {
  const called = command.parent?.name() ? `${command.parent.name()} ${command.name()}` : command.name();
  const codes = exitCodesOf(helpOf(command));
  const flags = flagRows(command);
  const usage = command.registeredArguments.map((each) => {
    const word = each.name() + (each.variadic ? '...' : '');
    return each.required ? `<${word}>` : `[${word}]`;
  });
  return [
    `## ${called}`,
    `${code(['sluice', called, ...usage].join(' '))}: ${command.summary() || command.description()}.`,
    ...(codes.length === 0 ? [] : [table(['exit code', 'means'], codes)]),
    ...(flags.length === 0 ? [] : [table(['flag', 'what it says', 'default'], flags)]),
  ].join('\n\n');
}

export const commandTables: Readonly<Record<string, () => Promise<string>>> = {
  commands: async () => (await allCommands()).map(sectionOf).join('\n\n'),
};
