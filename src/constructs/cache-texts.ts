import { bytesText, percentText } from '../api/index.ts';
import type { CacheUse } from './contract.ts';

/**
 * `status.cacheStates` as Fluid prints it. Texts are empty while no pod was asked, and what is not known is. A cache
 * with copies has no more than all of the data. Capacity in bytes.
 * @example
 * cacheTexts(2048, { cachedBytes: 1024, totalBytes: 4096 })['cachedPercentage']; // → '25.0%'
 */
export function cacheTexts(capacityBytes: number | undefined, cache: CacheUse | undefined): Readonly<Record<string, string>> {
  const total = cache?.totalBytes;
  const percent = (part = 0, whole = 1) => (cache ? (percentText(part, whole) ?? '0.0%') : '');
  return {
    cacheCapacity: capacityBytes === undefined ? '' : bytesText(capacityBytes),
    cacheHitRatio: percent(cache?.hitRatio),
    cacheThroughputRatio: percent(cache?.throughputRatio),
    cached: cache ? bytesText(cache.cachedBytes) : '',
    cachedPercentage: total === undefined ? '' : percent(Math.min(cache?.cachedBytes ?? 0, total), total),
  };
}
