/** A text that takes little memory: how it differs from another. */
export interface Packed {
  /** The other one, divided at quotation marks. */
  readonly base: readonly string[];
  /** Index and content of each part that is another, with quotation marks between: no part has one. */
  readonly differences: string;
}

/**
 * Packs JSON texts that have much in common, such as templates of one kind of runtime: beside the first of a shape only names and paths are
 * kept. To deflate them would leave a fifth of that, and cost each admission more time than everything else.
 */
export function createPacker(): (text: string) => Packed {
  /** By their number of parts. */
  const bases = new Map<number, readonly string[]>();
  return (text) => {
    const parts = text.split('"');
    const base = bases.get(parts.length) ?? parts;
    bases.set(parts.length, base);
    return { base, differences: parts.flatMap((part, i) => (part === base[i] ? [] : [i, part])).join('"') };
  };
}

export function unpacked({ base, differences }: Packed): string {
  if (differences === '') return base.join('"');
  const parts = [...base];
  const given = differences.split('"');
  for (let i = 0; i < given.length; i += 2) parts[Number(given[i])] = given[i + 1] ?? '';
  return parts.join('"');
}
