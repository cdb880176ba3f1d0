import type { InputFault } from '../input/documents.ts';
import { BadInput } from '../input/faults.ts';
import { passedOver } from '../input/passed-over.ts';
import { secondFaults } from '../input/pairs.ts';
import type { InputObjects } from '../input/read.ts';
import { among, type Lookup } from '../synth/lookup.ts';
import { type RenderOptions, renderValid } from '../synth/render.ts';
import { warningLines } from '../synth/warnings.ts';
import type { Findings } from './print.ts';

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

/** Faults and warnings, in the words of `diff`. */
export interface Checked {
  /** Without those of objects that are missing. */
  readonly faults: readonly InputFault[];
  readonly warnings: readonly string[];
}

/** The faults of the input alone. All that can be rendered from it is, and nothing of that is printed. */
export async function checkOffline(input: InputObjects, options: CheckOptions): Promise<Findings> {
  const { faults, warnings } = await checked(input, options);
  return { faults, notes: [...warnings, ...passedOver(input)], objects: input.all.length };
}

type CheckOptions = Pick<RenderOptions, 'settings' | 'runtimes'>;

/** @param elsewhere has what is known beside the input */
export async function checked(input: InputObjects, { settings, runtimes }: CheckOptions, elsewhere: Lookup = among([])): Promise<Checked> {
  const known = { ...settings, image: settings.image ?? ANY_IMAGE };
  const rendered = await renderValid(input, { settings: known, runtimes, elsewhere, assumeSecrets: true });
  return {
    faults: rendered.faults.filter(({ missing }) => !missing),
    // Warnings may be about objects whose other half is not in the input.
    warnings: rendered.faults.length > 0 ? [] : warningLines(rendered),
  };
}
