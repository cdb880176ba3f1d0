import type { EnvVar } from '../api/index.ts';

type Texts = Readonly<Record<string, string>>;

const entriesOf = (map: Texts) => Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * A map in the order of its names: the order in which users write a map changes nothing that is made of it.
 * @example
 * sorted({ b: '2', a: '1' }); // → { a: '1', b: '2' }
 */
export const sorted = (map: Texts = {}): Texts => Object.fromEntries(entriesOf(map));

/**
 * The environment of a container from a map, in the order of names.
 * @example
 * environment({ B: '2', A: '1' }); // → [{ name: 'A', value: '1' }, { name: 'B', value: '2' }]
 */
export const environment = (map: Texts = {}): readonly EnvVar[] => entriesOf(map).map(([name, value]) => ({ name, value }));
