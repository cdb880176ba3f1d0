import type { Clock } from '../clock.ts';

/** A moment, on both clocks. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export const momentOf = (clock: Clock): Moment => ({ wall: clock.wall(), monotonic: clock.monotonic() });

/** Our own time for writing: open for `windowMs` after the last successful write of the Lease was sent. */
export interface WriteWindow {
  /** How long it is still open, ms; 0 or less once it has closed. */
  leftMs(): number;
  /** When it closes, ms since the epoch; 0 for a standby. */
  deadline(): number;
  /** Opens it, counted from when the write was sent: the server may have seen it that early. */
  open(sent: Moment): void;
  close(): void;
}

export function writeWindow(clock: Clock, windowMs: number): WriteWindow {
  /** When the last write of the Lease that succeeded was sent; undefined for a standby. */
  let opened: Moment | undefined;

  /** The clock that has advanced more decides: the wall clock may be set back, the monotonic one may sleep with the machine. */
  function leftMs(): number {
    if (opened === undefined) return 0;
    return windowMs - Math.max(clock.wall() - opened.wall, clock.monotonic() - opened.monotonic);
  }

  return {
    leftMs,
    deadline: () => (opened === undefined ? 0 : clock.wall() + leftMs()),
    open(sent) {
      opened = sent;
    },
    close() {
      opened = undefined;
    },
  };
}
