import type { KubeObject } from '../../src/kube/types.ts';
import type { Dice } from './dice.ts';
import { claims, type Groups, keys, names, references, texts, where } from './words.ts';
import type { World } from './world.ts';

/** The words of one program: most often a few of each, so that its actions come to concern each other. */
export interface Pool {
  readonly world: World;
  name(dice: Dice): string;
  text(dice: Dice): string;
  key(dice: Dice): string;
  reference(dice: Dice): string;
  /** Name of a claim that exists somewhere, or any name. */
  claim(dice: Dice): string;
  /** One of these, most often one of a few. */
  among<T>(dice: Dice, what: string, all: readonly T[], count: number, nameOf?: (item: T) => string): T;
  /** One of one of the groups, most often one of a few. */
  ofGroups<T>(dice: Dice, what: string, groups: Groups<T>, nameOf?: (item: T) => string): T;
  /** Remembers the object as one of the last that the program wrote. */
  touch(object: KubeObject): void;
  /** The objects among these that the program wrote last. */
  touched(all: readonly KubeObject[]): readonly KubeObject[];
}

/** How often a choice is among the few. */
const FOCUSED = 0.8;
/** So many different choices of a kind a program has then. */
const FEW = 5;
const REMEMBERED = 4;

export function createPool(world: World, theme: Dice): Pool {
  let last: readonly string[] = [];
  function among<T>(dice: Dice, what: string, all: readonly T[], count: number, nameOf: (item: T) => string = String): T {
    const few = dice.is(`a usual ${what}`, FOCUSED) ? theme.some(what, count, all, nameOf) : all;
    return dice.pick(what, few, nameOf);
  }
  function ofGroups<T>(dice: Dice, what: string, groups: Groups<T>, nameOf: (item: T) => string = String): T {
    const isUsual = dice.is(`a usual ${what}`, FOCUSED);
    const from = isUsual ? theme.of(`${what} ${dice.below(`which ${what}`, FEW)}`) : dice.of(what);
    const group = from.pick(
      'group',
      Object.keys(groups).filter((each) => (groups[each]?.length ?? 0) > 0),
    );
    return from.pick('one of it', groups[group] ?? [], nameOf);
  }
  /** A recently written object comes again: as a name, or as the target of a reference. */
  const lastOf = (isOne: (object: KubeObject) => boolean) =>
    world.server.all().filter((object) => last.includes(where(object)) && isOne(object));
  function orLast(
    dice: Dice,
    what: string,
    chance: number,
    of: readonly KubeObject[],
    text: (object: KubeObject) => string,
    or: () => string,
  ) {
    return of.length > 0 && dice.is(`the last ${what}`, chance) ? text(dice.pick(`last ${what}`, of, where)) : or();
  }
  const name = (dice: Dice) =>
    orLast(
      dice,
      'name',
      0.2,
      lastOf(() => true),
      ({ metadata }) => metadata.name,
      () => ofGroups(dice, 'name', names(world)),
    );
  const isDataset = ({ kind }: KubeObject) => kind === 'Dataset';
  return {
    world,
    among,
    ofGroups,
    name,
    text: (dice) => ofGroups(dice, 'text', texts(world), ({ is }) => is).text,
    key: (dice) => among(dice, 'key', keys(world), 4),
    reference: (dice) =>
      orLast(
        dice,
        'Dataset',
        0.35,
        lastOf(isDataset),
        ({ metadata }) => `dataset://${metadata.namespace}/${metadata.name}`,
        () => ofGroups(dice, 'reference', references(world)),
      ),
    claim: (dice) => (dice.is('a claim that exists', 0.7) ? among(dice, 'claim', claims(world), 3) : name(dice)),
    touch(object) {
      last = [where(object), ...last.filter((each) => each !== where(object))].slice(0, REMEMBERED);
    },
    touched: (all) => all.filter((object) => last.includes(where(object))),
  };
}
