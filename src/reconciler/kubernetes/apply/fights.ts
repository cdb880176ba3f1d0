import type { Monotonic } from '../../../kube/clock.ts';
const WINDOW_MS = 60_000;
const LIMIT = 6;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;

interface Record {
  times: number[];
  pauses: number;
  until: number;
  paths: readonly string[];
  edition: string;
}

/**
 * Detects that another writer changes an object back as often as it is repaired, and asks for longer and longer pauses between repairs: 30
 * seconds after the seventh repair within a minute, ten minutes at most. Repairs that follow an edit of the specs are no fight.
 */
export function createFightDetector(clock: Monotonic) {
  const records = new Map<string, Record>();
  return {
    limit: LIMIT,
    /** Called before a repair. Returns the fields in dispute if the repair has to wait. */
    repaired(uid: string, edition: string, paths: readonly string[]): readonly string[] | undefined {
      const before = records.get(uid);
      const record = before?.edition === edition ? before : { times: [], pauses: 0, until: 0, paths, edition };
      records.set(uid, record);
      if (clock.monotonic() < record.until) return record.paths;
      record.times = [...record.times.filter((time) => clock.monotonic() - time < WINDOW_MS), clock.monotonic()];
      record.paths = paths;
      if (record.times.length <= LIMIT) {
        if (record.times.length === 1 && clock.monotonic() - record.until > LONGEST_PAUSE_MS) record.pauses = 0;
        if (records.size > 10_000) records.delete(records.keys().next().value ?? '');
        return undefined;
      }
      record.until = clock.monotonic() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** record.pauses++);
      record.times = [];
      return paths;
    },
    /** The API server rejected the repair, which therefore does not count. */
    failed: (uid: string): void => void records.get(uid)?.times.pop(),
  };
}
