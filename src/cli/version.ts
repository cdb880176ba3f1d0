import { readFileSync } from 'node:fs';
import { getAsset, isSea } from 'node:sea';

interface OwnPackage {
  /** The name for npm and imports. Only package.json has it. */
  readonly name: string;
  readonly version: string;
}

/** The package that this program is part of; version `unknown` outside of one. */
export function ownPackage(): OwnPackage {
  // The file that runs without Node has it inside.
  if (isSea()) return JSON.parse(getAsset('package.json', 'utf8')) as OwnPackage;
  // Beside src/ in a checkout, beside dist/ in a package.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Partial<OwnPackage>;
      // A name may have a scope.
      if (name && /(^|\/)sluice$/.test(name) && version) return { name, version };
    } catch {
      continue;
    }
  }
  return { name: 'sluice', version: 'unknown' };
}

export const version = (): string => ownPackage().version;
