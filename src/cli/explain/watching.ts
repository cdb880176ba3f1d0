import { Dataset, label, operationKinds } from '../../api/index.ts';
import type { Runtime } from '../../constructs/index.ts';
import { type Clock, sleep, systemClock } from '../../kube/clock.ts';
import type { KubeClient, Selection } from '../../kube/contract.ts';
import type { KubeObject, ResourceType } from '../../kube/types.ts';
import { reflect } from '../../kube/watch/reflector.ts';
import { Event, ownedKinds, Pod, typeOf } from '../../planning/kinds.ts';

/** Between two looks. */
const LOOK_MS = 2000;
/** Without an event: the user may not watch every kind, and nodes and volumes are not watched. */
const ANYWAY_MS = 30_000;

interface Watching {
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  /** undefined: all. */
  readonly namespace: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Calls `look` every two seconds until the signal is aborted: with `true` if something that is explained may have changed since the last
 * call, or half a minute has passed. What else changes is the age of things.
 */
export async function lookAgain(
  { client, runtimes, namespace, signal, clock = systemClock }: Watching,
  look: (isNew: boolean) => Promise<void>,
): Promise<void> {
  let isNew = true;
  const onChange = () => void (isNew = true);
  const where = namespace === undefined ? {} : { namespace };
  const follow = (type: ResourceType, selection: Selection = {}) =>
    reflect(client, type, { ...where, ...selection, metadataOnly: true, project: versionOf, onChange, clock });
  const custom = [Dataset, ...operationKinds, ...runtimes.map(({ resource }) => resource)].map(typeOf);
  const watches = [
    ...custom.map((type) => follow(type)),
    ...[ownedKinds.StatefulSet, ownedKinds.DaemonSet, ownedKinds.Job].map((type) => follow(type, { labelSelector: label.owner })),
    follow(Pod),
    follow(ownedKinds.PersistentVolumeClaim),
    follow(Event, { fieldSelector: 'type=Warning' }),
  ];
  try {
    for (let lastAt = clock.monotonic(); !signal.aborted; await sleep(clock, LOOK_MS, signal).catch(() => {})) {
      const isDue = isNew || clock.monotonic() - lastAt >= ANYWAY_MS;
      isNew = false;
      if (isDue) lastAt = clock.monotonic();
      await look(isDue);
    }
  } finally {
    for (const watch of watches) watch.stop();
  }
}

const versionOf = ({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }: KubeObject): KubeObject =>
  // The cast: a field that is undefined counts as absent.
  ({ apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } }) as KubeObject;
