/** The node's cgroup: one of its name at the top of every hierarchy, of version 1 or 2. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NODE_PREFIX, nodeLayout } from './layout.ts';
import { mountsBelow } from './mounts.ts';

const TOP = '/sys/fs/cgroup';
/** In the node's folder: controllers that the machine did not give on before there were nodes. Of version 2 only. */
const LENT = 'cgroup-controllers';

export function makeCgroups(dir: string): void {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, idOf(dir)), { recursive: true });
  if (isUnified()) lendControllers(TOP, dir);
}

/** Removes the node's cgroups, innermost first; what still has processes stays, and throws. */
export function removeCgroups(dir: string): void {
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, idOf(dir)));
  if (isUnified()) returnControllers(TOP, dir);
}

/**
 * Has the top of a hierarchy of version 2 give all of its controllers on, to the node of `dir` among others. What is changed is written
 * down before it is, with what nodes beside this one have changed: the last of them puts it back, whoever that is.
 */
export function lendControllers(top: string, dir: string): void {
  const on = controllers(top, 'subtree_control');
  const off = controllers(top, 'controllers').filter((name) => !on.includes(name));
  const lent = new Set([...off, ...nodesBeside(top, dir).flatMap(lentTo)]);
  writeFileSync(join(dir, LENT), [...lent].join(' '));
  give(top, '+', controllers(top, 'controllers'));
}

/** Takes them back, unless another node is there; the cgroup of `dir` is gone already. */
export function returnControllers(top: string, dir: string): void {
  const lent = lentTo(dir);
  if (nodesBeside(top, dir).length > 0) return;
  give(top, '-', lent);
  // One that has come in between may have found them on.
  if (nodesBeside(top, dir).length > 0) give(top, '+', lent);
}

const idOf = (dir: string): string => nodeLayout(dir, '', 0).id;

/** The folders of other nodes that have a cgroup. */
const nodesBeside = (top: string, dir: string): readonly string[] =>
  readdirSync(dirname(dir))
    .filter((name) => name.startsWith(NODE_PREFIX) && name !== basename(dir))
    .map((name) => join(dirname(dir), name))
    .filter((other) => existsSync(join(top, idOf(other))));

function lentTo(dir: string): readonly string[] {
  try {
    return words(join(dir, LENT));
  } catch {
    // The process has written nothing yet, or is gone.
    return [];
  }
}

const controllers = (top: string, which: 'controllers' | 'subtree_control'): readonly string[] => words(join(top, `cgroup.${which}`));

const words = (file: string): readonly string[] => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);

/** A cgroup is removed as a folder, while the files in it cannot be. */
function removeTree(dir: string): void {
  if (!existsSync(dir)) return;
  for (const entry of readdirSync(dir, { withFileTypes: true })) if (entry.isDirectory()) removeTree(join(dir, entry.name));
  rmdirSync(dir);
}

/**
 * Not every controller can be given on, e.g. where the top has processes of its own; the kubelet says which it misses. One that another program
 * else gives on by now cannot be taken back.
 */
function give(top: string, sign: '+' | '-', names: readonly string[]): void {
  for (const name of names) {
    try {
      writeFileSync(join(top, 'cgroup.subtree_control'), sign + name);
    } catch {
      // As said.
    }
  }
}

function isUnified(): boolean {
  return existsSync(join(TOP, 'cgroup.controllers'));
}

/** Where the hierarchies are mounted; of links like cpu → cpu,cpuacct, what they lead to. */
function hierarchies(): readonly string[] {
  return mountsBelow(TOP)
    .filter(({ fsType }) => /^cgroup2?$/.test(fsType))
    .map(({ mountPoint }) => mountPoint);
}
