import type { Monotonic } from '../../../kube/clock.ts';
import type { MountChange, MountRow } from '../../../constructs/index.ts';
import { differences, pathsOf } from '../../../planning/diff/mount-change.ts';
import { troubleOf } from '../../../planning/diff/mount-trouble.ts';
import type { MountsInForce } from '../../world.ts';
import type { MountTrouble } from '../../../planning/diff/mount-trouble.ts';
import type { Job } from './jobs.ts';

/** A row that is listed otherwise is changed again after so long, then after twice as long, and so on: each change interrupts its readers. */
const FIRST_MS = 10_000;
const LONGEST_MS = 3_600_000;
/** When a command failed, perhaps nothing was changed, and its cause may end at any time. */
const LONGEST_REFUSED_MS = 300_000;

/** The last change of a row. */
interface Try {
  readonly asked: string;
  readonly at: number;
  readonly pauseMs: number;
  /** A later list does not show it. */
  readonly isVain: boolean;
  /** A command of that change failed; it may have been this row's, unless the row is listed. */
  readonly mayBeRefused: boolean;
}
interface Table {
  readonly version: string;
  /** This process has not seen the table before. */
  isFirst: boolean;
  readonly tries: Map<string, Try>;
  /** When rows that differ from the wanted ones were last changed, with any result; by path. */
  readonly triedAt: Map<string, number>;
  listed?: { readonly rows: readonly MountRow[]; readonly at: number };
}

/** A table of mounts as it is listed, and the rows that were changed in vain. */
export interface MountsSeen {
  /** Absent until the engine has listed them. */
  readonly mounted?: readonly MountRow[];
  readonly mountTroubles: readonly MountTrouble[];
  /** How many milliseconds ago rows that differ were last changed, with any result; by path. */
  readonly mountsTriedMs?: ReadonlyMap<string, number>;
  /** Milliseconds until the next row is due; Infinity without one. */
  readonly afterMs: number;
}

/** Rows that were changed without an error and are listed otherwise. Kept in memory: after a restart it begins with what is reported. */
export interface MountTries {
  /** Milliseconds between the last list and the next. A row is changed again only if the next list does not show it either. */
  relistMs(uid: string, version: string): number;
  /**
   * @param version of the specs and of the masters; with another one, all tries are forgotten
   * @param list the job that lists; it has no value until the list that follows a change has ended
   * @param reportedMs how many milliseconds ago an earlier process reported this text, if one did
   */
  seen(
    uid: string,
    version: string,
    mounts: MountsInForce,
    list: Job<readonly MountRow[]>,
    reportedMs: (text: string) => number | undefined,
  ): MountsSeen;
  /** A change begins. The returned function is called at its end, with whether every command succeeded. */
  begun(uid: string, change: MountChange): (succeeded: boolean) => void;
  forget(uid: string): void;
}

export function createMountTries(clock: Monotonic): MountTries {
  const tables = new Map<string, Table>();
  return {
    relistMs(uid, version) {
      const table = tables.get(uid);
      if (table?.version !== version || !table.listed) return Infinity;
      const { at: listedAt } = table.listed;
      return Math.min(Infinity, ...[...table.tries.values()].map(({ at, pauseMs }) => at + pauseMs - listedAt).filter((ms) => ms > 0));
    },

    seen(uid, version, mounts, list, reportedMs) {
      const before = tables.get(uid);
      const table: Table = before?.version === version ? before : { version, isFirst: !before, tries: new Map(), triedAt: new Map() };
      tables.set(uid, table);
      const { value, endedAt = 0, error } = list;
      if (value) table.listed = { rows: value, at: endedAt };
      const { isFirst, listed, tries, triedAt } = table;
      if (!listed || error !== undefined) return { mountTroubles: [], afterMs: Infinity };
      const paths = pathsOf(differences(mounts, listed.rows));
      const rows = new Map(listed.rows.map((row) => [row.path, row]));
      const asked = new Map(paths.length > 0 ? mounts.wanted.map((row) => [row.path, row]) : []);
      const left = new Set(paths);
      if (value) for (const path of triedAt.keys()) if (!left.has(path)) triedAt.delete(path);
      if (value)
        for (const [path, { mayBeRefused }] of tries)
          if (!left.has(path) || (mayBeRefused && (!asked.has(path) || !rows.has(path)))) tries.delete(path);
      const troubles = paths.flatMap((path): MountTrouble[] => {
        const row = asked.get(path);
        const trouble = troubleOf(path, row, rows.get(path));
        const known = tries.get(path);
        const last = known?.asked === textOf(row) ? known : undefined;
        const ageMs = isFirst ? reportedMs(trouble.text) : undefined;
        const tried =
          last ??
          (ageMs === undefined
            ? undefined
            : { asked: textOf(row), at: listed.at, pauseMs: limited(ageMs), isVain: true, mayBeRefused: false });
        if (!tried || !(tried.isVain || value)) return [];
        tries.set(path, { ...tried, isVain: true });
        return [{ ...trouble, isDue: listed.at >= tried.at + tried.pauseMs }];
      });
      table.isFirst = false;
      const waits = [...tries.values()].map(({ at, pauseMs }) => at + pauseMs - clock.monotonic()).filter((ms) => ms > 0);
      return {
        // A list from before a change is out of date, unless only rows differ that were changed in vain.
        ...((value || troubles.length === paths.length) && { mounted: listed.rows }),
        mountTroubles: troubles,
        mountsTriedMs: new Map([...triedAt].map(([path, at]) => [path, clock.monotonic() - at])),
        afterMs: Math.min(Infinity, ...waits),
      };
    },

    begun(uid, change) {
      const { tries, triedAt } = tables.get(uid) ?? {};
      const rows = new Map(change.mount.map((row) => [row.path, row]));
      return (succeeded) => {
        for (const path of pathsOf(change)) {
          triedAt?.set(path, clock.monotonic());
          const asked = textOf(rows.get(path));
          const last = tries?.get(path);
          const again = last?.asked === asked ? last : undefined;
          tries?.set(path, {
            asked,
            at: clock.monotonic(),
            pauseMs: again ? Math.min(succeeded ? LONGEST_MS : LONGEST_REFUSED_MS, limited(2 * again.pauseMs)) : FIRST_MS,
            isVain: again?.isVain ?? false,
            mayBeRefused: !succeeded,
          });
        }
      };
    },
    forget: (uid) => void tables.delete(uid),
  };
}

const textOf = (row: MountRow | undefined): string => JSON.stringify(row ?? null);
const limited = (ms: number): number => Math.min(LONGEST_MS, Math.max(FIRST_MS, ms));
