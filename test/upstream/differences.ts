/** Where we mean to differ from what Fluid made. Anything else that differs fails the test, and so does an entry that meets nothing. */
export interface Difference {
  /** `runtime/case`; all of them when absent. */
  readonly cases?: RegExp;
  /** `Kind/name`. */
  readonly object: RegExp;
  /** Empty for an object that only one of us makes. */
  readonly path: RegExp;
  /** What Fluid has there, as JSON; absent where it has nothing. */
  readonly fluid?: RegExp;
  readonly ours?: RegExp;
  readonly reason: string;
}

/** What helm renders for Fluid. */
const RENDERED = /^(ConfigMap|DaemonSet|StatefulSet|Service|Role|RoleBinding|ServiceAccount)\//;

export const differences: readonly Difference[] = [
  {
    object: RENDERED,
    path: /^metadata\.annotations\[meta\.helm\.sh\/release-(name|namespace)\]$/,
    fluid: /./,
    reason: 'We are no helm release.',
  },
  {
    object: RENDERED,
    path: /^(spec\.template\.)?metadata\.labels\[app\.kubernetes\.io\/managed-by\]$/,
    fluid: /^"Helm"$/,
    ours: /^"sluice"$/,
    reason: 'Helm does not manage our objects.',
  },
  {
    object: RENDERED,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.chart$/,
    fluid: /^"(thin-0\.1\.5|juicefs-0\.2\.16|alluxio-0\.9\.14)"$/,
    reason: 'There is no chart. A selector cannot change, so one with the version of a chart in it stands in the way of every upgrade.',
  },
  {
    object: RENDERED,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.heritage$/,
    fluid: /^"Helm"$/,
    reason: 'There is no helm. Workloads that were taken over keep the labels that they select by.',
  },
  {
    object: /./,
    path: /^metadata\.labels\[data\.fluid\.io\/owner-uid\]$/,
    ours: /^"<uid:(Thin|JuiceFS|Alluxio)Runtime\/[a-z]+(-demo)?>"$/,
    reason: 'Our inventory: what may be pruned.',
  },
  {
    cases: /^(juicefs|alluxio)/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.metadata\.annotations\[data\.fluid\.io\/script-hash\]$/,
    ours: /./,
    reason:
      'Options stand in a script or a ConfigMap outside of the template. With it, pods that run an older script are told apart, and clean policy OnFuseChanged heeds options as well as images.',
  },
  {
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[(thin|juicefs|alluxio)-fuse\]\.terminationMessagePolicy$/,
    fluid: /^"File"$/,
    ours: /^"FallbackToLogsOnError"$/,
    reason: 'Why a client ended stands in the status of its pod, and from there in the events of the pods that wait for it.',
  },
  {
    cases: /^juicefs/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.(volumes\[fuse-labels-downward-api-volume\]|containers\[juicefs-fuse\]\.volumeMounts\[.*\/\.meta\/fuse\])/,
    fluid: /./,
    reason:
      'Mounted within what reaches the host, it stays there when its pod has gone. Our node plugin reads the label from the fuse pod of its node.',
  },
  {
    object: /^ConfigMap\/.*-(thin|juicefs|alluxio)-values$/,
    path: /^$/,
    fluid: /^made$/,
    reason: 'The values of a helm release.',
  },
  {
    object: /^PersistentVolumeClaim\//,
    path: /^metadata\.annotations\[pv\.kubernetes\.io\/bind-completed\]$/,
    fluid: /^"yes"$/,
    reason: 'Written by Kubernetes when the claim is bound; ours was not stored.',
  },
  {
    cases: /^(juicefs|alluxio)\//,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[(juicefs|alluxio)-fuse\]\.env\.order$/,
    fluid: /^"(JFS_FOREGROUND|ALLUXIO_CLIENT_HOSTNAME) .* FLUID_RUNTIME_TYPE FLUID_RUNTIME_NS FLUID_RUNTIME_NAME.*"$/,
    ours: /^"FLUID_RUNTIME_TYPE FLUID_RUNTIME_NS FLUID_RUNTIME_NAME (JFS_FOREGROUND|ALLUXIO_CLIENT_HOSTNAME) /,
    reason: 'First for every runtime, as in Fluid for thin, so that the env of users can refer to them.',
  },
  {
    cases: /^juicefs\/ce-full$/,
    object: /^DaemonSet\/jfsdemo-fuse$/,
    path: /^metadata\.annotations\[deprecated\.daemonset\.template\.generation\]$/,
    fluid: /^"3"$/,
    ours: /^"1"$/,
    reason: 'Counted by Kubernetes: Fluid writes the template three times until it is as it should be.',
  },
  {
    cases: /^juicefs\/ce-replicas0$/,
    object: /^StatefulSet\/jfsdemo-worker$/,
    path: /^spec\.template\.spec\.affinity\.(nodeAffinity\.preferred|podAntiAffinity\.required)DuringSchedulingIgnoredDuringExecution\[0\]/,
    ours: /./,
    reason: 'Fluid leaves it out while there are no workers; those that come with scaling up would share their nodes.',
  },
  {
    cases: /^thin\/worker-enabled$/,
    object: /^ConfigMap\/demo-fuse-conf$/,
    path: /^data\[config\.json\]$/,
    fluid: /^"(.*)\\n"$/,
    ours: /^".*}"$/,
    reason: "The line break is the chart's, and Fluid takes it away as soon as the runtime is bound.",
  },
  {
    cases: /^thin\/worker-enabled$/,
    object: /^(StatefulSet\/demo-worker|PersistentVolume\/g-thin-worker-enabled-demo|PersistentVolumeClaim\/demo|NodeLabels\/workers)$/,
    path: /^$/,
    ours: /^made$/,
    reason: 'Fluid never makes the workers of a ThinRuntime and waits for them for ever; here they work.',
  },
  {
    cases: /^thin\//,
    object: /^DaemonSet\/.*-fuse$/,
    path: /^spec\.template\.spec\.containers\[thin-fuse\]\.volumeMounts\[\/etc\/fluid\/config\.json\]\.(mountPath|name|readOnly|subPath)$/,
    ours: /^("\/etc\/fluid\/config\.json"|"thin-conf"|true|"config\.json")$/,
    reason: 'config.json where Fluid once had it, too, so that images that look there go on working.',
  },
  {
    cases: /^thin\/csi-pv-profile$/,
    object: /^PersistentVolumeClaim\/user-pvc$/,
    path: /^$/,
    fluid: /^made$/,
    reason: "The user's own, so not among what we make. We put the same label fluid.io/managed-by on it, and nothing else.",
  },
  {
    cases: /^alluxio\//,
    object: /^(ConfigMap|StatefulSet)\//,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.name$/,
    fluid: /^"[a-z]+-(config|master)"$/,
    reason: 'It says what the name of the object says.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.selector\.matchLabels\.release$/,
    ours: /./,
    reason: 'Masters are selected as everything else. Workloads that were taken over keep the labels that they select by.',
  },
  {
    cases: /^alluxio\//,
    object: /^ConfigMap\/.*-config$/,
    path: /^metadata\.annotations\[helm\.sh\/hook(-delete-policy)?\]$/,
    fluid: /./,
    reason: 'There is no helm.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.affinity$/,
    fluid: /^{}$/,
    reason: 'Says nothing.',
  },
  {
    cases: /^alluxio\/(apigateway|full)$/,
    object: /^(StatefulSet|DaemonSet)\//,
    path: /^spec\.template\.spec\.containers\[(api-gateway|alluxio-fuse)\]\.resources\.(limits|requests)\.cpu$/,
    ours: /./,
    reason: 'As the spec says. Fluid passes over the resources of a gateway, and over those of a client without a limit of memory.',
  },
  {
    cases: /^alluxio\/(apigateway|full)$/,
    object: /^(StatefulSet|DaemonSet)\//,
    path: /^spec\.template\.spec\.containers\[(api-gateway|alluxio-fuse)\]\.resources$/,
    fluid: /^{}$/,
    reason: 'As above.',
  },
  {
    cases: /^alluxio\/containernet-shared$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.hostNetwork$/,
    fluid: /^true$/,
    reason: 'As the spec says: ContainerNetwork, which Fluid passes over for the client.',
  },
  {
    cases: /^alluxio\/containernet-shared$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.dnsPolicy$/,
    fluid: /^"ClusterFirstWithHostNet"$/,
    ours: /^"ClusterFirst"$/,
    reason: 'As above.',
  },
  {
    cases: /^alluxio\//,
    object: /^ConfigMap\/.*-mount-config$/,
    path: /^$/,
    fluid: /^made$/,
    reason:
      'Mounts are made by the controller from the table that the master keeps: one that is added, changed or removed needs no file to reach the pod.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.(volumes\[alluxio-mount-conf\]|containers\[alluxio-master\]\.(volumeMounts\[\/etc\/fluid\/scripts\]|startupProbe))/,
    fluid: /./,
    reason: 'As above. The probe mounts in Fluid, and has a master wait for as long as 20 seconds after it is up.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.containers\[alluxio-master\]\.command\[0\]$/,
    fluid: /^"\/etc\/fluid\/scripts\/entrypoint\.sh"$/,
    ours: /^"\/entrypoint\.sh"$/,
    reason: "Fluid's script puts secrets into the arguments of the process and then calls this one.",
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.containers\[alluxio-master\]\.readinessProbe\./,
    ours: /./,
    reason: 'A master that answers is ready, and mounts are made then.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-worker$/,
    path: /^spec\.template\.spec\.containers\[alluxio-worker\]\.readinessProbe\./,
    ours: /./,
    reason: 'A worker that the master knows is ready: a read fails before.',
  },
  {
    cases: /^alluxio\//,
    object: /^ConfigMap\/.*-config$/,
    path: /^data\.ALLUXIO_JAVA_OPTS\[-Dalluxio\.fuse\.special\.command\.enabled\]$/,
    ours: /=true"$/,
    reason: 'So clients can be told to forget what they remember of mounts that have changed, for ten minutes otherwise.',
  },
  {
    cases: /^alluxio\//,
    object: /^Service\/.*-master-0$/,
    path: /^spec\.publishNotReadyAddresses$/,
    ours: /^true$/,
    reason: 'Commands in the master, and workers, look for it by that name in the moment in which it is ready.',
  },
  {
    cases: /\/(ce-)?reference$/,
    object: /^(DaemonSet\/ref-fuse|PersistentVolume\/g-[-a-z]+-ref|PersistentVolumeClaim\/ref|ThinRuntime\/ref)$/,
    path: /^$/,
    fluid: /^made$/,
    reason: 'Reference datasets are not supported yet.',
  },
];

/** Cases that one of us refuses, so that there is nothing to compare: what Fluid says of them, and what we say. */
export interface Refusal {
  readonly fluid: string;
  readonly ours: string;
}
export const refusals: Readonly<Record<string, Refusal>> = {
  'thin/dup-mount-names': {
    fluid: 'Validation failed for spec fields of Dataset and Runtime: Dataset.spec.mounts[1].name: Duplicate value: "same"',
    ours: 'Dataset g-thin-dup-mount-names/demo: spec.mounts[1].name: expected a name that no other mount has, found "same"',
  },
  'thin/no-image': {
    fluid: 'fuse demo image is nil',
    ours: 'spec.fuse.image: expected an image, here or in profile g-thin-no-image-profile, found nothing',
  },
  'thin/pvc-mount': {
    fluid: 'persistent volume g-thin-pvc-mount-user-pv has unsupported volume source. only CSI is supported',
    ours: 'spec.mounts[0].mountPoint: expected a claim whose volume is of CSI, found volume g-thin-pvc-mount-user-pv of another kind',
  },
  'alluxio/bad-fuse-tag': {
    fluid: 'illegal version string "v10"',
    ours: 'spec.fuse.imageTag: expected a version such as 2.9.0, since versions are called in different ways, found "v10"',
  },
  'juicefs/ce-bad-quota': {
    fluid: 'invalid quota 10: quota 10 is too small, at least 1GiB for quota',
    ours: 'spec.mounts[0].options.quota: expected at least 1Gi, found "10"',
  },
  'juicefs/no-mounts': {
    fluid: 'nothing: its controller dies',
    ours: 'spec.mounts: expected a mount',
  },
  'juicefs/ce-quotalist': {
    fluid: 'nothing: one directory of the node by the name of "/cache1,/cache2", which is not what anybody meant',
    ours: 'spec.tieredstore.levels[0].path: expected directories separated by ":", found "/cache1,/cache2"',
  },
  'juicefs/ce-quotalist-only': {
    fluid: 'nothing: its controller dies once the worker is ready',
    ours: 'spec.tieredstore.levels[0].path: expected directories separated by ":", found "/cache1,/cache2"',
  },
};
