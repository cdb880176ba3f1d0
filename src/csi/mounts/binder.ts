/** Binds sources at targets, by the scripts of bind-script.ts. */
import { basename, dirname } from 'node:path';
import { type BindMount, shows } from './binding.ts';
import { isHarmless, isWithin, type MountInfo, mountOf, optionsOf } from './mountinfo.ts';
import { check, NotBound } from './not-bound.ts';
import { FileSystemSilent, type Reach } from './reach.ts';
import type { Scratch } from './scratch.ts';
import type { Ended } from './shells.ts';
import type { MountWatch } from './watch.ts';

export interface Binder {
  /** @throws NotBound */
  bind(binding: BindMount): Promise<void>;
  /** Goes to the source as `bind` does, and mounts nothing. @throws NotBound where `bind` would not reach it */
  look(binding: BindMount): Promise<void>;
}

export interface BinderOptions {
  readonly watch: MountWatch;
  readonly reach: Reach;
  readonly scratch: Scratch;
  /** How long a child may take to reach a source, ms. */
  readonly bindMs: number;
}

export function createBinder({ watch, reach, scratch, bindMs }: BinderOptions): Binder {
  /** Runs a program that may hang with the file system. */
  async function reached({ mount, fusePath }: BindMount, argv: readonly [string, ...string[]]): Promise<Ended> {
    try {
      const device = watch.last().find(({ id }) => id === mount)?.device;
      return await reach(device ?? fusePath, argv, bindMs);
    } catch (error) {
      if (error instanceof FileSystemSilent)
        throw new NotBound('later', `${fusePath} has not answered since ${error.since}`, { cause: error });
      throw error;
    }
  }

  async function goTo(by: 'sluice_bind' | 'sluice_look', binding: BindMount, place: string): Promise<void> {
    const { readOnly, inPlace, target, source } = binding;
    const on = mountOf(watch.last(), source);
    const options = on && isDone(on, readOnly) ? '' : optionsFor(on, readOnly);
    const args = [...wayTo(binding), target, options, place, inPlace ? 'in place' : '', readOnly ? 'private' : 'slave'];
    check(await reached(binding, [by, ...args]), binding);
  }

  /** In steps: bound where only the plugin sees it, checked, made read-only, and then moved to the target. */
  async function assemble(binding: BindMount, place: string): Promise<void> {
    const { readOnly, inPlace, isFile, source, target } = binding;
    const peers = readOnly ? 'private' : 'slave';
    const gathered = isFile
      ? await reached(binding, [
          'sluice_gather_file',
          ...wayTo({ ...binding, source: dirname(source) }),
          '',
          peers,
          place,
          basename(source),
        ])
      : await reached(binding, ['sluice_gather', ...wayTo(binding), '', peers, place]);
    check(gathered, binding);
    const parts = async () => (await watch.now()).filter(({ mountPoint }) => isWithin(mountPoint, place));
    let there = await parts();
    const [top] = there;
    if (isFile && !(top && shows({ ...top, readOnly: false }, watch.last(), source)))
      throw new NotBound('escaped', `${source}: leads through a symbolic link, which is not allowed`);
    const open = there.filter((mount) => !isDone(mount, readOnly));
    // Each in a time of its own: a client may have thousands of mounts.
    for (let i = 0; i < open.length; i += AT_A_TIME) {
      const some = open.slice(i, i + AT_A_TIME);
      check(
        await reached(binding, ['sluice_harden', ...some.flatMap((mount) => [mount.mountPoint, optionsFor(mount, readOnly)])]),
        binding,
      );
    }
    if (open.length > 0) there = await parts();
    // No mount is better than one with a part that can be written.
    if (there.length === 0 || !there.every((mount) => isDone(mount, readOnly)))
      throw new NotBound(
        'failed',
        `mount ${source} on ${target}: not all that is mounted below it could be made ${readOnly ? 'read-only, ' : ''}nosuid and nodev`,
      );
    check(await reached(binding, ['sluice_move', place, target, inPlace ? 'in place' : '']), binding);
  }

  return {
    async bind(binding) {
      const { apart, whole, isFile, inPlace } = binding;
      const inSteps = whole || isFile === true;
      if (!apart && !inSteps && !inPlace) return goTo('sluice_bind', binding, '');
      return scratch.at(isFile ? 'file' : 'directory', (place) =>
        inSteps ? assemble(binding, place) : goTo('sluice_bind', binding, place),
      );
    },

    look: (binding) => goTo('sluice_look', binding, ''),
  };
}

/** For scripts: where it is mounted, by which mount, the path from there, and the whole path. */
function wayTo({ mount, fusePath, source }: BindMount): readonly string[] {
  const below = source === fusePath ? '.' : source.slice(fusePath.length + 1);
  return [fusePath, mount === undefined ? '' : String(mount), below, source];
}

/** How many mounts one program changes, each by a child of its own that takes some ms. */
const AT_A_TIME = 200;

const KEPT = new Set(['noexec', 'noatime', 'nodiratime', 'relatime', 'nosymfollow']);

/** Whether a mount is as a consumer may have it. */
const isDone = (mount: MountInfo, readOnly: boolean): boolean => isHarmless(mount) && (mount.readOnly || !readOnly);

/** A remount takes the place of all options: what a client may not do stays so. */
const optionsFor = (mount: MountInfo | undefined, readOnly: boolean): string =>
  [
    readOnly || mount?.readOnly === true ? 'ro' : 'rw',
    'nosuid',
    'nodev',
    ...(mount ? optionsOf(mount).split(',') : []).filter((option) => KEPT.has(option)),
  ].join(',');
