/** `npm run alerts`: each alert fires on a real control plane with a real Prometheus, and none while all is well. */
import { setTimeout as pause } from 'node:timers/promises';
import { alertGroups } from '../../src/monitoring/alerts/all.ts';
import { type BoardData, boardData } from './board-data.ts';
import { alone, type Fault, NOT_MADE, together } from './faults.ts';
import { healthy, load, USERS } from './objects.ts';
import { type Stage, startStage } from './stage.ts';
import { apply, inUsers, until, within } from './world.ts';

export interface AlertsOptions {
  /** Minutes of healthy work, in the place of faults, with the rules as they are. */
  readonly healthyMinutes?: number;
  /** Only these faults: those with one of these alerts. */
  readonly only?: readonly string[];
  /** How long no alert may fire before the first fault, ms. Default 15,000. */
  readonly settlesMs?: number;
  say(line: string): void;
}

/** An hour of a rule is so many times shorter. */
const FACTOR = 60;
const SETTLES_MS = 15_000;

/** Returns whether all was as expected. */
export async function runAlerts({ healthyMinutes, only, settlesMs = SETTLES_MS, say }: AlertsOptions): Promise<boolean> {
  const isHealthy = healthyMinutes !== undefined;
  const began = performance.now();
  const stage = await startStage(isHealthy ? { time: (s) => s, interval: 5 } : { time: (s) => s / FACTOR, interval: 1 });
  let misses = 0;
  const boards = boardData(stage.prometheus, isHealthy ? '1m' : '10s');
  const line = (ok: boolean, text: string) => {
    if (!ok) misses++;
    say(`${ok ? '✓' : '✗'} ${text}`);
  };
  try {
    await stage.plane.kubectl('create', 'namespace', USERS);
    await apply(stage, ...healthy);
    await until('the Datasets are Bound', 90, async () => {
      const phases = await inUsers(stage, 'get', 'datasets', '-o', 'jsonpath={.items[*].status.phase}');
      return phases.split(' ').filter((each) => each === 'Bound').length === healthy.filter(({ kind }) => kind === 'Dataset').length;
    });
    say(`a control plane, controllers, webhook${stage.node ? ' and node plugin' : ''}: Datasets Bound after ${seconds(began)}`);
    await silentFor(stage, boards, isHealthy ? healthyMinutes * 60_000 : settlesMs, line, !isHealthy);
    if (!isHealthy) {
      const isWanted = ({ alerts }: Fault) => only === undefined || alerts.some((each) => only.includes(each));
      await fires(stage, boards, together.filter(isWanted), line);
      for (const fault of alone.filter(isWanted)) await fires(stage, boards, [fault], line);
      for (const [name, why] of Object.entries(NOT_MADE)) say(`- ${name}: not made to fire: ${why}`);
      const known = new Set([...[...together, ...alone].flatMap(({ alerts }) => alerts), ...Object.keys(NOT_MADE)]);
      for (const { name } of alertGroups(stage.settled).flatMap(({ alerts }) => alerts))
        if (!known.has(name)) line(false, `${name}: no fault, and no reason`);
    }
    for (const { board, all, without } of boards.found()) {
      line(without.length < all, `board ${board}: ${all - without.length} of ${all} queries had data`);
      for (const each of without) say(`    none: ${each}`);
    }
    say(`${misses === 0 ? 'all as expected' : `${misses} missed`}, after ${seconds(began)}`);
    return misses === 0;
  } finally {
    await stage.stop();
  }
}

type Line = (ok: boolean, text: string) => void;
const seconds = (since: number) => `${Math.round((performance.now() - since) / 1000)} s`;

/** Work goes on, and no alert fires. A set-up is no fault: alerts of its moments may still end, before the time counts. */
async function silentFor(stage: Stage, boards: BoardData, ms: number, line: Line, mayEnd: boolean): Promise<void> {
  if (mayEnd) await within(60, async () => (await stage.prometheus.firing()).length === 0);
  const began = performance.now();
  const fired = new Set<string>();
  for (let i = 0; performance.now() - began < ms; i++) {
    for (const { name, summary } of await stage.prometheus.firing()) fired.add(`${name}: ${summary}`);
    // A load that runs and ends.
    if (i % 30 === 0) await apply(stage, load(`warm-${i}`, 'well'));
    if (i % 5 === 4) await boards.look();
    if (i % 30 === 25) await inUsers(stage, 'delete', `dataload/warm-${i - 25}`, '--ignore-not-found');
    await pause(2000);
  }
  line(fired.size === 0, `silent for ${seconds(began)} of healthy work${fired.size === 0 ? '' : `, but: ${[...fired].join('; ')}`}`);
}

/** Longest that an alert may take: an hour of its rule, and the way of the fault to the metric. */
const PATIENCE_S = 180;

async function fires(stage: Stage, boards: BoardData, faults: readonly Fault[], line: Line): Promise<void> {
  if (faults.length === 0) return;
  const began = performance.now();
  const heals = [];
  for (const fault of faults) heals.push(await fault.make(stage));
  const wanted = new Set(faults.flatMap(({ alerts }) => alerts));
  const seen = new Map<string, string>();
  await within(PATIENCE_S, async () => {
    for (const { name, summary } of await stage.prometheus.firing()) if (!seen.has(name)) seen.set(name, `${seconds(began)}: ${summary}`);
    return [...wanted].every((name) => seen.has(name));
  });
  await boards.look();
  for (const fault of faults)
    for (const name of fault.alerts) line(seen.has(name), `${name}: ${seen.get(name) ?? `does not fire, with ${fault.what}`}`);
  for (const heal of heals.toReversed()) await heal();
  const healed = performance.now();
  const left = async () => (await stage.prometheus.firing()).map(({ name, summary }) => `${name}: ${summary}`);
  const isSilent = await within(PATIENCE_S, async () => (await left()).length === 0);
  line(isSilent, isSilent ? `silent ${seconds(healed)} after these faults were healed` : `still firing: ${(await left()).join('; ')}`);
}
