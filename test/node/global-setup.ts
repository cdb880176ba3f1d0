import { rmSync } from 'node:fs';
import { newFolder, SHARED } from './sluice-image.ts';

/** A folder for what the files of a run share: Sluice's image takes some seconds to build, and each of them installs it. */
export default function setup(): () => void {
  const dir = newFolder();
  process.env[SHARED] = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}
