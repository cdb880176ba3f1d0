/** One mutant for each invariant: the module, the text that holds it, and what stands in its place. */
import type { PlantedFault } from '../support/planted.ts';

const LEASE = 'src/kube/lease';
const STORE = 'src/reconciler/kubernetes/store';
const APPLY = 'src/reconciler/kubernetes/apply';
const QUEUE = 'src/reconciler/queue.ts';

type Edit = readonly [file: string, find: string, replace: string];
const breaks = (name: string, reason: string, ...edits: readonly Edit[]): PlantedFault => ({
  name,
  reason,
  edits: edits.map(([file, find, replace]) => ({ file, find, replace })),
});

const lease: readonly PlantedFault[] = [
  breaks('L1', 'the window is ten times as long', [
    `${LEASE}/write-window.ts`,
    'return windowMs - Math.max(',
    'return 10 * windowMs - Math.max(',
  ]),
  breaks('L2', 'the window counts from the answer', [
    `${LEASE}/lease-requests.ts`,
    'window.open(sent);',
    'window.open({ ...sent, ...momentOf(clock) });',
  ]),
  breaks('L3', 'only the wall clock counts', [
    `${LEASE}/write-window.ts`,
    'Math.max(clock.wall() - opened.wall, clock.monotonic() - opened.monotonic)',
    'clock.wall() - opened.wall',
  ]),
  breaks('L4', 'the Lease of a living holder is taken too early', [
    `${LEASE}/sightings.ts`,
    'return at + goodForMs - elapsed;',
    'return at + goodForMs / 3 - elapsed;',
  ]),
  breaks('L5', 'a Lease that is free or its own is waited for', [
    `${LEASE}/sightings.ts`,
    "if (holder === '' || holder === identity || (holder !== undefined && !alive(holder))) return 0;",
    'if (holder === identity && !alive(holder)) return 0;',
  ]),
  breaks('L6', 'a Lease that vanished is taken at once', [
    `${LEASE}/sightings.ts`,
    'at: clock.monotonic(), goodForMs: promisedMs(object) };',
    'at: clock.monotonic(), goodForMs: isGone ? 0 : promisedMs(object) };',
  ]),
  breaks('L7', 'a taker overwrites whatever there is', [
    `${LEASE}/lease-record.ts`,
    'const { managedFields: _, ...metadata } = { ...lease?.metadata, namespace, name };',
    'const { managedFields: _, resourceVersion: __, ...metadata } = { ...lease?.metadata, namespace, name };',
  ]),
  breaks('L8', 'a renewal changes more than its time', [
    `${LEASE}/lease-record.ts`,
    '  spec: { ...lease.spec, renewTime: microTime(now) },',
    '  spec: { ...lease.spec, renewTime: microTime(now), leaseTransitions: (lease.spec?.leaseTransitions ?? 0) + 1 },',
  ]),
  breaks('L9', 'a renewal that failed is retried late', [`${LEASE}/leading.ts`, 'const RETRY_MS = 250;', 'const RETRY_MS = 1500;']),
  breaks('L10', 'a conflict ends the leadership', [
    `${LEASE}/leading.ts`,
    'if (!isOutdated(error, held)) continue;',
    "if (!isOutdated(error, held)) continue;\n      return { reason: 'taken by another process', held: undefined };",
  ]),
  breaks(
    'L11',
    'the Lease is released while passes go on',
    [`${LEASE}/lease.ts`, '      window.close();\n', ''],
    [`${LEASE}/lease.ts`, 'await attempt(() => onStopped(ended.reason));', 'void attempt(() => onStopped(ended.reason));'],
  ),
  breaks('L12', 'a leader that lost the Lease never leads again', [
    `${LEASE}/lease.ts`,
    'await attempt(() => onStopped(ended.reason));',
    'await attempt(() => onStopped(ended.reason));\n      break;',
  ]),
  breaks('L13', 'a process that cannot lead goes on for ever', [`${LEASE}/lease.ts`, 'if (failure) onFailed(failure.error);', '']),
  breaks('L14', 'a standby that is stopped goes on', [
    `${LEASE}/lease.ts`,
    '    stop() {\n      pauses.stop();\n      return ended;',
    '    stop() {\n      if (window.leftMs() > 0) pauses.stop();\n      return window.leftMs() > 0 ? ended : Promise.resolve();',
  ]),
];

const queue: readonly PlantedFault[] = [
  breaks('Q1', 'a key that is added while a pass runs gets a second one beside it', [
    QUEUE,
    "if (entry.state === 'running') entry.again = true;",
    "if (entry.state === 'running') {\n      entry.state = 'idle';\n      enqueue(entry);\n    }",
  ]),
  breaks('Q2', 'what is added while a pass runs is forgotten once it settles', [QUEUE, 'if (again) add(key);', '']),
  breaks('Q3', 'two additions are two passes', [
    QUEUE,
    'if (again) add(key);',
    'if (again) {\n      add(key);\n      setTimeout(() => add(key), 400);\n    }',
  ]),
  breaks('Q4', 'last come, first served', [
    QUEUE,
    'line.push(namespaceOf(key), key, ticket);',
    'line.push(namespaceOf(key), key, -ticket);',
  ]),
  breaks('Q5', 'the number of passes is not bounded', [
    QUEUE,
    'while (!stopping && running < concurrency && line.isReady)',
    'while (!stopping && line.isReady)',
  ]),
  breaks(
    'Q6',
    'a namespace with many keys keeps the others waiting',
    [QUEUE, 'line.push(namespaceOf(key), key, ticket);', "line.push('', key, ticket);"],
    [QUEUE, 'line.leave(namespaceOf(key));', "line.leave('');"],
  ),
  breaks('Q7', 'a key that fails is retried without a pause', [QUEUE, 'const FIRST_BACKOFF_MS = 50;', 'const FIRST_BACKOFF_MS = 5;']),
  breaks('Q8', 'after an event a failing key is retried late', [
    QUEUE,
    'const EVENT_BACKOFF_MS = 1000;',
    'const EVENT_BACKOFF_MS = 20_000;',
  ]),
  breaks('Q9', 'a key that waits keeps its place among those that run', [
    QUEUE,
    '    line.leave(namespaceOf(key));',
    '    if (heldSince === undefined) line.leave(namespaceOf(key));',
  ]),
  breaks('Q10', 'a key that waits is never looked at again by itself', [
    QUEUE,
    'return outcome.afterMs === undefined ? undefined : Math.max(1, outcome.afterMs);',
    'return undefined;',
  ]),
  breaks('Q11', 'the time that a key was held begins anew with each pass', [
    QUEUE,
    'entry.heldSince ??= clock.monotonic();',
    'entry.heldSince = clock.monotonic();',
  ]),
  breaks('Q12', 'an alarm outlives the pass that settled its key', [QUEUE, '    repeats.clear(key);\n', '']),
  breaks('Q13', 'passes begin after the stop', [QUEUE, 'while (!stopping && running < concurrency', 'while (running < concurrency']),
];

const store: readonly PlantedFault[] = [
  breaks('S1', 'what was written is not remembered', [`${STORE}/watches.ts`, '      own.remember(object, reflector);\n', '']),
  breaks('S2', 'what was found to be deleted is returned', [`${STORE}/watches.ts`, 'if (found) own.forget(object, found.reflector);', '']),
  breaks('S3', 'an answer hides what the watch has passed', [
    `${STORE}/own-writes.ts`,
    'return Math.max(seen ? version(seen) : 0, Number(watchedUpTo ?? 0)) < version(ours);',
    'return (seen ? version(seen) : 0) < version(ours);',
  ]),
  breaks('S4', 'the event of a write of its own wakes a key', [
    `${STORE}/owned.ts`,
    'if (isEcho || isOthersNews(change)) return;',
    'if (isOthersNews(change)) return;',
  ]),
  breaks('S5', 'a watch that hangs is not noticed', ['src/kube/watch/reflector.ts', 'expect: point.expect,', 'expect() {},']),
  breaks('S6', 'Secrets are kept', [
    `${STORE}/watches.ts`,
    'if (!found) return;',
    'if (!found) return own.remember(object, { get: () => undefined, status: {} } as never);',
  ]),
  breaks('S7', 'a key is woken before reads show what woke it', [
    'src/kube/watch/collection.ts',
    '    store.set(key, kept);\n    onChange(',
    '    setTimeout(() => store.set(key, kept), 5);\n    onChange(',
  ]),
  breaks('S8', 'an object of another namespace is in the inventory', [
    `${STORE}/objects.ts`,
    '(metadata.namespace ?? namespace) === namespace;',
    '(metadata.namespace ?? namespace) !== undefined;',
  ]),
  breaks('S9', 'the former owner of an object is not woken', [
    `${STORE}/owned.ts`,
    'const keys = [uid, oldUid].flatMap(',
    'const keys = [uid].flatMap(',
  ]),
  breaks('S10', 'pods of other namespaces count', [
    `${STORE}/pods.ts`,
    'string => `${namespace}/${uid}`;',
    "string => `${namespace && ''}/${uid}`;",
  ]),
  breaks('S11', 'a change of a profile wakes nobody', [
    `${STORE}/runtimes.ts`,
    'subscriptions.wake(companion.kind, change.object.metadata.name, change);',
    '',
  ]),
  breaks('S12', 'any change of a Dataset wakes its key', [
    `${STORE}/datasets.ts`,
    '!isNoNews(change.old, object);',
    'change.old !== object;',
  ]),
  breaks('S13', 'the ports of a runtime that is gone stay taken', [`${STORE}/runtimes.ts`, '          ports.gone(uid);\n', '']),
  breaks('S14', 'a spec that was not edited is another object', [
    `${STORE}/resources.ts`,
    "spec: spec === before?.['spec'] ? spec : piece(spec),",
    'spec: { ...(spec as object) },',
  ]),
];

const applier: readonly PlantedFault[] = [
  breaks('A1', 'an object of another owner is overwritten', [
    `${APPLY}/apply.ts`,
    '    if (!isOurs(existing, owner, store)) throw new NameTaken(existing, owner);\n',
    '',
  ]),
  breaks('A2', 'what does not exist is applied, not created', [
    `${APPLY}/writer.ts`,
    "const answer = await client.create(type, object, { fieldValidation: 'Strict' });",
    "const answer = await client.apply(type, object as KubeObject, { force: true, fieldValidation: 'Strict' });",
  ]),
  breaks('A3', 'a successor is overwritten', [
    `${APPLY}/writer.ts`,
    'const object = { ...desired, metadata: { ...desired.metadata, uid: live.metadata.uid } };',
    'const object = desired;',
  ]),
  breaks('A4', 'objects are written although nothing differs', [
    `${APPLY}/writer.ts`,
    'if (paths.length === 0) {',
    'if (paths.length < 0) {',
  ]),
  breaks('A5', 'a successor is deleted', [
    `${APPLY}/prune.ts`,
    "{ uid: metadata.uid, propagation: 'Background' }",
    "{ propagation: 'Background' }",
  ]),
  breaks('A6', 'what was lost is created again unasked', [
    `${APPLY}/apply.ts`,
    "return outline.kind !== 'Secret' && !seen(owner, outline);",
    'return false;',
  ]),
  breaks('A7', 'an object that fails keeps the others from being written', [
    `${APPLY}/apply.ts`,
    '          secrets.expire(owner, outline.name);\n          report.failed.push(failureOf(outline, error));\n',
    '          secrets.expire(owner, outline.name);\n          report.failed.push(failureOf(outline, error));\n          break;\n',
  ]),
  breaks('A8', 'a change that Kubernetes does not allow is sent', [
    `${APPLY}/writer.ts`,
    'const { manifest, immutable } = retain(recorded(owner, placed, live), live);',
    'const { manifest, immutable } = { manifest: placed, immutable: retain(placed, live).immutable.slice(0, 0) };',
  ]),
  breaks('A9', 'a fight with another writer goes on for ever', [`${APPLY}/fights.ts`, 'const LIMIT = 6;', 'const LIMIT = 600;']),
  breaks('A10', 'what admission changed is sent again', [
    `${APPLY}/admissions.ts`,
    '.filter(({ path, live: value }) => admitted?.sent !== sent || admitted.values.get(path) !== valueOf(value))',
    '.filter(({ path, live: value }) => admitted?.sent !== `${path} ${valueOf(value)}`)',
  ]),
  breaks('A11', 'a Secret is written and not read before', [
    `${APPLY}/apply.ts`,
    "kind === 'Secret' ? await secrets.read(owner, outline) : seen(owner, outline);",
    'seen(owner, outline);',
  ]),
  breaks('A12', 'fuse pods leave nodes on which pods mount the claim', [
    `${APPLY}/writer.ts`,
    "manifest.kind === 'DaemonSet' && !owner.placesNow",
    "manifest.kind === 'DaemonSet' && owner.placesNow === undefined",
  ]),
  breaks('A13', 'everything is pruned', [
    `${APPLY}/prune.ts`,
    'filter((object) => !kept.has(refOf(nameOf(object))) && !object.metadata.deletionTimestamp)',
    'filter((object) => kept.size > 0 && !object.metadata.deletionTimestamp)',
  ]),
];

/** Each numbered invariant of store, queue, applier and lease, broken by one mutant. */
export const mutants: readonly PlantedFault[] = [...lease, ...queue, ...store, ...applier];
