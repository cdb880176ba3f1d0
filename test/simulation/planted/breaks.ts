import type { PlantedFault } from '../../support/planted.ts';

type Edit = readonly [file: string, find: string, replace: string];

/** A planted fault: the modules, the text in each that holds an invariant, and what stands in its place. */
export const breaks = (name: string, reason: string, ...edits: readonly Edit[]): PlantedFault => ({
  name,
  reason,
  edits: edits.map(([file, find, replace]) => ({ file, find, replace })),
});
