/** Values of a tree by their paths: `runtime.mountRoot`. */
import { isRecord } from '../../api/is-record.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Paths of what is no map, or an empty one. */
export function leavesOf(tree: Tree, before = ''): readonly string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = before === '' ? key : `${before}.${key}`;
    return isRecord(value) && Object.keys(value).length > 0 ? leavesOf(value, path) : [path];
  });
}

export function valueAt(tree: Tree, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), tree);
}

/** The tree with this value. */
export function withValue(tree: Tree, path: string, value: unknown): Tree {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...tree, [key]: value };
  const below = tree[key];
  return { ...tree, [key]: withValue(isRecord(below) ? below : {}, rest.join('.'), value) };
}

/** Whether a path has this pattern: `*` is any one key, `**` at the end whatever is below, and what it stands on. */
export function hasPattern(path: string, pattern: string): boolean {
  const [keys, wanted] = [path.split('.'), pattern.split('.')];
  const open = wanted.at(-1) === '**';
  const fixed = open ? wanted.slice(0, -1) : wanted;
  return (open ? keys.length >= fixed.length : keys.length === fixed.length) && fixed.every((key, i) => key === '*' || key === keys[i]);
}
