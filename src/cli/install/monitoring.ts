import { monitoringFiles } from '../../install/index.ts';
import type { Define } from '../command.ts';
import { say } from '../terminal.ts';
import { writeFiles } from './files.ts';
import type { Flags } from './flag-names.ts';
import { installFlags, wantedBy } from './wanted.ts';

const EXAMPLES = `
Examples:
  sluice monitoring build/monitoring
  sluice monitoring build/monitoring --values values.yaml     for the installation of these values

The files:
  sluice-rules.yaml     the alerts, for \`rule_files\` of Prometheus
  sluice-scrape.yaml    how it finds and scrapes Sluice, for \`scrape_config_files\` or \`scrape_configs\`
  boards/*.json         boards of Grafana
  sluice-operator.yaml  all of it for the Prometheus operator, as \`sluice install --monitoring\` prints them

The values say which parts are installed, in which namespace, and how often they are scraped.

Exit codes:
  0  written
  2  bad usage or bad values`;

export const define: Define = (command, parts) => {
  installFlags(command.argument('<directory>', 'where the files are written; files of the same names are replaced'))
    .addHelpText('after', EXAMPLES)
    .action(async (directory: string, flags: Flags) => {
      // The image is not written.
      const { options } = await wantedBy({ ...flags, image: flags.image ?? 'sluice' }, parts);
      const files = monitoringFiles(options);
      writeFiles(directory, files);
      say(`${directory}: ${files.size} files that watch Sluice in ${options.namespace}`);
    });
};
