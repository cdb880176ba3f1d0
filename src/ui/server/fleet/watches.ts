import { Dataset, operationKinds } from '../../../api/index.ts';
import type { Runtime } from '../../../constructs/index.ts';
import type { Clock } from '../../../kube/clock.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import { createLimiter } from '../../../kube/turns/limiter.ts';
import type { KubeObject, Log, ResourceType } from '../../../kube/types.ts';
import { type ObjectChange, reflect } from '../../../kube/watch/reflector.ts';
import { typeOf } from '../../../planning/kinds.ts';
import { createSharing } from '../../../planning/sharing.ts';
import { createProjections } from '../rows/kept.ts';
import { createFleet, type LiveFleet } from './fleet.ts';

export interface FleetWatches {
  readonly fleet: LiveFleet;
  /** Resolves when all kinds that are installed have been listed. */
  readonly ready: Promise<void>;
  stop(): void;
}

export interface WatchedOptions {
  readonly runtimes: readonly Runtime[];
  /** Absent: all. */
  readonly namespaces?: readonly string[];
  /** Whether the server may list a kind, by its plural, in a namespace, or in all if it is undefined. What it may not it does not watch. */
  readonly mayList: (plural: string, namespace: string | undefined) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Kinds listed at a time, since a list is many times as large as what is kept of it. */
const LISTS = 2;

/** Watches Datasets, runtimes and operations: once, however many look. */
export function watchFleet(client: KubeClient, { runtimes, namespaces, mayList, clock, log }: WatchedOptions): FleetWatches {
  const fleet = createFleet(clock.wall);
  const projections = createProjections(createSharing());
  const listing = createLimiter(LISTS, clock);
  const follow = <T extends KubeObject>(
    type: ResourceType,
    project: (object: KubeObject) => T,
    onChange: (change: ObjectChange<T>) => void,
  ) =>
    (namespaces ?? [undefined])
      .filter((namespace) => mayList(type.plural, namespace))
      .map((namespace) =>
        reflect<T>(client, type, { ...(namespace !== undefined && { namespace }), project, onChange, listing, log, clock }),
      );
  const watches = [
    ...follow(typeOf(Dataset), projections.dataset, fleet.onDataset),
    ...runtimes.flatMap((definition) =>
      follow(typeOf(definition.resource), projections.runtime, (change) => fleet.onRuntime(definition, change)),
    ),
    ...operationKinds.flatMap((kind) => follow(typeOf(kind), projections.operation, fleet.onOperation)),
  ];
  return {
    fleet,
    ready: Promise.all(watches.map(({ answered }) => answered)).then(() => {}),
    stop: () => watches.forEach((watch) => watch.stop()),
  };
}
