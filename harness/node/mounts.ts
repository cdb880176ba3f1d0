/** The machine's mount table, as far as a test node is concerned. */
import { readFileSync } from 'node:fs';
import { isWithin, type MountInfo, parseMountinfo } from '../../src/csi/mounts/mountinfo.ts';

/** The mounts at `dir` and below it, in the order of mounting. */
export const mountsBelow = (dir: string): readonly MountInfo[] =>
  parseMountinfo(readFileSync('/proc/self/mountinfo', 'utf8')).filter(({ mountPoint }) => isWithin(mountPoint, dir));
