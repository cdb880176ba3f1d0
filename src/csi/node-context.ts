import type { Clock } from '../kube/clock.ts';
import type { Log } from '../kube/types.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import type { Departing } from './publish/departing.ts';
import type { FuseRelease } from './stage/fuse-release.ts';
import type { Host } from './mounts/host.ts';
import type { KnownVolumes } from './cluster/known-volumes.ts';
import type { Layers } from './mounts/layers.ts';
import type { Locks } from './grpc/locks.ts';
import type { NodeMetrics } from './metrics.ts';
import type { MountWatch } from './mounts/watch.ts';
import type { NodeLabels } from './cluster/own-node-labels.ts';
import type { StagedRecords } from './stage/records.ts';
import type { VolumeDefaults } from './volume.ts';

/** The dependencies of the CSI node service and of recovery. */
export interface NodeContext extends VolumeDefaults {
  readonly nodeId: string;
  /** The kubelet's directory without symbolic links, as the mount table has it. */
  readonly kubeletDir: string;
  /** The same directory as the kubelet names it in its calls. */
  readonly askedDir: string;
  /** Where the kubelet keeps a directory for the logs of each pod. */
  readonly podLogsDir: string;
  readonly host: Host;
  readonly watch: MountWatch;
  readonly cluster: NodeCluster;
  readonly labels: NodeLabels;
  readonly release: FuseRelease;
  readonly departing: Departing;
  readonly staged: StagedRecords;
  readonly volumes: KnownVolumes;
  readonly locks: Locks;
  readonly layers: Layers;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: NodeMetrics;
  /** Targets for which a publish call has returned why they are not published yet: the pod's events show the reason. */
  readonly explained: Set<string>;
  /** How long a first publish call waits for a mount before it returns the reason, ms; later calls for that target wait on. */
  readonly patienceMs: number;
}
