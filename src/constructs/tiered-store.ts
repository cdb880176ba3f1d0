import { quantity, type TierLevel } from '../api/index.ts';
import { must } from './faults.ts';

/** Cache of one worker in bytes, all levels together. */
export function cacheByMedium(levels: readonly TierLevel[] = []): Readonly<Partial<Record<'memory' | 'disk', number>>> {
  const sums: Partial<Record<'memory' | 'disk', number>> = {};
  levels.forEach((level, i) => {
    const medium = level.mediumtype === 'MEM' ? 'memory' : 'disk';
    const field = `spec.tieredstore.levels[${i}]`;
    const listed = levelQuotas(level, field).reduce((sum, quota) => sum + quota, 0);
    // What is divided evenly loses no byte here.
    const bytes = level.quotaList || level.quota === undefined ? listed : quantity(level.quota, `${field}.quota`);
    if (bytes > 0) sums[medium] = (sums[medium] ?? 0) + bytes;
  });
  return sums;
}

/** As many as nobody has disks in a node. */
const MOST_DIRECTORIES = 256;

/** The directories that a list names; `path` names the list in errors. */
export function directoriesOf(list: string, separator: ',' | ':', path: string): readonly string[] {
  const directories = list.split(separator, MOST_DIRECTORIES + 1);
  must(directories.length <= MOST_DIRECTORIES, path, `at most ${MOST_DIRECTORIES} directories`, list);
  return directories;
}

/** Whole bytes for each directory of a level. A quotaList wins over the quota, which is divided evenly. */
export function levelQuotas({ path = '', quota, quotaList }: TierLevel, field: string): readonly number[] {
  const paths = directoriesOf(path, ',', `${field}.path`).length;
  if (!quotaList)
    return Array.from<number>({ length: paths }).fill(quota === undefined ? 0 : Math.floor(quantity(quota, `${field}.quota`) / paths));
  const quotas = quotaList.split(',', MOST_DIRECTORIES + 2).filter(Boolean);
  must(quotas.length === paths, `${field}.quotaList`, `${paths} amounts, one for each path`, quotaList);
  return quotas.map((each) => Math.floor(quantity(each, `${field}.quotaList`)));
}
