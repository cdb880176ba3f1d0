import { AsyncLocalStorage } from 'node:async_hooks';

/** A process of the simulated world: what it schedules happens only while it runs, by clocks of its own. */
export interface Process {
  readonly name: string;
  /** Wall clock, ms that it is ahead of the world's. */
  wallAheadMs: number;
  /** Monotonic clock, ms that it is behind: for how long the machine was suspended. */
  suspendedMs: number;
  state: 'running' | 'paused' | 'dead';
  /** When it last stood still, and when its wall clock last jumped, ms since the epoch. */
  pausedMs: number;
  jumpedMs: number;
  /** Of what fell due while it was paused. */
  readonly backlog: Event[];
}

interface Event {
  readonly process: Process | undefined;
  readonly run: () => void;
  /** By the monotonic clock of its process: a timer of a machine that was suspended is late by as much. */
  readonly dueMs: number | undefined;
  cancelled: boolean;
}

/** Time of the simulated world: it stands still while anything can happen, then jumps to the next event. */
export interface VirtualTime {
  /** ms since the epoch. */
  readonly nowMs: number;
  createProcess(name: string): Process;
  /** Runs `run` in `ms`, as the given process; without one, as the world. Returns what cancels it. */
  after(ms: number, run: () => void, process?: Process): () => void;
  /** Something comes to the process in `ms`: whatever its own clocks say meanwhile. */
  arrive(ms: number, run: () => void, process: Process): void;
  /** Runs `work` as a process: all that it awaits belongs to the process too. */
  as<T>(process: Process, work: () => T): T;
  /** Runs what does not belong to the world, while its time stands still. */
  asWorld<T>(work: () => Promise<T>): Promise<T>;
  pause(process: Process): void;
  /** @param suspended its machine stood still, so its monotonic clock did too */
  resume(process: Process, pausedMs: number, suspended: boolean): void;
  /** Nothing of the process happens any more. */
  kill(process: Process): void;
  /** Lets everything happen until then. */
  runUntil(ms: number): Promise<void>;
  /** Events that happened. */
  readonly events: number;
}

const real = { setImmediate, Date, performance };
const drained = () => new Promise<void>((resolve) => real.setImmediate(resolve));
/** More than any world needs in all its time: two parts of it wake each other. */
const MOST_EVENTS = 400_000;

export function createTime(startMs: number): VirtualTime & { readonly current: () => Process | undefined } {
  const context = new AsyncLocalStorage<Process>();
  const agenda = createAgenda();
  let nowMs = startMs;
  let events = 0;

  const monotonicOf = ({ suspendedMs }: Process) => nowMs - suspendedMs;

  function happen(event: Event): void {
    const { process, run, dueMs } = event;
    if (event.cancelled || process?.state === 'dead') return;
    if (process?.state === 'paused') return void process.backlog.push(event);
    if (process && dueMs !== undefined && monotonicOf(process) < dueMs) return agenda.push(nowMs + dueMs - monotonicOf(process), event);
    event.cancelled = true;
    if (process) context.run(process, run);
    else context.exit(run);
  }

  return {
    get nowMs() {
      return nowMs;
    },
    get events() {
      return events;
    },
    current: () => context.getStore(),
    createProcess: (name) => ({ name, wallAheadMs: 0, suspendedMs: 0, state: 'running', pausedMs: 0, jumpedMs: 0, backlog: [] }),
    after(ms, run, process) {
      const event: Event = { process, run, dueMs: process && monotonicOf(process) + ms, cancelled: false };
      agenda.push(nowMs + ms, event);
      return () => {
        event.cancelled = true;
      };
    },
    arrive: (ms, run, process) => agenda.push(nowMs + ms, { process, run, dueMs: undefined, cancelled: false }),
    as: (process, work) => context.run(process, work),
    asWorld: (work) => context.exit(work),
    pause: (process) => {
      if (process.state === 'running') process.state = 'paused';
    },
    resume(process, pausedMs, suspended) {
      if (process.state !== 'paused') return;
      process.state = 'running';
      process.pausedMs = nowMs;
      if (suspended) process.suspendedMs += pausedMs;
      for (const event of process.backlog.splice(0)) agenda.push(nowMs, event);
    },
    kill(process) {
      process.state = 'dead';
      process.backlog.splice(0);
    },
    async runUntil(untilMs) {
      await drained();
      for (let next = agenda.nextMs; next <= untilMs; next = agenda.nextMs) {
        nowMs = Math.max(nowMs, next);
        const event = agenda.pop();
        if (!event || event.cancelled) continue;
        if (++events > MOST_EVENTS) throw new Error(`more than ${MOST_EVENTS} events: something goes on for ever`);
        happen(event);
        await drained();
      }
      nowMs = untilMs;
    },
  };
}

/** Events in the order of their time; those of one time in the order in which they were added. */
function createAgenda() {
  const heap: { readonly at: number; readonly serial: number; readonly event: Event }[] = [];
  let serial = 0;
  const before = (i: number, j: number): boolean => {
    const [a, b] = [heap[i]!, heap[j]!];
    return a.at < b.at || (a.at === b.at && a.serial < b.serial);
  };
  const swap = (i: number, j: number) => {
    [heap[i], heap[j]] = [heap[j]!, heap[i]!];
  };
  return {
    get nextMs() {
      return heap[0]?.at ?? Infinity;
    },
    push(at: number, event: Event) {
      heap.push({ at, serial: serial++, event });
      for (let i = heap.length - 1; i > 0 && before(i, (i - 1) >> 1); i = (i - 1) >> 1) swap(i, (i - 1) >> 1);
    },
    pop(): Event | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (!first || !last || heap.length === 0) return first?.event;
      heap[0] = last;
      for (let i = 0; ; ) {
        const [left, right] = [2 * i + 1, 2 * i + 2];
        const least = right < heap.length && before(right, left) ? right : left;
        if (least >= heap.length || !before(least, i)) return first.event;
        swap(i, least);
        i = least;
      }
    },
  };
}

/** Puts virtual time and chance in the place of the real ones. Returns what puts the real ones back. */
export function installTime(time: ReturnType<typeof createTime>, startMs: number, random: () => number): () => void {
  const before = {
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    setImmediate,
    clearImmediate,
    Date,
    performance,
  };
  const chance = Math.random;
  const wall = () => Math.floor(time.nowMs + (time.current()?.wallAheadMs ?? 0));
  const monotonic = () => time.nowMs - startMs - (time.current()?.suspendedMs ?? 0);

  class VirtualDate extends real.Date {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(wall());
      // The cast: a Date is made of whatever it is given.
      else super(...(given as [number]));
    }
    static override now = wall;
  }
  const timer = (ms: number | undefined, run: () => void) => {
    // As Node's: whole milliseconds, and one at least.
    const cancel = time.after(Math.max(1, Math.trunc(ms ?? 1) || 1), run, time.current());
    return handle(cancel);
  };
  const handle = (cancel: () => void) => {
    const self = { cancel, unref: () => self, ref: () => self, hasRef: () => true };
    return self;
  };
  const clear = (given: { cancel?: () => void } | undefined) => given?.cancel?.();
  const virtual = {
    setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => timer(ms, () => run(...given)),
    clearTimeout: clear,
    setInterval(run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) {
      let cancel = () => {};
      const again = () => {
        cancel = timer(ms, () => {
          again();
          run(...given);
        }).cancel;
      };
      again();
      return handle(() => cancel());
    },
    clearInterval: clear,
    setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => handle(time.after(0, () => run(...given), time.current())),
    clearImmediate: clear,
    Date: VirtualDate,
    performance: { now: monotonic, timeOrigin: startMs },
  };
  Object.assign(globalThis, virtual);
  Object.defineProperty(globalThis, 'performance', { value: virtual.performance, configurable: true, writable: true });
  Math.random = random;
  return () => {
    Object.assign(globalThis, before);
    Object.defineProperty(globalThis, 'performance', { value: real.performance, configurable: true, writable: true });
    Math.random = chance;
  };
}
