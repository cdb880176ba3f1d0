/** A stand-in program, `plainfs`, that speaks the execution protocol of a CacheRuntimeClass. No file system of that name exists. */
import type { ExecAnswer, ExecCall } from './exec-call.ts';

/** `undefined` for any other program. `plainfs mount /data` says that it mounted what it is told to; tests answer in its place for more. */
export function plainfsAnswer({ argv: [program, verb, ...rest] }: ExecCall): ExecAnswer | undefined {
  if (program !== 'plainfs') return undefined;
  if (verb === 'mount') return { stdout: JSON.stringify({ mounted: rest }) };
  if (verb === 'summary')
    return {
      stdout: JSON.stringify({
        cached: '1.00GiB',
        cachedPercentage: '25.0%',
        cacheCapacity: '4.00GiB',
        cacheHitRatio: '50.0%',
        FileNum: 1000,
        ufsTotal: '100GiB',
      }),
    };
  return undefined;
}
