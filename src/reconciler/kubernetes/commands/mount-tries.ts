import type { MountChange, MountRow } from '../../../constructs/index.ts';
import { differences, pathsOf } from '../../diff/mount-change.ts';
import { troubleOf } from '../../diff/mount-trouble.ts';
import type { MountsInForce, MountTrouble } from '../../world.ts';
import type { Job } from './jobs.ts';

/** A row that is listed otherwise is changed again after so long, then after twice as long and so on: each time takes it from its readers. */
const FIRST_MS = 10_000;
const LONGEST_MS = 3_600_000;
/** Perhaps nothing was done: that commands cannot be run is over one day. */
const LONGEST_REFUSED_MS = 300_000;

/** A change of a row that came off without an error, as far as we know. */
interface Try {
  readonly asked: string;
  readonly at: number;
  readonly againMs: number;
  /** A list that came after it does not show it. */
  readonly isVain: boolean;
  /** Something of that change was refused: this row, unless it is listed. */
  readonly mayBeRefused: boolean;
}
interface Table {
  readonly version: string;
  /** This process has not seen it before. */
  isFirst: boolean;
  readonly tries: Map<string, Try>;
  /** When rows that are not as they are wanted were last changed, whatever came of it. */
  readonly triedAt: Map<string, number>;
  listed?: { readonly rows: readonly MountRow[]; readonly at: number };
}

/** What is known of a table of mounts, and of what was done to it in vain. */
export interface MountsSeen {
  /** Absent while nobody has told. */
  readonly mounted?: readonly MountRow[];
  readonly mountTroubles: readonly MountTrouble[];
  readonly mountsTriedAt?: ReadonlyMap<string, number>;
  /** Until the next row is due. */
  readonly againMs: number;
}

/** Rows that were changed without an error, and are listed otherwise all the same. In memory: a restart begins with what was told. */
export interface MountTries {
  /** How long after the last list the next is due. A row is changed again only if that one does not show it either. */
  relistMs(uid: string, version: string): number;
  /**
   * @param version of the specs and of the masters: with another one, all begins afresh
   * @param list the last one, whose value is gone while one that follows a change is on its way
   * @param toldMs how long ago an earlier process told this of a row, if it did
   */
  seen(
    uid: string,
    version: string,
    mounts: MountsInForce,
    list: Job<readonly MountRow[]>,
    toldMs: (text: string) => number | undefined,
  ): MountsSeen;
  /** A change is begun; what it returns is to be called when that has ended, with whether all of it came off. */
  begun(uid: string, change: MountChange): (cameOff: boolean) => void;
  forget(uid: string): void;
}

export function createMountTries(now: () => number): MountTries {
  const tables = new Map<string, Table>();
  return {
    relistMs(uid, version) {
      const table = tables.get(uid);
      if (table?.version !== version || !table.listed) return Infinity;
      const { at: listedAt } = table.listed;
      return Math.min(Infinity, ...[...table.tries.values()].map(({ at, againMs }) => at + againMs - listedAt).filter((ms) => ms > 0));
    },

    seen(uid, version, mounts, list, toldMs) {
      const before = tables.get(uid);
      const table: Table = before?.version === version ? before : { version, isFirst: !before, tries: new Map(), triedAt: new Map() };
      tables.set(uid, table);
      const { value, endedAt = 0, error } = list;
      if (value) table.listed = { rows: value, at: endedAt };
      const { isFirst, listed, tries, triedAt } = table;
      if (!listed || error !== undefined) return { mountTroubles: [], againMs: Infinity };
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
        const ageMs = isFirst ? toldMs(trouble.text) : undefined;
        const tried =
          last ??
          (ageMs === undefined
            ? undefined
            : { asked: textOf(row), at: listed.at, againMs: limited(ageMs), isVain: true, mayBeRefused: false });
        if (!tried || !(tried.isVain || value)) return [];
        tries.set(path, { ...tried, isVain: true });
        return [{ ...trouble, isDue: listed.at >= tried.at + tried.againMs }];
      });
      table.isFirst = false;
      const waits = [...tries.values()].map(({ at, againMs }) => at + againMs - now()).filter((ms) => ms > 0);
      return {
        // What was listed before a change is no news, but for rows of which nothing else is expected.
        ...((value || troubles.length === paths.length) && { mounted: listed.rows }),
        mountTroubles: troubles,
        mountsTriedAt: triedAt,
        againMs: Math.min(Infinity, ...waits),
      };
    },

    begun(uid, change) {
      const { tries, triedAt } = tables.get(uid) ?? {};
      const rows = new Map(change.mount.map((row) => [row.path, row]));
      return (cameOff) => {
        for (const path of pathsOf(change)) {
          triedAt?.set(path, now());
          const asked = textOf(rows.get(path));
          const last = tries?.get(path);
          const again = last?.asked === asked ? last : undefined;
          tries?.set(path, {
            asked,
            at: now(),
            againMs: again ? Math.min(cameOff ? LONGEST_MS : LONGEST_REFUSED_MS, limited(2 * again.againMs)) : FIRST_MS,
            isVain: again?.isVain ?? false,
            mayBeRefused: !cameOff,
          });
        }
      };
    },
    forget: (uid) => void tables.delete(uid),
  };
}

const textOf = (row: MountRow | undefined): string => JSON.stringify(row ?? null);
const limited = (ms: number): number => Math.min(LONGEST_MS, Math.max(FIRST_MS, ms));
