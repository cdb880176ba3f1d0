import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes begin before all others of their project, which then fill the time beside them. */
const LONG = ['test/node/alluxio.test.ts'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own, which returns a new list
    const sorted = await super.sort(files);
    const placeOf = ({ project }: TestSpecification) => sorted.findIndex((each) => each.project === project);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((file) => moduleId.endsWith(`/${file}`));
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b) || Number(isLong(b)) - Number(isLong(a)));
  }
}
