import { operationKinds } from '../../src/api/index.ts';
import type { KubeObject, Log } from '../../src/kube/types.ts';
import { createChecks } from './checks/checks.ts';
import { falseConditions } from './checks/conditions.ts';
import { divergence } from './checks/converged.ts';
import { restCheck } from './checks/rest.ts';
import type { WireRequest } from '../../src/api-server/wire/requests.ts';
import { createTroubles } from './happen.ts';
import { installTime } from './install-time.ts';
import type { Happening, Plan } from './plan.ts';
import { createRandom, hash } from './random.ts';
import { createTime, type Process } from './time.ts';
import { createWorld, type Place, type World } from './world.ts';

export interface Outcome {
  /** The violated check, in a sentence; undefined: every check holds. */
  readonly finding: string | undefined;
  /** Hash of all events: the same seed has the same. */
  readonly trace: number;
  readonly events: number;
  /** Passes over keys, in all processes. */
  readonly passes: number;
  /** The last lines of the trace. */
  readonly lines: readonly string[];
}

const START_MS = Date.parse('2026-01-02T03:04:05Z');
/** How long a world has to come to rest once faults have ended. */
const CALM_MS = 120_000;
/**
 * Operations act on what came to rest last: a run follows half a minute after mounts have changed, takes up to 12 s, and its operation may be
 * deleted 20 s after it.
 */
const RUNS_MS = 75_000;
/** How long it must be quiet after that. */
const QUIET_MS = 20_000;
const LOOK_MS = 500;

/** Runs a world from its start to its rest, and checks it. */
export async function run(plan: Plan, { keep = 0 }: { readonly keep?: number } = {}): Promise<Outcome> {
  const time = createTime(START_MS);
  const random = createRandom(`run ${plan.seed}`);
  // Most errors of a world are its own, and nobody reads where they came from; to know it, `--trace`.
  const { stackTraceLimit } = Error;
  if (keep === 0) Error.stackTraceLimit = 0;
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
  const onRejection = (error: unknown) => found(`a promise was rejected, and nothing caught it: ${textOfError(error)}`);
  process.on('unhandledRejection', onRejection);
  const troubles = createTroubles(plan, time, random.fork('faults'));
  const users = new Set<string>();
  const isUsers = (uid: string) => users.has(uid);
  const checks = createChecks({ plan, time, troubles, isUsers, found, world: () => world });
  const restart = (place: Place, error: unknown) => {
    note(`${place.identity} ends: ${error instanceof Error ? error.message : String(error)}`);
    world.kill(place);
    time.after(1000, () => place.process ?? world.start(place));
  };
  const world: World = createWorld(
    plan,
    time,
    {
      fateOf: troubles.fateOf,
      admit: troubles.admit,
      commandFate: () => troubles.commandFate(),
      onCommand(process) {
        note(`${process.name} exec`);
        checks.onCommand(process);
      },
      onSent: checks.onSent,
      onAnswered(process, request, answer, before) {
        note(`${process.name} ${textOf(request)} ${answer.status}`);
        checks.onAnswered(process, request, answer, before);
      },
      onDelivered: checks.onDelivered,
      onShown: checks.onShown,
      onStart: checks.onStart,
      onTick: () => troubles.tick(world.server),
      onEnd: restart,
      metricsOf: checks.metricsOf,
      createQueue: checks.createQueue,
      log: (process) => logOf(process, keep > 0 ? note : () => {}, (message, fields) => found(checks.logged(process, message, fields))),
    },
    random.fork('world'),
  );
  troubles.onStopped = checks.onStopped;
  const { server } = world;

  /** An object that a user creates is the user's. */
  function happens(happening: Happening): void {
    note(JSON.stringify(happening));
    const before = new Set(server.all().map(uidOf));
    const isDeed = 'does' in happening;
    if (isDeed && happening.does === 'free the lease') checks.leaseVanished();
    troubles.happens(happening, world);
    if (!isDeed) return;
    checks.edited();
    if (happening.does === 'create' || happening.does === 'forge')
      for (const object of server.all()) if (!before.has(uidOf(object))) users.add(uidOf(object));
  }

  try {
    for (const place of world.places) world.start(place);
    for (const happening of plan.happenings) time.after(happening.atMs, () => happens(happening));
    const look = () => {
      checks.look();
      time.after(LOOK_MS, look);
    };
    time.after(LOOK_MS, look);
    await time.runUntil(START_MS + plan.calmMs);
    troubles.end(world);
    note('all faults have ended');
    await time.runUntil(time.nowMs + CALM_MS);
    const wrong = await time.asWorld(async () => [
      ...(await divergence(server, plan, isUsers)),
      ...falseConditions(server),
      ...checks.atRest(),
    ]);
    for (const each of wrong) found(each);
    if (finding === undefined && operationKinds.some(({ kind }) => server.all(kind).length > 0)) await time.runUntil(time.nowMs + RUNS_MS);
    const rest = restCheck(world, plan, checks.passes);
    checks.onSentAtRest = (process, request) => found(rest.sent(process, request, textOf(request)));
    time.after(QUIET_MS / 4, rest.stir);
    if (finding === undefined) await time.runUntil(time.nowMs + QUIET_MS);
    found(rest.passed(checks.passes));
  } catch (error) {
    found(`the simulation ended: ${textOfError(error)}`);
  } finally {
    for (const place of world.places) world.kill(place);
    uninstall();
    Error.stackTraceLimit = stackTraceLimit;
    process.off('unhandledRejection', onRejection);
  }
  return { finding, trace, events: time.events, passes: checks.passes, lines };
}

const textOfError = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
const textOf = ({ verb, type, namespace, name, subresource, query }: WireRequest): string =>
  [verb, type.kind, [namespace, name, subresource].filter(Boolean).join('/'), query.get('continue') ?? ''].filter(Boolean).join(' ');

function logOf(process: Process, note: (line: string) => void, check: (message: string, fields: object) => void): Log {
  const line = (level: string) => (fields: object, message: string) => {
    check(message, fields);
    note(`${process.name} ${level} ${message} ${JSON.stringify(fields, errorsAsText)}`);
  };
  return { debug: () => {}, info: line('info'), warn: line('warn'), error: line('error') };
}
const errorsAsText = (_: string, value: unknown): unknown => (value instanceof Error ? value.message : value);
