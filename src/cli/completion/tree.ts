/** The parts of the command line that a shell can complete, read from commander's own tree. */
import type { Command, Option } from 'commander';

export interface Completable {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletableOption[];
  /** Choices of the first argument; empty without. */
  readonly choices: readonly string[];
}

export interface CompletableOption {
  /** Without dashes: `output`. */
  readonly long: string;
  /** Without its dash: `o`. */
  readonly short: string | undefined;
  readonly description: string;
  readonly value: OptionValue;
}

/** The words after an option: none, one of these, the name of a file, or a text that only its user knows. */
export type OptionValue = { readonly sort: 'none' | 'file' | 'text' } | { readonly sort: 'choices'; readonly choices: readonly string[] };

/** The commands of a program, whose definitions are all loaded. A command with sub-commands has their names as choices, and their options. */
export const completable = (program: Command): readonly Completable[] =>
  program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: once([...command.options, ...command.commands.flatMap((each) => each.options), HELP]).flatMap((option) => optionOf(option)),
    choices: command.registeredArguments[0]?.argChoices ?? command.commands.map((each) => each.name()),
  }));

const once = (options: readonly Described[]): readonly Described[] => [...new Map(options.map((option) => [option.long, option])).values()];

type Described = Pick<Option, 'long' | 'short' | 'description' | 'flags' | 'hidden' | 'argChoices'>;
const HELP: Described = {
  long: '--help',
  short: '-h',
  description: 'display help for command',
  flags: '-h, --help',
  hidden: false,
  argChoices: undefined,
} as unknown as Described;

function optionOf({ long, short, description, flags, hidden, argChoices }: Described): readonly CompletableOption[] {
  if (hidden || !long) return [];
  // Only the first sentence has room beside a name.
  const first = description.split(/[;(]|\. /)[0]?.trim() ?? '';
  return [{ long: long.slice(2), short: short?.slice(1), description: first, value: valueOf(flags, argChoices) }];
}

function valueOf(flags: string, choices: readonly string[] | undefined): OptionValue {
  if (choices) return { sort: 'choices', choices };
  const [, placeholder] = /[<[]([^<>[\]]*)[>\]]/.exec(flags) ?? [];
  if (placeholder === undefined) return { sort: 'none' };
  return { sort: /file|folder|directory|path/.test(placeholder) ? 'file' : 'text' };
}
