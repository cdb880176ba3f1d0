import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a minute and a half, the longest first: all others fill the time beside them. */
const LONG = [
  'test/node/alluxio.test.ts',
  'test/node/juicefs.test.ts',
  'test/node/moosefs.test.ts',
  'test/node/csi.test.ts',
  'test/node/webhook.test.ts',
  'test/cluster/install.test.ts',
  'test/node/thin.test.ts',
  'test/adversary/adversary.test.ts',
  'test/node/install.test.ts',
  'test/cluster/api-server.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which returns a new list
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place === -1 ? LONG.length : place;
}
