import type { Registry } from 'prom-client';
import { nodeRows } from '../api/metrics/node.ts';
import type { Clock } from '../kube/clock.ts';
import { registered } from '../kube/metrics/registered.ts';
import { CsiError, status } from './grpc/errors.ts';
import { podPathOf } from './kubelet.ts';
import { isWithin, type MountInfo } from './mounts/mountinfo.ts';

/** Figures of the plugin's work, by Dataset. */
export interface NodeMetrics {
  /** @param error of the call, if it failed */
  published(fusePath: string, seconds: number, error?: unknown): void;
  recovered(fusePath: string, result: 'bound' | 'unseen' | 'failed'): void;
}

/** The node at the time of a scrape. */
export interface NodeState {
  /** The kubelet's directory, as the mount table has it. */
  readonly kubeletDir: string;
  readonly mounts: readonly MountInfo[];
  /** Whether a program waits in vain for the file system of this device. */
  isSilent(device: string): boolean;
}

interface NodeMetricsOptions {
  readonly mountRoot: string;
  /** Called at each scrape. Undefined until the plugin works. */
  readonly state: () => NodeState | undefined;
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
}

/** How long the series of a Dataset stay that the node does not show any more: Prometheus is to read its counters once more. */
const KEPT_MS = 3_600_000;
/** Whoever may write PersistentVolumes names their paths. */
const MOST_DATASETS = 500;
const PUBLISHES = nodeRows.sluice_csi_dataset_publishes_total.values.result;
const RECOVERIES = nodeRows.sluice_csi_dataset_recoveries_total.values.result;
const NAME = /^[a-z0-9][-a-z0-9.]{0,252}$/;

export function createNodeMetrics(registry: Registry, { mountRoot, state, clock }: NodeMetricsOptions): NodeMetrics {
  /** When a Dataset was last seen, on the monotonic clock; the oldest first. */
  const seenAt = new Map<string, number>();
  const made = registered(registry, nodeRows, { collect });

  function see(name: DatasetName): void {
    const text = textOf(name);
    // Prometheus sees no growth in the first value of a series.
    if (!seenAt.delete(text)) begin(name);
    seenAt.set(text, clock.monotonic());
    const [oldest = ''] = seenAt.keys();
    if (seenAt.size > MOST_DATASETS) forget(oldest);
  }
  function begin(name: DatasetName): void {
    for (const result of PUBLISHES) made.sluice_csi_dataset_publishes_total.inc({ ...name, result }, 0);
    for (const result of RECOVERIES) made.sluice_csi_dataset_recoveries_total.inc({ ...name, result }, 0);
  }
  function forget(text: string): void {
    seenAt.delete(text);
    const [namespace = '', dataset = ''] = text.split('/');
    const labels = { namespace, dataset };
    for (const result of PUBLISHES) made.sluice_csi_dataset_publishes_total.remove({ ...labels, result });
    for (const result of RECOVERIES) made.sluice_csi_dataset_recoveries_total.remove({ ...labels, result });
    made.sluice_csi_dataset_publish_seconds_total.remove(labels);
    made.sluice_csi_dataset_last_recovery_timestamp_seconds.remove(labels);
  }

  function collect(): void {
    const { sluice_csi_dataset_pods: pods, sluice_csi_dataset_hanging: hanging } = made;
    pods.reset();
    hanging.reset();
    const now = state();
    const shown = now && datasetsOn(now, mountRoot);
    for (const { name, podUids, isHanging } of shown ?? []) {
      see(name);
      pods.set(name, podUids.size);
      hanging.set(name, isHanging ? 1 : 0);
    }
    for (const [text, at] of seenAt) if (clock.monotonic() - at > KEPT_MS) forget(text);
  }

  return {
    published(fusePath, seconds, error) {
      const result = error === undefined ? 'published' : isEarly(error) ? 'waits' : 'refused';
      made.sluice_csi_publish_duration_seconds.observe({ result }, seconds);
      const name = datasetOf(fusePath, mountRoot);
      if (!name) return;
      see(name);
      made.sluice_csi_dataset_publishes_total.inc({ ...name, result });
      made.sluice_csi_dataset_publish_seconds_total.inc(name, seconds);
    },
    recovered(fusePath, result) {
      const name = datasetOf(fusePath, mountRoot);
      if (!name) return;
      see(name);
      made.sluice_csi_dataset_recoveries_total.inc({ ...name, result });
      if (result !== 'failed') made.sluice_csi_dataset_last_recovery_timestamp_seconds.set(name, clock.wall() / 1000);
    },
  };
}

const isEarly = (error: unknown): boolean => error instanceof CsiError && error.code === status.UNAVAILABLE;

/** The labels of a Dataset. */
interface DatasetName {
  readonly [label: string]: string;
  readonly namespace: string;
  readonly dataset: string;
}
const textOf = ({ namespace, dataset }: DatasetName): string => `${namespace}/${dataset}`;

/** The Dataset of a path `<mount root>/<type>/<namespace>/<name>`, or below it; undefined where these are no names of Kubernetes. */
function datasetOf(path: string, mountRoot: string): DatasetName | undefined {
  if (!isWithin(path, mountRoot)) return undefined;
  const [, , namespace = '', dataset = ''] = path.slice(mountRoot.length).split('/');
  return NAME.test(namespace) && NAME.test(dataset) ? { namespace, dataset } : undefined;
}

interface Shown {
  readonly name: DatasetName;
  readonly podUids: Set<string>;
  isHanging: boolean;
}

/** The bind mount of a pod has the device of the file system that it shows. */
function datasetsOn({ mounts, kubeletDir, isSilent }: NodeState, mountRoot: string): Iterable<Shown> {
  const byName = new Map<string, Shown>();
  const byDevice = new Map<string, Shown>();
  for (const { mountPoint, device } of mounts) {
    const name = datasetOf(mountPoint, mountRoot);
    if (!name) continue;
    const shown = byName.get(textOf(name)) ?? { name, podUids: new Set(), isHanging: false };
    byName.set(textOf(name), shown);
    byDevice.set(device, shown);
    if (isSilent(device)) shown.isHanging = true;
  }
  for (const { mountPoint, device } of mounts) {
    const podUid = podPathOf(mountPoint, kubeletDir)?.podUid;
    if (podUid !== undefined) byDevice.get(device)?.podUids.add(podUid);
  }
  return byName.values();
}
