import { chartFiles } from '../../install/index.ts';
import type { Define } from '../command.ts';
import { UsageError } from '../errors.ts';
import { allParts, configOption } from '../settings/config-file.ts';
import { say } from '../terminal.ts';
import { version } from '../version.ts';
import { daemonTypes } from './daemons.ts';
import { writeFiles } from './files.ts';

const EXAMPLES = `
Examples:
  sluice chart build/sluice
  helm install sluice build/sluice --namespace fluid-system --create-namespace --values values.yaml

The values are those of \`sluice install --values\`, but for the namespace, which is the release's. CRDs are in the chart's folder crds:
Helm creates those that are missing, and neither changes nor deletes any. After an upgrade:
  kubectl apply --server-side --force-conflicts -f build/sluice/crds

Exit codes:
  0  written
  2  bad usage`;

export const define: Define = (command, parts) => {
  command
    .argument('<directory>', 'where the chart is written; files of the same names are replaced')
    .option('--image <image>', `the image of Sluice that values.yaml names (default: sluice:${version()})`)
    .addOption(configOption())
    .addHelpText('after', EXAMPLES)
    .action(async (directory: string, flags: { readonly image?: string; readonly config?: string }) => {
      const { runtimes, resources, furtherRuntimes } = await allParts(parts, flags.config);
      if (furtherRuntimes && flags.image === undefined)
        throw new UsageError('--image: expected the image that `sluice image` built with the runtimes of --config, found none');
      const files = chartFiles({
        version: version(),
        image: flags.image ?? `sluice:${version()}`,
        resources,
        runtimes,
        daemons: daemonTypes(runtimes),
        furtherRuntimes,
      });
      writeFiles(directory, files);
      say(`${directory}: ${files.size} files of the chart sluice ${version()}`);
    });
};
