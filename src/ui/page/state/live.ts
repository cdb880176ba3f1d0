/** Changes of the fleet as the server sends them, given on in batches: one drawing of the page for many changes. */
import { type FleetChange, paths } from '../../wire.ts';

export interface Following {
  stop(): void;
}
export interface Followers {
  changes(batch: readonly FleetChange[]): void;
  /** After the browser has connected, also again. */
  opened(): void;
  lost(): void;
  /** The stream does not go on: the fleet is to be read again. */
  ended(): void;
}

/** Between two drawings: changes are seen well within a second, and 1,000 changes a second draw the page five times. */
const BATCH_MS = 200;
const AGAIN_MS = 2000;

export function follow(version: () => string, to: Followers): Following {
  const source = new EventSource(`${paths.changes}?from=${encodeURIComponent(version())}`);
  let waiting: FleetChange[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawn = 0;
  const draw = (): void => {
    timer = undefined;
    drawn = performance.now();
    const batch = waiting;
    waiting = [];
    to.changes(batch);
  };
  const stop = (): void => {
    source.close();
    clearTimeout(timer);
  };
  source.addEventListener('open', () => to.opened());
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const change = JSON.parse(data) as FleetChange;
    if (change.again) {
      stop();
      to.ended();
      return;
    }
    waiting.push(change);
    timer ??= setTimeout(draw, Math.max(0, BATCH_MS - (performance.now() - drawn)));
  });
  source.addEventListener('error', () => {
    to.lost();
    // Else the browser connects again by itself, with the id of the last event.
    if (source.readyState !== EventSource.CLOSED) return;
    stop();
    setTimeout(() => to.ended(), AGAIN_MS);
  });
  return { stop };
}
