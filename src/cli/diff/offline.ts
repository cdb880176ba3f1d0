import { BadInput } from '../input/faults.ts';
import { passedOver } from '../input/passed-over.ts';
import { secondFaults } from '../input/pairs.ts';
import type { InputObjects } from '../input/read.ts';
import { among } from '../synth/lookup.ts';
import { type RenderOptions, renderAll } from '../synth/render.ts';
import { warningLines } from '../synth/warnings.ts';
import { complain, say } from '../terminal.ts';

/**
 * The faults that no cluster can mend, so that one that does not answer hides none of them.
 * @throws BadInput
 */
export function throwFaults(input: InputObjects): void {
  const faults = [...input.faults, ...secondFaults(input)];
  if (faults.length > 0) throw new BadInput(faults);
}

/** Nothing that is rendered is printed. */
const ANY_IMAGE = 'sluice';

/**
 * Renders all that can be rendered from the input alone, and prints that it has no faults.
 * @throws BadInput
 */
export async function checkOffline(
  input: InputObjects,
  { settings, runtimes }: Pick<RenderOptions, 'settings' | 'runtimes'>,
): Promise<void> {
  try {
    const known = { ...settings, image: settings.image ?? ANY_IMAGE };
    const rendered = await renderAll(input, { settings: known, runtimes, elsewhere: among([]), assumeSecrets: true });
    complain(...warningLines(rendered));
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const faults = error.faults.filter(({ missing }) => !missing);
    if (faults.length > 0) throw new BadInput(faults);
  }
  complain(...passedOver(input));
  const { length } = input.all;
  say(`No faults in ${length} ${length === 1 ? 'object' : 'objects'}. They were not compared with a cluster.`);
}
