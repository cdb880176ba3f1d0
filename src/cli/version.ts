import { readFileSync } from 'node:fs';

/** The version of the package that this program is part of; `unknown` outside of one. */
export function version(): string {
  // Beside src/ in a checkout, beside dist/ in a package.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version: found } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (name === 'sluice' && found) return found;
    } catch {
      continue;
    }
  }
  return 'unknown';
}
