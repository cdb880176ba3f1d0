import { crdOf } from '../../api/crd.ts';
import type { Define } from '../command.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { type OutputFormat, outputOption, print } from '../output.ts';

const EXAMPLES = `
Examples:
  sluice crds | kubectl apply --server-side -f -
  sluice crds -o json | jq -r '.items[].metadata.name'

Exit codes:
  0  printed
  2  bad usage`;

export const define: Define = (command, parts) => {
  command
    .addOption(configOption())
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async ({ config, output }: { readonly config?: string; readonly output: OutputFormat }) => {
      const theirs = await allRuntimes([], config);
      const resources = [...(await parts.resources()), ...theirs.flatMap(({ resource, companions }) => [resource, ...companions])];
      await print(resources.map(crdOf), output);
    });
};
