/** examples/profiles: file systems as ThinRuntimeProfiles with mount templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../examples/profiles');

/** Names of the folders. */
export const profiles: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export type ProfileFile = 'profile.yaml' | 'dataset.yaml' | 'README.md';
export const profileText = (name: string, file: ProfileFile): string => readFileSync(join(folder, name, file), 'utf8');
