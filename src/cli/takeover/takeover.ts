import { addCommands, type CommandRow, type Define } from '../command.ts';

/** In the order of a take-over. */
export const SUBCOMMANDS: readonly CommandRow[] = [
  { name: 'plan', summary: 'print what a take-over would do to each object, and what has to be decided', load: () => import('./plan.ts') },
];

const EXAMPLES = `
Examples:
  sluice takeover plan                                          read the cluster, and print what would happen
  sluice takeover plan --write-values sluice-values.yaml        and write the values for \`sluice install\`

\`sluice takeover <command> --help\` shows more.`;

export const define: Define = async (command, parts, isWanted = () => true) => {
  command.addHelpText('after', EXAMPLES);
  await addCommands(command, SUBCOMMANDS, parts, isWanted);
};
