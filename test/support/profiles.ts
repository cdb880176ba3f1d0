/** examples/profiles: file systems as ThinRuntimeProfiles with mount templates. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/kube/types.ts';

const folder = join(import.meta.dirname, '../../examples/profiles');

/** Names of the folders. */
export const profiles: readonly string[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export type ProfileFile = 'profile.yaml' | 'dataset.yaml' | 'README.md';
export const profileText = (name: string, file: ProfileFile): string => readFileSync(join(folder, name, file), 'utf8');

/** The objects of a text in YAML, of the types that its examples have. */
export const objectsIn = (text: string): readonly KubeObject[] => parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
