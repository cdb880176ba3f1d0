/**
 * The contract between the server of `sluice ui` and its page, as JSON. Both import it, so it has types and constants only. Times are ms since
 * 1970, sizes bytes, ratios 0 to 1; a figure that is not known is absent. Texts of the cluster are unchanged: the page shows them as text.
 */

/** Paths below the address of the page. All but `session` need the cookie that `session` sets, else 401. */
export const paths = {
  /** POST `{ token }`: the one-time token of the address, or in a cluster the viewer's own. Sets the cookie. */
  session: '/api/session',
  /** GET: `Fleet`. */
  fleet: '/api/fleet',
  /** GET: server-sent events, each `FleetChange` as `data`, its version as `id`. Begins after `?from=` a version, or with `Last-Event-ID`. */
  changes: '/api/changes',
  /** GET `/<namespace>/<name>`: `DatasetView`; 404. With `?language=zh` its advice is in Chinese. */
  datasets: '/api/datasets',
  /** GET: `NodeView[]`. */
  nodes: '/api/nodes',
  /** POST `/<namespace>/<name>` with the text of an edited manifest: `EditPreview`. */
  preview: '/api/preview',
} as const;

/** All that a viewer may see of the fleet. */
export interface Fleet {
  /** Version of this state: `changes` goes on from here. */
  readonly version: string;
  readonly viewer: Viewer;
  readonly datasets: readonly DatasetRow[];
  readonly operations: readonly OperationRow[];
}
export interface Viewer {
  /** As the API server knows them, or the name of the kubeconfig's user. */
  readonly name: string;
  /** The cluster or context, for the title. */
  readonly cluster: string;
  /** Namespaces shown; absent: all. */
  readonly namespaces?: readonly string[];
  /** Kinds, by plural, of which nothing is shown since the viewer may not list them. */
  readonly hidden: readonly string[];
}

export interface DatasetRow {
  readonly namespace: string;
  readonly name: string;
  /** Kind of the runtime that serves it; empty while none does. */
  readonly kind: string;
  /** `Bound`, `NotBound`, `Failed`, …; empty before the first status. */
  readonly phase: string;
  /** Whether `explain` says that all is well, as far as the conditions of Dataset and runtime tell. */
  readonly healthy: boolean;
  /** The gravest condition that needs attention. */
  readonly trouble?: Trouble;
  readonly cached?: number;
  readonly capacity?: number;
  readonly hits?: number;
  readonly data?: number;
  readonly files?: number;
  readonly created: number;
}
export interface Trouble {
  /** Type of the condition: `PodsCrashing`. */
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: number;
}
export interface OperationRow {
  readonly namespace: string;
  readonly name: string;
  /** `DataLoad`, … */
  readonly kind: string;
  /** Dataset, or for a migration each that it reads or writes, as `namespace/name`. */
  readonly datasets: readonly string[];
  readonly phase: string;
  readonly progress?: number;
  readonly created: number;
  /** Seconds that it has run, or took. */
  readonly seconds?: number;
  /** Cron schedule, and when it last ran. */
  readonly schedule?: string;
  readonly lastRun?: number;
  /** The operation that must be complete before, as `kind/namespace/name`. */
  readonly after?: string;
  readonly message?: string;
}

/** One message of `changes`: rows as they are now, and keys (`namespace/name`, operations `kind/namespace/name`) of those that are gone. */
export interface FleetChange {
  readonly version: string;
  /** Those of which only the `DatasetView` changed, as by a pod or an event, are among them. */
  readonly datasets?: readonly DatasetRow[];
  readonly operations?: readonly OperationRow[];
  readonly gone?: { readonly datasets?: readonly string[]; readonly operations?: readonly string[] };
  /** The page has to read `fleet` again: rights changed, or the version is too old. */
  readonly again?: true;
}

/** All about one Dataset. */
export interface DatasetView {
  readonly row: DatasetRow;
  /** Explanations of the Dataset, its runtime and its operations that are not over, in `explain`'s words. */
  readonly explanations: readonly ExplanationView[];
  /** From store to applications, in the order in which data flows. */
  readonly picture: Picture;
  readonly history: readonly HistoryEntry[];
  /** Samples, the oldest first, since the server began to watch, at most one a probe and 240 in all. */
  readonly samples: readonly Sample[];
  /** The Dataset, and its runtime if the viewer may read it; without managedFields, values that look secret redacted. */
  readonly manifests: readonly { readonly title: string; readonly yaml: string }[];
}
export interface ExplanationView {
  /** `Dataset ml/demo`. */
  readonly object: string;
  readonly phase: string;
  readonly healthy: boolean;
  readonly causes: readonly { readonly reason: string; readonly message: string; readonly since?: number; readonly toDo: string }[];
  readonly details: readonly string[];
}
export interface Picture {
  readonly parts: readonly PicturePart[];
  readonly links: readonly { readonly from: string; readonly to: string }[];
}
export interface PicturePart {
  readonly id: string;
  readonly role: 'store' | 'master' | 'worker' | 'node' | 'fuse' | 'application';
  /** `s3://bucket/images` without credentials, a workload, a pod, a node. */
  readonly title: string;
  readonly state: 'well' | 'waiting' | 'failing' | 'unknown';
  /** `3 of 3 ready`. */
  readonly detail?: string;
  /** Why it waits, in `explain`'s words. */
  readonly why?: string;
  /** How many more of the same are not drawn; a picture has at most 200 parts. */
  readonly more?: number;
}
export interface HistoryEntry {
  readonly at: number;
  /** `Dataset ml/demo`, `Pod ml/demo-worker-0`. */
  readonly object: string;
  readonly from: 'condition' | 'event';
  readonly severity: 'normal' | 'warning';
  readonly reason: string;
  readonly message: string;
  /** How often an event was seen. */
  readonly count?: number;
}
export interface Sample {
  readonly at: number;
  readonly cached?: number;
  readonly capacity?: number;
  readonly hits?: number;
}

export interface NodeView {
  readonly name: string;
  /** Absent if the viewer may not list nodes: then those are here that have pods which the viewer may see. */
  readonly ready?: boolean;
  readonly cordoned?: boolean;
  /** Whether the node plugin is registered there; absent if the viewer may not know. */
  readonly plugin?: boolean;
  /** Pods of Sluice's runtimes there. */
  readonly caches: readonly NodePod[];
  readonly clients: readonly NodePod[];
}
export interface NodePod {
  /** `namespace/name` of the Dataset. */
  readonly dataset: string;
  readonly pod: string;
  readonly ready: boolean;
}

/** The output of `sluice diff` for an edited manifest. */
export interface EditPreview {
  /** Faults and warnings of the manifest. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Unified differences of the objects that would change. */
  readonly changes: readonly { readonly object: string; readonly effect: string; readonly diff: string }[];
}
