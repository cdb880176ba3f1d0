import type { KubeObject, Log } from '../../src/kube/types.ts';
import { WRITES } from '../../src/testing/api-server/rules.ts';
import { divergence } from './checks/converged.ts';
import { createWriteCheck } from './checks/writes.ts';
import type { WireRequest } from './front.ts';
import { createTroubles } from './happen.ts';
import type { Plan } from './plan.ts';
import { createRandom, hash } from './random.ts';
import { createTime, installTime, type Process } from './time.ts';
import { createWorld, type Place, type World } from './world.ts';

export interface Outcome {
  /** What is wrong, in a sentence; undefined: every check holds. */
  readonly finding: string | undefined;
  /** Of everything that happened: the same seed has the same. */
  readonly trace: number;
  readonly events: number;
  /** The last lines of the trace. */
  readonly lines: readonly string[];
}

const START_MS = Date.parse('2026-01-02T03:04:05Z');
/** How long a world has to come to rest once faults have ended. */
const CALM_MS = 120_000;
/** How long it must be quiet after that. */
const QUIET_MS = 20_000;

class Finding extends Error {}

/** Runs a world from its start to its rest, and checks it. */
export async function run(plan: Plan, { keep = 0 }: { readonly keep?: number } = {}): Promise<Outcome> {
  const time = createTime(START_MS);
  const random = createRandom(`run ${plan.seed}`);
  const uninstall = installTime(time, START_MS, random.fork('process').next);
  const lines: string[] = [];
  let trace = 0;
  let finding: string | undefined;
  const note = (line: string): void => {
    const text = `${(time.nowMs - START_MS).toString().padStart(7)} ${line}`;
    trace = hash(text, trace);
    if (keep > 0 && lines.push(text) > keep) lines.shift();
  };
  const found = (what: string | undefined): void => {
    if (what === undefined || finding !== undefined) return;
    note(`FINDING ${what}`);
    finding = what;
  };
  const onRejection = (error: unknown) =>
    found(`a promise was rejected, and nothing caught it: ${error instanceof Error ? error.stack : String(error)}`);
  process.on('unhandledRejection', onRejection);
  let world: World | undefined;
  try {
    let isQuiet = false;
    const troubles = createTroubles(time, random.fork('faults'));
    const users = new Set<string>();
    world = createWorld(
      plan,
      time,
      {
        fateOf: troubles.fateOf,
        admit: troubles.refusalOf,
        commandFate: () => troubles.commandFate(),
        onCommand: (process) => note(`${process.name} exec`),
        onSent(process, request) {
          found(checks.sent(process, request));
          if (isQuiet && isRestless(request, server.all())) found(`nothing happens, but ${process.name} sends ${textOf(request)}`);
        },
        onAnswered(process, request, answer, before) {
          note(`${process.name} ${textOf(request)} ${answer.status}`);
          found(checks.answered(process, request, answer, before));
        },
        onEnd: (place, error) => restart(place, error),
        log: (process) => logOf(process, note, keep > 0),
      },
      random.fork('world'),
    );
    const { server } = world;
    const checks = createWriteCheck(server, (uid) => users.has(uid));
    const restart = (place: Place, error: unknown) => {
      note(`${place.identity} ends: ${error instanceof Error ? error.message : String(error)}`);
      world?.kill(place);
      time.after(1000, () => place.process ?? world?.start(place));
    };

    for (const place of world.places) world.start(place);
    for (const happening of plan.happenings)
      time.after(happening.atMs, () => {
        note(JSON.stringify(happening));
        const before = new Set(server.all().map(uidOf));
        troubles.happens(happening, world as World);
        if ('does' in happening && happening.does === 'create')
          for (const object of server.all()) if (!before.has(uidOf(object))) users.add(uidOf(object));
      });
    await time.runUntil(START_MS + plan.calmMs);
    troubles.end(world);
    note('all faults have ended');
    await time.runUntil(time.nowMs + CALM_MS);
    for (const each of await time.asWorld(() => divergence(server))) found(each);
    isQuiet = true;
    if (finding === undefined) await time.runUntil(time.nowMs + QUIET_MS);
  } catch (error) {
    found(error instanceof Finding ? error.message : `the simulation ended: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    for (const place of world?.places ?? []) world?.kill(place);
    uninstall();
    process.off('unhandledRejection', onRejection);
  }
  return { finding, trace, events: time.events, lines };
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
const textOf = ({ verb, type, namespace, name, subresource, query }: WireRequest): string =>
  [verb, type.kind, [namespace, name, subresource].filter(Boolean).join('/'), query.get('continue') ?? ''].filter(Boolean).join(' ');

/** A healthy cluster is left alone but for the lease, watches, and Secrets that are read again from time to time. */
function isRestless({ verb, type }: WireRequest, objects: readonly KubeObject[]): boolean {
  if (type.kind === 'Lease' || verb === 'watch') return false;
  // Pods of users are not watched: while some keep an object from being deleted, or fuse pods on a node, they are listed every ten seconds.
  if (verb === 'list' && type.kind === 'Pod' && objects.some(isHeldByPods)) return false;
  return WRITES.includes(verb) || verb === 'list';
}

const isHeldByPods = ({ metadata, status }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined ||
  ((status ?? {}) as { conditions?: readonly { type: string }[] }).conditions?.some(({ type }) => type === 'PlacementWaiting') === true;

function logOf(process: Process, note: (line: string) => void, isKept: boolean): Log {
  const line = (level: string) => (fields: object, message: string) => {
    if (isKept) note(`${process.name} ${level} ${message} ${JSON.stringify(fields, errorsAsText)}`);
  };
  return { debug: () => {}, info: line('info'), warn: line('warn'), error: line('error') };
}
const errorsAsText = (_: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
