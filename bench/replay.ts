/**
 * The limit of the API server: the writes of a run, the user's creates included, sent again by a bare client at 16 connections, in another
 * namespace, and the commands that were run in pods. Each runtime's follow one another as they did in the run; values that the server hands
 * out (uids and resourceVersions) are put in where the bodies name them. Everything is prepared before the clock starts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { KubeObject } from '../src/kube/types.ts';
import { CONTROLLER, type Entry, isExec, isLease, isWrite, nameIn, numberOf, USER } from './audit.ts';
import { APPLY, type Client, JSON_PATCH, MERGE, type Method } from './client.ts';
import type { Lab } from './lab.ts';
import { paths } from './objects.ts';

export interface Replay {
  readonly runtimes: number;
  readonly seconds: number;
  readonly requests: number;
  readonly failed: number;
}

type Step = Write | Exec;
/** One request, with blanks in its body. */
interface Write {
  readonly method: Method;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  /** The object of the write, as `resource/name`. */
  readonly about: string;
}
interface Exec {
  readonly pod: string;
  readonly path: string;
}
type Metadata = { readonly uid?: string; readonly resourceVersion?: string };

const CONNECTIONS = 16;
/** The last of a thousand pods at once starts late. */
const STARTING_MS = 900_000;

/** @param untilMs what was asked later, ms since the epoch, is left out */
export async function replayed({ replay, audit }: Lab, mark: number, untilMs: number, from: string, to: string): Promise<Replay> {
  const asked = audit.since(mark).filter(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp) <= untilMs);
  const scripts = scriptsOf(asked, from).map((script) => stepsOf(script, from, to));
  const pods = await podsIn(replay, to);
  const limit = pLimit(CONNECTIONS);
  let failed = 0;
  const began = performance.now();
  await Promise.all(
    scripts.map(async (steps) => {
      /** Our copies of the objects, as the server answered last. */
      const copies = new Map<string, Metadata>();
      const take = async (step: Step) => {
        if ('pod' in step) return replay.exec(step.path);
        const { method, path, body, about, contentType } = step;
        copies.set(about, (await replay.send(method, path, filled(body, about, copies), contentType)).metadata);
      };
      for (const stretch of stretchesOf(steps)) {
        const pod = podOf(stretch[0]!);
        if (pod !== undefined) await pods.ready(pod);
        await limit(async () => {
          for (const step of stretch)
            await take(step).catch((error: unknown) => {
              if (++failed === 1) process.stderr.write(`replay: ${String(error).slice(0, 300)}\n`);
            });
        });
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  pods.stop();
  return { runtimes: scripts.length, seconds, requests: scripts.reduce((sum, steps) => sum + steps.length, 0), failed };
}

/** A command, and a write to a pod, can be sent once the pod is ready. */
const podOf = (step: Step): string | undefined => ('pod' in step ? step.pod : /^pods\/(.*)$/.exec(step.about)?.[1]);

/** Steps that follow without a wait: a waiting step waits for its pod, and meanwhile others have the connection. */
function stretchesOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const started = new Set<string>();
  const stretches: Step[][] = [];
  for (const step of steps) {
    const pod = podOf(step);
    const waits = pod !== undefined && !started.has(pod);
    if (waits) started.add(pod);
    if (waits || stretches.length === 0) stretches.push([]);
    stretches.at(-1)?.push(step);
  }
  return stretches;
}

async function podsIn(replay: Client, namespace: string) {
  const pods = new Map<string, PromiseWithResolvers<void>>();
  const of = (name: string) => {
    const known = pods.get(name) ?? Promise.withResolvers<void>();
    pods.set(name, known);
    return known;
  };
  const stop = await replay.watch(paths.core(namespace, 'pods'), ({ object }) => isReady(object) && of(object.metadata.name).resolve());
  const late = async (name: string) => {
    await sleep(STARTING_MS, undefined, { ref: false });
    throw new Error(`expected pod ${name} to be ready, it was not after ${STARTING_MS / 1000} s`);
  };
  return { ready: (name: string) => Promise.race([of(name).promise, late(name)]), stop };
}
const isReady = ({ status }: KubeObject): boolean =>
  (status as { conditions?: readonly { type: string; status: string }[] }).conditions?.some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  ) === true;

const BLANK = /@(version|uid):([^@]*)@/g;
const VERSION = '@version:@';

const filled = (body: string, about: string, copies: ReadonlyMap<string, Metadata>): string =>
  body.replace(
    BLANK,
    (blank, what: string, of: string) => (what === 'uid' ? copies.get(of)?.uid : copies.get(about)?.resourceVersion) ?? blank,
  );

/** The successful writes and commands of each runtime in the order in which they were made, the runtimes in the order of their creation. */
function scriptsOf(entries: readonly Entry[], namespace: string): readonly (readonly Entry[])[] {
  const scripts = new Map<string, Entry[]>();
  const sent = entries.filter((entry) => (isWrite(entry) || isExec(entry)) && !isLease(entry) && (entry.responseStatus?.code ?? 500) < 300);
  for (const entry of sent.toSorted((a, b) => a.requestReceivedTimestamp.localeCompare(b.requestReceivedTimestamp))) {
    const name = numberOf(entry);
    const isPart = [CONTROLLER, USER].includes(entry.user.username) && (entry.objectRef?.namespace ?? nameIn(entry)).startsWith(namespace);
    if (!name || !isPart) continue;
    const script = scripts.get(name) ?? [];
    scripts.set(name, script);
    script.push(entry);
  }
  return [...scripts.values()];
}

function stepsOf(script: readonly Entry[], from: string, to: string): readonly Step[] {
  const uids = uidsIn(script);
  return script.map((entry): Step => {
    const path = entry.requestURI.replaceAll(from, to);
    if (isExec(entry)) return { pod: nameIn(entry), path };
    let body = JSON.stringify(withBlankVersion(entry.requestObject as Body)).replaceAll(from, to);
    for (const [id, uid] of uids) body = body.replaceAll(uid, `@uid:${id}@`);
    return {
      method: entry.verb === 'create' ? 'POST' : 'PATCH',
      path,
      contentType: contentTypeOf(entry),
      body,
      about: idOf(entry),
    };
  });
}

type Body =
  | readonly Op[]
  | (Readonly<Record<string, unknown>> & {
      readonly metadata?: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string };
    });
interface Op {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}
const isOps = (body: Body): body is readonly Op[] => Array.isArray(body);

const idOf = (entry: Entry): string => `${entry.objectRef?.resource}/${nameIn(entry)}`;

function withBlankVersion(body: Body): Body {
  if (isOps(body)) return body.map((op) => (op.op === 'test' && op.path === '/metadata/resourceVersion' ? { ...op, value: VERSION } : op));
  return body.metadata?.resourceVersion ? { ...body, metadata: { ...body.metadata, resourceVersion: VERSION } } : body;
}

/** The uids that the objects of the run had, as far as patches name them. */
function uidsIn(script: readonly Entry[]): ReadonlyMap<string, string> {
  const uids = new Map<string, string>();
  for (const entry of script.filter(({ verb }) => verb === 'patch')) {
    const body = entry.requestObject as Body;
    const uid = isOps(body) ? body.find(({ op, path }) => op === 'test' && path === '/metadata/uid')?.value : body.metadata?.uid;
    if (typeof uid === 'string') uids.set(idOf(entry), uid);
  }
  return uids;
}

function contentTypeOf({ verb, requestObject, requestURI }: Entry): string {
  if (verb !== 'patch') return 'application/json';
  if (isOps(requestObject as Body)) return JSON_PATCH;
  // Only apply can be forced.
  return requestURI.includes('force=true') ? APPLY : MERGE;
}
