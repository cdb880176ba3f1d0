import type { Command } from 'commander';
import type { CustomResource } from '../api/resource.ts';
import type { Runtime } from '../constructs/contract.ts';

/** The runtimes and resources of the package, loaded when a command needs them. */
export interface Package {
  runtimes(): Promise<readonly Runtime[]>;
  resources(): Promise<readonly CustomResource[]>;
}

/**
 * Adds arguments, options, examples and the action to a command. An action with an exit code other than 0 sets `process.exitCode`.
 *
 * @param isWanted whether the command line may call a sub-command of this name. Default: each
 */
export type Define = (command: Command, parts: Package, isWanted?: IsWanted) => void | Promise<void>;
export type IsWanted = (name: string) => boolean;

/** A command, whose module is loaded when it is called. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: Define }>;
}

/** The values of an option that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Adds these commands. Only those that are wanted are loaded: for the others, help needs no more than name and summary. */
export async function addCommands(parent: Command, rows: readonly CommandRow[], parts: Package, isWanted: IsWanted): Promise<void> {
  for (const { name, summary, load } of rows) {
    const command = parent.command(name).summary(summary).description(summary);
    if (isWanted(name)) await (await load()).define(command, parts, isWanted);
  }
}
