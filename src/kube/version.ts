import type { ServerVersion } from './contract.ts';

/** Whether a cluster has a version before 1.`minor`. Vendors add to the number: `29+`. */
export function isOlder({ major, minor: found }: Pick<ServerVersion, 'major' | 'minor'>, minor: number): boolean {
  return Number.parseInt(major, 10) === 1 && Number.parseInt(found, 10) < minor;
}
