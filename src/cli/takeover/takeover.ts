import { addCommands, type CommandRow, type Define } from '../command.ts';

/** In the order of a take-over. */
export const SUBCOMMANDS: readonly CommandRow[] = [
  { name: 'plan', summary: 'print what a take-over would do to each object, and what has to be decided', load: () => import('./plan.ts') },
  {
    name: 'try',
    summary: "have Sluice's controller serve some namespaces, while Fluid's serve the others",
    load: () => import('./try.ts'),
  },
  { name: 'go', summary: 'take over from Fluid, step by step', load: () => import('./go.ts') },
  { name: 'status', summary: 'say which steps of a take-over are done, and what is left', load: () => import('./status.ts') },
  { name: 'back', summary: 'return to Fluid', load: () => import('./back.ts') },
  { name: 'finish', summary: 'delete what only Fluid needs', load: () => import('./finish.ts') },
];

const EXAMPLES = `
Examples:
  sluice takeover plan                                          read the cluster, and print what would happen
  sluice takeover plan --write-values sluice-values.yaml        and write the values for \`sluice install\`
  sluice takeover try --namespace ml --image registry.example/sluice:1
                                                                serve the namespace ml, and no other
  sluice takeover go --values sluice-values.yaml --dry-run      print the steps
  sluice takeover go --values sluice-values.yaml                take over
  sluice takeover status                                        what is done, and what is left
  sluice takeover back                                          return to Fluid

\`sluice takeover <command> --help\` shows more.`;

export const define: Define = async (command, parts, isWanted = () => true) => {
  command.addHelpText('after', EXAMPLES);
  await addCommands(command, SUBCOMMANDS, parts, isWanted);
};
