import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a minute and a half, or much of the processors; the longest first. */
const LONG = [
  'test/node/alluxio.test.ts',
  'test/node/juicefs.test.ts',
  'test/node/moosefs.test.ts',
  'test/adversary/adversary.test.ts',
  'test/node/csi.test.ts',
  'test/node/webhook.test.ts',
  'test/node/clients.test.ts',
  'test/cluster/install.test.ts',
  'test/node/thin.test.ts',
  'test/node/install.test.ts',
  'test/cluster/api-server.test.ts',
];
/** So many short files stand between two long ones, so that at any time about one worker has a short one, which mostly waits. */
const BETWEEN = 5;

/** Two long files begin, and each other one in its turn. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which returns a new list
    const sorted = await super.sort(files);
    return mixed(sorted, ({ moduleId }) => LONG.findIndex((file) => moduleId.endsWith(`/${file}`)));
  }
}

/** @param placeOf of a long one; -1 of a short one */
export function mixed<T>(files: readonly T[], placeOf: (file: T) => number): T[] {
  const long = files.filter((file) => placeOf(file) !== -1).toSorted((a, b) => placeOf(a) - placeOf(b));
  const short = files.filter((file) => placeOf(file) === -1);
  const groups = long.slice(2).flatMap((file, i) => [...short.slice(i * BETWEEN, (i + 1) * BETWEEN), file]);
  return [...long.slice(0, 2), ...groups, ...short.slice(Math.max(0, long.length - 2) * BETWEEN)];
}
