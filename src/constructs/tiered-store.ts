import { InvalidSpec, quantity, shown, type TierLevel } from '../api/index.ts';

/** Cache of one worker in bytes, all levels together. */
export function cacheByMedium(levels: readonly TierLevel[] = []): Readonly<Partial<Record<'memory' | 'disk', number>>> {
  const sums: Partial<Record<'memory' | 'disk', number>> = {};
  levels.forEach((level, i) => {
    const medium = level.mediumtype === 'MEM' ? 'memory' : 'disk';
    const bytes = levelQuotas(level, `spec.tieredstore.levels[${i}]`).reduce((sum, quota) => sum + quota, 0);
    if (bytes > 0) sums[medium] = (sums[medium] ?? 0) + bytes;
  });
  return sums;
}

/** Bytes for each directory of a level. A quotaList wins over the quota, which is divided evenly. */
export function levelQuotas({ path = '', quota, quotaList }: TierLevel, field: string): readonly number[] {
  const paths = path.split(',').length;
  if (!quotaList) return Array.from({ length: paths }, () => (quota === undefined ? 0 : quantity(quota, `${field}.quota`) / paths));
  const quotas = quotaList.split(',').filter(Boolean);
  if (quotas.length !== paths)
    throw new InvalidSpec({ path: `${field}.quotaList`, expected: `${paths} amounts, one for each path`, found: shown(quotaList) });
  return quotas.map((each) => quantity(each, `${field}.quotaList`));
}
