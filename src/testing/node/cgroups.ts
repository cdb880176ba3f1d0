/** The node's cgroup: one of its name at the top of every hierarchy, of version 1 or 2. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOP = '/sys/fs/cgroup';

export function makeCgroups(id: string): void {
  for (const hierarchy of hierarchies()) mkdirSync(join(hierarchy, id), { recursive: true });
  if (isUnified()) {
    const controllers = readFileSync(join(TOP, 'cgroup.controllers'), 'utf8').trim().split(' ');
    for (const controller of controllers) enable(controller);
  }
}

/** Removes the node's cgroups, innermost first; what still has processes stays, and throws. */
export function removeCgroups(id: string): void {
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, id));
}

/** A cgroup is removed as a folder, while the files in it cannot be. */
function removeTree(dir: string): void {
  if (!existsSync(dir)) return;
  for (const entry of readdirSync(dir, { withFileTypes: true })) if (entry.isDirectory()) removeTree(join(dir, entry.name));
  rmdirSync(dir);
}

/** Not every controller can be given on, e.g. where the top has processes of its own; the kubelet says which it misses. */
function enable(controller: string): void {
  try {
    writeFileSync(join(TOP, 'cgroup.subtree_control'), `+${controller}`);
  } catch {
    // As said.
  }
}

function isUnified(): boolean {
  return existsSync(join(TOP, 'cgroup.controllers'));
}

/** Where the hierarchies are mounted; of links like cpu → cpu,cpuacct, what they lead to. */
function hierarchies(): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path === TOP || path.startsWith(`${TOP}/`));
}
