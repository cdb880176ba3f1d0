/** Controllers of cgroups of version 2, within a cgroup of the test's own: of the machine's, other nodes have theirs. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lendControllers, returnControllers } from '../../harness/node/cgroups.ts';
import { NODE_PREFIX, nodeLayout } from '../../harness/node/layout.ts';
import { canHaveNode } from '../support/real-node.ts';

const MACHINE = '/sys/fs/cgroup';
/** Beside hierarchies of version 1 there may be one of version 2, with those controllers that these leave it; nodes do not use it. */
const BESIDE = '/sys/fs/cgroup/unified';

const read = (cgroup: string, which: 'controllers' | 'subtree_control') =>
  readFileSync(join(cgroup, `cgroup.${which}`), 'utf8')
    .split(/\s+/)
    .filter(Boolean)
    .toSorted();
const write = (cgroup: string, sign: '+' | '-', name: string) => writeFileSync(join(cgroup, 'cgroup.subtree_control'), sign + name);

const hierarchy = [MACHINE, BESIDE].find((path) => existsSync(join(path, 'cgroup.controllers')));
const given = hierarchy === undefined ? [] : read(hierarchy, hierarchy === BESIDE ? 'controllers' : 'subtree_control');
const borrowed = hierarchy === BESIDE ? given.filter((name) => !read(BESIDE, 'subtree_control').includes(name)) : [];
const nothing = given.length === 0 ? ' (nothing to try: the machine gives on none of version 2)' : '';

describe.skipIf(!canHaveNode || given.length === 0)(`controllers${nothing}`, () => {
  let folder: string;
  let top: string;
  const cgroups: string[] = [];
  beforeAll(() => {
    for (const name of borrowed) write(BESIDE, '+', name);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-cgroups-'));
    top = make(join(hierarchy ?? '', `slu-test-${folder.slice(-6)}`));
  });
  afterEach(() => {
    for (const cgroup of cgroups.splice(0).toReversed()) if (existsSync(cgroup)) rmdirSync(cgroup);
    rmSync(folder, { recursive: true });
  });
  afterAll(() => {
    for (const name of borrowed) write(BESIDE, '-', name);
  });

  function make(cgroup: string): string {
    mkdirSync(cgroup);
    cgroups.push(cgroup);
    return cgroup;
  }

  /** The process group of a node's keeper; returns how it ends. */
  function start(name: string): () => void {
    const dir = join(folder, `${NODE_PREFIX}${name}`);
    mkdirSync(dir);
    const cgroup = make(join(top, nodeLayout(dir, '', 0).id));
    lendControllers(top, dir);
    return () => {
      rmdirSync(cgroup);
      returnControllers(top, dir);
      rmSync(dir, { recursive: true });
    };
  }

  test('are given on while there is a node, and then no longer', () => {
    const end = start('a');
    expect(read(top, 'subtree_control')).toEqual(given);
    end();
    expect(read(top, 'subtree_control')).toEqual([]);
  });

  test('stay while there is another, which takes them back in the end', () => {
    const [endFirst, endSecond] = [start('a'), start('b')];
    endFirst();
    expect(read(top, 'subtree_control')).toEqual(given);
    endSecond();
    expect(read(top, 'subtree_control')).toEqual([]);
  });

  test('that the machine gave on before are left as they are', () => {
    for (const name of given) write(top, '+', name);
    start('a')();
    expect(read(top, 'subtree_control')).toEqual(given);
  });
});
