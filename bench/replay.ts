/**
 * What the API server can take: the writes of a run, the user's creates included, sent again by a bare client at 16 connections, in
 * another namespace. Each runtime's writes follow one another as they did in the run; what the server hands out (uids and
 * resourceVersions) is put in where the bodies name it.
 */
import { CONTROLLER, type Entry, isLease, isWrite, USER } from './audit.ts';
import { APPLY, JSON_PATCH, MERGE, type Method } from './client.ts';
import { atOnce, type Lab } from './lab.ts';

export interface Replay {
  readonly runtimes: number;
  readonly seconds: number;
  readonly requests: number;
  readonly failed: number;
}

const METHODS: Readonly<Record<string, Method>> = { create: 'POST', update: 'PUT', patch: 'PATCH' };

export async function replayed({ replay, audit }: Lab, mark: number, from: string, to: string): Promise<Replay> {
  const scripts = scriptsOf(audit.since(mark), from);
  let [requests, failed] = [0, 0];
  const began = performance.now();
  await atOnce(16, scripts, async (script) => {
    /** What our copy of each object is now, by `resource/name`. */
    const copies = new Map<string, { readonly uid: string; readonly resourceVersion: string }>();
    for (const entry of script) {
      const { method, path, body, contentType } = requestOf(entry, script, copies, from, to);
      requests++;
      try {
        const { metadata } = await replay.send(method, path, body, contentType);
        copies.set(idOf(entry), { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' });
      } catch (error) {
        if (++failed === 1) process.stderr.write(`replay: ${String(error).slice(0, 300)}\n`);
      }
    }
  });
  return { runtimes: scripts.length, seconds: (performance.now() - began) / 1000, requests, failed };
}

/** The successful writes of each runtime in the order in which they were made, the runtimes in the order of their creation. */
function scriptsOf(entries: readonly Entry[], namespace: string): readonly (readonly Entry[])[] {
  const scripts = new Map<string, Entry[]>();
  const writes = entries.filter((entry) => isWrite(entry) && !isLease(entry) && (entry.responseStatus?.code ?? 500) < 300);
  for (const entry of writes.toSorted((a, b) => a.requestReceivedTimestamp.localeCompare(b.requestReceivedTimestamp))) {
    if (![CONTROLLER, USER].includes(entry.user.username) || !entry.requestURI.includes(namespace) && !nameIn(entry).startsWith(namespace)) continue;
    const [name] = /d\d{4}/.exec(nameIn(entry)) ?? [];
    if (!name) continue;
    const script = scripts.get(name) ?? [];
    scripts.set(name, script);
    script.push(entry);
  }
  return [...scripts.values()];
}

type Body = Readonly<Record<string, unknown>> & { readonly metadata?: { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string } };
interface Op {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** Creates do not always have the name in their reference. */
const nameIn = ({ objectRef, requestObject }: Entry): string => objectRef?.name ?? (requestObject as Body | undefined)?.metadata?.name ?? '';
const idOf = (entry: Entry): string => `${entry.objectRef?.resource}/${nameIn(entry)}`;

function requestOf(entry: Entry, script: readonly Entry[], copies: ReadonlyMap<string, { readonly uid: string; readonly resourceVersion: string }>, from: string, to: string) {
  const { verb, requestURI, requestObject } = entry;
  let text = JSON.stringify(withVersion(requestObject as Body | readonly Op[], copies.get(idOf(entry))?.resourceVersion)).replaceAll(from, to);
  for (const [id, uid] of uidsIn(script)) text = text.replaceAll(uid, copies.get(id)?.uid ?? uid);
  return { method: METHODS[verb] ?? 'POST', path: requestURI.replaceAll(from, to), body: JSON.parse(text) as unknown, contentType: contentTypeOf(entry) };
}

function withVersion(body: Body | readonly Op[], resourceVersion: string | undefined): unknown {
  if (resourceVersion === undefined) return body;
  if (isOps(body)) return body.map((op) => (op.op === 'test' && op.path === '/metadata/resourceVersion' ? { ...op, value: resourceVersion } : op));
  return body.metadata?.resourceVersion ? { ...body, metadata: { ...body.metadata, resourceVersion } } : body;
}

/** The uids that the objects of the run had, as far as later writes name them. */
function uidsIn(script: readonly Entry[]): ReadonlyMap<string, string> {
  const uids = new Map<string, string>();
  for (const entry of script) {
    const body = entry.requestObject as Body | readonly Op[];
    const uid = isOps(body) ? body.find(({ op, path }) => op === 'test' && path === '/metadata/uid')?.value : entry.verb === 'patch' ? body.metadata?.uid : undefined;
    if (typeof uid === 'string') uids.set(idOf(entry), uid);
  }
  return uids;
}

function contentTypeOf({ verb, requestObject, requestURI }: Entry): string {
  if (verb !== 'patch') return 'application/json';
  if (isOps(requestObject as Body | readonly Op[])) return JSON_PATCH;
  // Only apply can be forced.
  return requestURI.includes('force=true') ? APPLY : MERGE;
}

const isOps = (body: Body | readonly Op[]): body is readonly Op[] => Array.isArray(body);
