/** There and back, round after round, with what must hold after each move. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Claim, ON_DEMAND } from './datasets.ts';
import { drawKills } from './kills.ts';
import { move, type Moved, type Way } from './move.ts';
import { endPod, reportOf, startReader } from './pods.ts';
import type { Stage } from './stage.ts';
import { differences, look } from './unchanged.ts';

export interface RoundsOptions {
  /** Those from which pods read all the time. */
  readonly claims: readonly Claim[];
  readonly rounds: number;
  readonly kills: number;
  readonly seed: number;
  readonly say: (what: string) => void;
  readonly isVerbose: boolean;
  readonly signal: AbortSignal;
}

/** The pods that read from before the first move to the end. */
const readerOf = (claim: string) => `reads-${claim}`;
/** Each lives from after one move to after the next: another plugin ends it than started it. */
const guestOf = (claim: string, moves: number) => `guest-${claim}-${moves}`;
const isPassing = (name: string) => name.startsWith('guest-') || name.startsWith(`${ON_DEMAND}-fuse`);
const SETTLE_S = 90;

/** Returns the lines of the report. @throws Error at the first thing that does not hold */
export async function goThereAndBack(stage: Stage, options: RoundsOptions): Promise<readonly string[]> {
  const { rounds, seed, say, isVerbose, signal } = options;
  const { plane } = stage;
  const kills = drawKills(seed, options.kills, 2 * rounds);
  const guests = [...options.claims, ON_DEMAND];
  say(`seed ${seed}`);
  for (const claim of options.claims) say(`reads from ${claim} after ${(await startReader(plane, readerOf(claim), claim)).toFixed(1)} s`);
  for (const claim of guests) await startReader(plane, guestOf(claim, 0), claim);
  const before = await look(stage, isPassing);
  const results: Result[] = [];
  for (let index = 0; index < 2 * rounds; index++) {
    signal.throwIfAborted();
    const way: Way = index % 2 === 0 ? 'go' : 'back';
    const readsBefore = await readsOf(stage, options.claims);
    const moved = await move(
      stage,
      way,
      kills.filter((kill) => kill.move === index),
      isVerbose ? say : () => {},
    );
    await checkReaders(stage, readsBefore);
    await unchanged(stage, before);
    const [ended, started]: [number[], number[]] = [[], []];
    for (const claim of guests) {
      ended.push(await endPod(plane, guestOf(claim, index)));
      if (claim === ON_DEMAND) await fuseEnds(stage);
      started.push(await startReader(plane, guestOf(claim, index + 1), claim));
    }
    await checkReaders(stage, readsBefore);
    await unchanged(stage, before);
    results.push({ way, moved, ended: Math.max(...ended), started: Math.max(...started) });
    say(lineOf(results.at(-1) as Result, index));
  }
  const reports = await Promise.all(options.claims.map(async (claim) => ({ claim, ...(await reportOf(plane, readerOf(claim))) })));
  return [
    ...summary(results),
    ...reports.map(
      ({ claim, reads, errors, longestMs, longestAt }) =>
        `${claim}: ${reads} reads, ${errors} errors, at most ${longestMs} ms apart, at ${longestAt}`,
    ),
  ];
}

interface Result {
  readonly way: Way;
  readonly moved: Moved;
  /** The longest time until a pod that another plugin started has ended, s. */
  readonly ended: number;
  /** The longest time until a new pod was ready, s. */
  readonly started: number;
}

const lineOf = ({ way, moved, ended, started }: Result, index: number): string =>
  [
    `${index + 1}. ${way}: ${moved.seconds.toFixed(1)} s, without a plugin ${moved.withoutPlugin.toFixed(1)} s`,
    `unregistered ${moved.unregistered.toFixed(1)} s, a pod ends within ${ended.toFixed(1)} s and starts within ${started.toFixed(1)} s`,
    ...moved.said,
    ...(moved.killed.length > 0 ? [`killed: ${moved.killed.join('; ')}`] : []),
  ].join(', ');

function summary(results: readonly Result[]): readonly string[] {
  const range = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    return `${sorted[0]?.toFixed(1)} / ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} / ${sorted.at(-1)?.toFixed(1)} s`;
  };
  return (['go', 'back'] as const).flatMap((way) => {
    const own = results.filter((result) => result.way === way);
    if (own.length === 0) return [];
    return [
      `${own.length} × ${way}, least / median / most: ${range(own.map(({ moved }) => moved.seconds))}`,
      `  without a plugin ${range(own.map(({ moved }) => moved.withoutPlugin))}, without a registration ${range(own.map(({ moved }) => moved.unregistered))}`,
      `  pods of the other plugin end within ${range(own.map(({ ended }) => ended))}, new ones start within ${range(own.map(({ started }) => started))}`,
      `  killed: ${own.reduce((sum, { moved }) => sum + moved.killed.length, 0)}`,
    ];
  });
}

const readsOf = async ({ plane }: Stage, claims: readonly Claim[]): Promise<ReadonlyMap<Claim, number>> =>
  new Map(await Promise.all(claims.map(async (claim) => [claim, (await reportOf(plane, readerOf(claim))).reads] as const)));

async function checkReaders({ plane }: Stage, before: ReadonlyMap<Claim, number>): Promise<void> {
  for (const [claim, least] of before) {
    const { reads, errors, first } = await reportOf(plane, readerOf(claim));
    if (errors > 0) throw new Error(`${readerOf(claim)}: ${errors} errors: ${first.join('; ')}`);
    if (reads <= least) throw new Error(`${readerOf(claim)} has not read since the move began`);
  }
}

/** Phases may be late, pods and mounts may not; a fault is one that stays. */
async function unchanged(stage: Stage, before: Awaited<ReturnType<typeof look>>): Promise<void> {
  const began = performance.now();
  for (;;) {
    const found = differences(before, await look(stage, isPassing));
    if (found.length === 0) return;
    if (!found.every((line) => line.startsWith('Dataset ')) || performance.now() - began > SETTLE_S * 1000)
      throw new Error(`a take-over changed what it must not:\n  ${found.join('\n  ')}`);
    await sleep(1000);
  }
}

/** The volume is unstaged by then, and the node has no label for its fuse pod. */
async function fuseEnds({ plane, node }: Stage): Promise<void> {
  await plane.kubectl('wait', '--for=delete', 'pod', '-l', `release=${ON_DEMAND},role=thin-fuse`, `--timeout=${SETTLE_S}s`);
  const labels = await plane.kubectl('get', 'node', node.name, '-o', 'jsonpath={.metadata.labels}');
  if (labels.includes(`fluid.io/f-default-${ON_DEMAND}`)) throw new Error(`the label of ${ON_DEMAND} is left on the node`);
}
