/** Chance of a simulation: everything that is drawn follows from one seed. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(among: readonly T[]): T;
  /** Another sequence, for another purpose: what one purpose draws does not move what another one does. */
  fork(purpose: string): Random;
}

/** sfc32 (Chris Doty-Humphrey's PractRand), seeded by a hash of the text. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = [hash(seed, 0x9e3779b9), hash(seed, 0x243f6a88), hash(seed, 0xb7e15162), 1];
  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 4_294_967_296;
  }
  for (let i = 0; i < 12; i++) next();
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick<T>(among: readonly T[]): T {
      if (among.length === 0) throw new Error('expected something to pick from');
      return among[int(0, among.length - 1)] as T;
    },
    fork: (purpose) => createRandom(`${seed}/${purpose}`),
  };
}

/** FNV-1a. */
export function hash(text: string, start = 0x811c9dc5): number {
  let value = start;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
