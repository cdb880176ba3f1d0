import { AsyncLocalStorage } from 'node:async_hooks';
import { createAgenda, type Event as AgendaEvent } from './agenda.ts';

/** A process of the simulated world: what it schedules happens only while it runs, by clocks of its own. */
export interface Process {
  readonly name: string;
  /** Wall clock, ms that it is ahead of the world's. */
  wallAheadMs: number;
  /** Monotonic clock, ms that it is behind: for how long the machine was suspended. */
  suspendedMs: number;
  /** Until when it computes, by the world's time: nothing that comes meanwhile is seen before. */
  busyUntilMs: number;
  state: 'running' | 'paused' | 'dead';
  /** When it last stood still, and when its wall clock last jumped, ms since the epoch. */
  pausedMs: number;
  jumpedMs: number;
  /** Events that fell due while the process was paused. */
  readonly backlog: Event[];
}

type Event = AgendaEvent<Process>;

/** Time of the simulated world: it stands still while anything can happen, then jumps to the next event. */
export interface VirtualTime {
  /** ms since the epoch. */
  readonly nowMs: number;
  createProcess(name: string): Process;
  /** Runs `run` in `ms`, as the given process; without one, as the world. Returns what cancels it. */
  after(ms: number, run: () => void, process?: Process): () => void;
  /** An event reaches the process in `ms`, by the world's clock and not by its own. */
  arrive(ms: number, run: () => void, process: Process): void;
  /** The process whose turn it is computes for this time. */
  spend(ms: number): void;
  /** By the world's time, as the process knows it. */
  nowOf(process: Process | undefined): number;
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

/** Virtual time stands in its place. */
const { setImmediate: realImmediate } = globalThis;
const drained = () => new Promise<void>((resolve) => realImmediate(resolve));
/** One for all worlds: each storage that was ever used stays in the frame of whoever runs them, and makes every turn dearer. */
const context = new AsyncLocalStorage<Process>();
/** More than any world needs in all its time: two parts of it wake each other. */
const MOST_EVENTS = 400_000;

export function createTime(startMs: number): VirtualTime & { readonly current: () => Process | undefined } {
  const agenda = createAgenda<Process>();
  let nowMs = startMs;
  let events = 0;

  const nowOf = (process: Process | undefined) => Math.max(nowMs, process?.busyUntilMs ?? 0);
  const monotonicOf = (process: Process) => nowOf(process) - process.suspendedMs;

  function happen(event: Event): void {
    const { process, run, dueMs } = event;
    if (event.cancelled || process?.state === 'dead') return;
    if (process?.state === 'paused') return void process.backlog.push(event);
    if (process && process.busyUntilMs > nowMs) return agenda.push(process.busyUntilMs, event);
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
    createProcess: (name) => ({
      name,
      wallAheadMs: 0,
      suspendedMs: 0,
      busyUntilMs: 0,
      state: 'running',
      pausedMs: 0,
      jumpedMs: 0,
      backlog: [],
    }),
    after(ms, run, process) {
      const event: Event = { process, run, dueMs: process && monotonicOf(process) + ms, cancelled: false };
      agenda.push(nowMs + ms, event);
      return () => {
        event.cancelled = true;
      };
    },
    arrive: (ms, run, process) => agenda.push(nowMs + ms, { process, run, dueMs: undefined, cancelled: false }),
    spend(ms) {
      const process = context.getStore();
      if (process) process.busyUntilMs = nowOf(process) + ms;
    },
    nowOf,
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
