import type { Runtime } from '../../constructs/contract.ts';
import { inRegistry } from '../../constructs/index.ts';
import type { Define } from '../command.ts';
import { allRuntimes, configOption } from '../settings/config-file.ts';
import { complete, registryOf } from '../settings/config-values.ts';
import { sayExactly } from '../terminal.ts';
import { version } from '../version.ts';

const EXAMPLES = `
Examples:
  sluice images
  sluice images -o json | jq -r '.[].image' | sort -u
  sluice images --registry registry.example/mirror -o json |
    jq -r '.[] | select(.of != "sluice") | "docker://\\(.image) docker://\\(.mirror)"' | sort -u | xargs -L 1 skopeo copy --all

Images in specs, profiles and classes of users are not listed, and --registry changes none of them. "sluice" is the image
of Sluice itself; \`sluice install --image\` names another one. For the others a variable of the controller does.

Exit codes:
  0  printed
  2  bad usage`;

interface Flags {
  readonly registry?: string;
  readonly config?: string;
  readonly output: 'text' | 'json';
}

/** One default image. */
interface Row {
  readonly image: string;
  /** The same in the registry that was asked for. */
  readonly mirror?: string;
  /** The type of a runtime, or `sluice`. */
  readonly of: string;
  /** The name by which operators say another image: a flag of `sluice install`, or a variable of the controller. */
  readonly setBy: string;
}

export const define: Define = (command, parts) => {
  command
    .option('--registry <registry>', 'also print where each image is with `sluice install --registry`')
    .addOption(configOption())
    .addOption(command.createOption('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async ({ registry: text, config, output }: Flags) => {
      const registry = complete((read) => read('--registry', text, registryOf, undefined));
      const rows = rowsOf(await allRuntimes(await parts.runtimes(), config), registry);
      sayExactly(output === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : textOf(rows));
    });
};

function rowsOf(runtimes: readonly Runtime[], registry: string | undefined): readonly Row[] {
  const row = (image: string, of: string, setBy: string): Row => ({
    image,
    ...(registry !== undefined && { mirror: inRegistry(image, registry) }),
    of,
    setBy,
  });
  return [
    row(`sluice:${version()}`, 'sluice', '--image'),
    ...runtimes.flatMap(({ type, images }) => images.map(({ image, variable }) => row(image, type, variable))),
  ];
}

/** Columns side by side, as kubectl prints them. */
function textOf(rows: readonly Row[]): string {
  const lines = [
    ['IMAGE', ...(rows[0]?.mirror === undefined ? [] : ['MIRROR']), 'OF', 'SET BY'],
    ...rows.map(({ image, mirror, of, setBy }) => [image, ...(mirror === undefined ? [] : [mirror]), of, setBy]),
  ];
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines.map((line) => `${line.map((cell, i) => (i < line.length - 1 ? cell.padEnd(widths[i] ?? 0) : cell)).join('  ')}\n`).join('');
}
