import type { PlantedFault } from '../../support/planted.ts';
import { breaks } from './breaks.ts';

const LEASE = 'src/kube/lease';

/** One for each invariant of the election (src/kube/lease/lease.ts). */
export const leaseFaults: readonly PlantedFault[] = [
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
    [`${LEASE}/lease.ts`, 'known = held ?? ended.other;\n      window.close();\n', 'known = held ?? ended.other;\n'],
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
