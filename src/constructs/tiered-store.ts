import { quantity, type TierLevel } from '../api/index.ts';
import { must } from './faults.ts';
import { ignored, type Warning } from './warnings.ts';

/**
 * Cache of one worker in bytes, over all levels: memory for `MEM`, disk for the others.
 * @throws InvalidSpec when a quota is no quantity, or `quotaList` and `path` have different lengths.
 * @example
 * cacheByMedium([{ mediumtype: 'SSD', path: '/a,/b', quota: '2Ki' }]); // → { disk: 2048 }
 */
export function cacheByMedium(levels: readonly TierLevel[] = []): Readonly<Partial<Record<'memory' | 'disk', number>>> {
  const sums: Partial<Record<'memory' | 'disk', number>> = {};
  directoriesWithinReason(
    levels.map(({ path = '' }, i) => directoriesOf(path, ',', `spec.tieredstore.levels[${i}].path`).length),
    'spec.tieredstore.levels',
  );
  levels.forEach((level, i) => {
    const medium = level.mediumtype === 'MEM' ? 'memory' : 'disk';
    const field = `spec.tieredstore.levels[${i}]`;
    const listed = levelQuotas(level, field).reduce((sum, quota) => sum + quota, 0);
    // A quota that is divided evenly loses no byte here.
    const bytes = level.quotaList || level.quota === undefined ? listed : quantity(level.quota, `${field}.quota`);
    if (bytes > 0) sums[medium] = (sums[medium] ?? 0) + bytes;
  });
  return sums;
}

/** More than a node has disks: of one level, and of all together. */
export const MOST_DIRECTORIES = 256;
const MOST_TOGETHER = 4 * MOST_DIRECTORIES;

/**
 * Rejects levels that have more directories together than any node has disks, before anything is made of them.
 * @param counts directories of each level
 * @throws InvalidSpec when there are more than 1024.
 * @example
 * directoriesWithinReason([1, 2], 'spec.tieredstore.levels');
 */
export function directoriesWithinReason(counts: readonly number[], field: string): void {
  const together = counts.reduce((sum, count) => sum + count, 0);
  must(together <= MOST_TOGETHER, field, `at most ${MOST_TOGETHER} directories in all levels together`, together);
}

/**
 * The directories in a list. `path` names the list in errors.
 * @throws InvalidSpec when there are more than 256.
 * @example
 * directoriesOf('/a,/b', ',', 'spec.tieredstore.levels[0].path'); // → ['/a', '/b']
 */
export function directoriesOf(list: string, separator: ',' | ':', path: string): readonly string[] {
  const directories = list.split(separator, MOST_DIRECTORIES + 1);
  must(directories.length <= MOST_DIRECTORIES, path, `at most ${MOST_DIRECTORIES} directories`, list);
  return directories;
}

/**
 * Sources of a level's volume other than `emptyDir`, which is read with that `volumeType`. `field` names the level.
 * @example
 * unreadSources({ mediumtype: 'SSD', volumeSource: { emptyDir: {} } }, 'spec.tieredstore.levels[0]').length; // → 1
 */
export const unreadSources = ({ volumeType, volumeSource = {} }: TierLevel, field: string): readonly Warning[] =>
  Object.keys(volumeSource)
    .filter((source) => source !== 'emptyDir' || volumeType !== 'emptyDir')
    .map((source) => ignored(`${field}.volumeSource.${source}`, 'has no effect; read is emptyDir, if volumeType is emptyDir'));

/**
 * Bytes for each directory of a level: its `quotaList`, or else an even share of its `quota`, rounded down. `field` names the level in errors.
 * @throws InvalidSpec when a quota is no quantity, or `quotaList` and `path` have different lengths.
 * @example
 * levelQuotas({ mediumtype: 'SSD', path: '/a,/b', quota: '2Ki' }, 'spec.tieredstore.levels[0]'); // → [1024, 1024]
 */
export function levelQuotas({ path = '', quota, quotaList }: TierLevel, field: string): readonly number[] {
  const paths = directoriesOf(path, ',', `${field}.path`).length;
  if (!quotaList)
    return Array.from<number>({ length: paths }).fill(quota === undefined ? 0 : Math.floor(quantity(quota, `${field}.quota`) / paths));
  const quotas = quotaList.split(',', MOST_DIRECTORIES + 2).filter(Boolean);
  must(quotas.length === paths, `${field}.quotaList`, `${paths} amounts, one for each path`, quotaList);
  return quotas.map((each) => Math.floor(quantity(each, `${field}.quotaList`)));
}
