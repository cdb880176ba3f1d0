import { Argument } from 'commander';
import type { Define } from '../command.ts';
import { sayText } from '../terminal.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { completable, type Completable } from './tree.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly Completable[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const EXAMPLES = `
Commands, options and their choices are completed, and names of files. Names of objects are not: that would ask the
cluster at each Tab.

Examples:
  source <(sluice completion bash)                             for this shell; in ~/.bashrc, for each
  sluice completion zsh > "\${fpath[1]}/_sluice"                for zsh, once
  sluice completion fish > ~/.config/fish/completions/sluice.fish`;

export const define: Define = (command) => {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', EXAMPLES)
    .action((shell: string) => sayText(SCRIPTS[shell]?.(completable(command.parent ?? command)) ?? ''));
};
