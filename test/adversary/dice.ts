/**
 * Choices that follow from a seed and from what is asked, not from how many came before: a program from which actions are taken away still
 * chooses the same things in the others. So a failing program can be shortened.
 */
export interface Dice {
  /** In [0, 1). */
  roll(question: string): number;
  /** True so often. */
  is(question: string, chance: number): boolean;
  /** From 0 to `end`, without `end`. */
  below(question: string, end: number): number;
  /** One of them: the same one for as long as it is among them. Throws when there are none. */
  pick<T>(question: string, items: readonly T[], nameOf?: (item: T) => string): T;
  /** So many of them. */
  some<T>(question: string, count: number, items: readonly T[], nameOf?: (item: T) => string): readonly T[];
  /** Other dice, for a part of what is decided. */
  of(part: string): Dice;
}

export function createDice(seed: string): Dice {
  const roll = (question: string): number => hash(`${seed}\n${question}`);
  const ranked = <T>(question: string, items: readonly T[], nameOf: (item: T) => string): readonly T[] =>
    items
      .map((item) => [roll(`${question}\n${nameOf(item)}`), item] as const)
      .toSorted(([a], [b]) => b - a)
      .map(([, item]) => item);
  return {
    roll,
    is: (question, chance) => roll(question) < chance,
    below: (question, end) => Math.floor(roll(question) * end),
    pick(question, items, nameOf = String) {
      const [first] = ranked(question, items, nameOf);
      if (first === undefined) throw new Error(`${question}: expected something to choose from`);
      return first;
    },
    some: (question, count, items, nameOf = String) => ranked(question, items, nameOf).slice(0, count),
    of: (part) => createDice(`${seed}/${part}`),
  };
}

/** FNV-1a with a finish that spreads its last bits; in [0, 1). */
function hash(text: string): number {
  let h = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01_00_01_93);
  h = Math.imul(h ^ (h >>> 16), 0x85_eb_ca_6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2_b2_ae_35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
