/** Intended differences from the objects that Fluid creates. Any other difference fails the test, and so does an entry that matches none. */
export interface Difference {
  /** `runtime/case`; all of them when absent. */
  readonly cases?: RegExp;
  /** `Kind/name`. */
  readonly object: RegExp;
  /** Empty for an object that only Fluid or only Sluice creates. */
  readonly path: RegExp;
  /** Fluid's value, as JSON; absent if Fluid has none. */
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
    reason: 'Sluice creates no helm releases.',
  },
  {
    object: RENDERED,
    path: /^(spec\.template\.)?metadata\.labels\[app\.kubernetes\.io\/managed-by\]$/,
    fluid: /^"Helm"$/,
    ours: /^"sluice"$/,
    reason: 'Helm does not manage objects of Sluice.',
  },
  {
    object: RENDERED,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.chart$/,
    fluid: /^"(thin-0\.1\.5|juicefs-0\.2\.16|alluxio-0\.9\.14|jindofs-1\.0\.5(-client)?)"$/,
    reason: 'Sluice has no chart. A selector cannot change, so a chart version in it would prevent upgrades.',
  },
  {
    object: RENDERED,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.heritage$/,
    fluid: /^"Helm"$/,
    reason: 'Sluice does not use helm. Workloads that were taken over keep their selectors.',
  },
  {
    object: /./,
    path: /^metadata\.labels\[data\.fluid\.io\/owner-uid\]$/,
    ours: /^"<uid:(Thin|JuiceFS|Alluxio|Jindo)Runtime\/[a-z]+(-demo)?>"$/,
    reason: 'The inventory of Sluice: only objects with this label may be pruned.',
  },
  {
    object: /^DaemonSet\//,
    path: /^metadata\.annotations\[data\.fluid\.io\/sidecar\]$/,
    ours: /caches/,
    reason:
      'Says which volumes a sidecar does not get. Fluid goes by the first letters of their names, which may be those of a volume of the user.',
  },
  {
    cases: /^(juicefs|alluxio|jindo)/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.metadata\.annotations\[data\.fluid\.io\/script-hash\]$/,
    ours: /./,
    reason:
      'Options are in a script or a ConfigMap outside of the template. The hash shows which pods run an older script. Clean policy OnFuseChanged follows it, so it covers options as well as images.',
  },
  {
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[(thin|juicefs|alluxio|jindofs)-fuse\]\.terminationMessagePolicy$/,
    fluid: /^"File"$/,
    ours: /^"FallbackToLogsOnError"$/,
    reason: 'The status of the fuse pod says why its client ended. The events of pods that wait for the mount repeat it.',
  },
  {
    cases: /^juicefs/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.(volumes\[fuse-labels-downward-api-volume\]|containers\[juicefs-fuse\]\.volumeMounts\[.*\/\.meta\/fuse\])/,
    fluid: /./,
    reason:
      'This mount lies within the directory that propagates to the host, and stays there after its pod is deleted. The node plugin of Sluice reads the label from the fuse pod.',
  },
  {
    object: /^ConfigMap\/.*-(thin|juicefs|alluxio|jindocache|jindofsx)-values$/,
    path: /^$/,
    fluid: /^made$/,
    reason: 'The ConfigMap has the values of a helm release.',
  },
  {
    object: /^PersistentVolumeClaim\//,
    path: /^metadata\.annotations\[pv\.kubernetes\.io\/bind-completed\]$/,
    fluid: /^"yes"$/,
    reason: 'Kubernetes writes it when the claim is bound. The claim that the test renders was never stored.',
  },
  {
    cases: /^(juicefs|alluxio|jindo|jindofsx)\//,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[(juicefs|alluxio|jindofs)-fuse\]\.env\.order$/,
    fluid:
      /^"(JFS_FOREGROUND|ALLUXIO_CLIENT_HOSTNAME|CLIENT_NAMESPACE_RPC_ADDRESS) .* FLUID_RUNTIME_TYPE FLUID_RUNTIME_NS FLUID_RUNTIME_NAME.*"$/,
    ours: /^"FLUID_RUNTIME_TYPE FLUID_RUNTIME_NS FLUID_RUNTIME_NAME (JFS_FOREGROUND|ALLUXIO_CLIENT_HOSTNAME|CLIENT_NAMESPACE_RPC_ADDRESS|FLUID_FUSE_MOUNTPOINT) /,
    reason: 'These variables come first for every runtime, as in Fluid for thin, so that the env of users can refer to them.',
  },
  {
    cases: /^juicefs\/ce-full$/,
    object: /^DaemonSet\/jfsdemo-fuse$/,
    path: /^metadata\.annotations\[deprecated\.daemonset\.template\.generation\]$/,
    fluid: /^"3"$/,
    ours: /^"1"$/,
    reason: 'Kubernetes counts the changes of the template. Fluid writes it three times, Sluice once.',
  },
  {
    cases: /^juicefs\/ce-replicas0$/,
    object: /^StatefulSet\/jfsdemo-worker$/,
    path: /^spec\.template\.spec\.affinity\.(nodeAffinity\.preferred|podAntiAffinity\.required)DuringSchedulingIgnoredDuringExecution\[0\]/,
    ours: /./,
    reason: 'Fluid omits it while replicas are 0. Workers of a later scale-up would then share nodes.',
  },
  {
    cases: /^thin\/worker-enabled$/,
    object: /^ConfigMap\/demo-fuse-conf$/,
    path: /^data\[config\.json\]$/,
    fluid: /^"(.*)\\n"$/,
    ours: /^".*}"$/,
    reason: 'The line break comes from the chart. Fluid removes it when the runtime is bound.',
  },
  {
    cases: /^thin\/worker-enabled$/,
    object: /^(StatefulSet\/demo-worker|PersistentVolume\/g-thin-worker-enabled-demo|PersistentVolumeClaim\/demo|NodeLabels\/workers)$/,
    path: /^$/,
    ours: /^made$/,
    reason: 'Fluid never creates the workers of a ThinRuntime, and waits for them for ever. Sluice creates them.',
  },
  {
    cases: /^thin\//,
    object: /^DaemonSet\/.*-fuse$/,
    path: /^spec\.template\.spec\.containers\[thin-fuse\]\.volumeMounts\[\/etc\/fluid\/config\.json\]\.(mountPath|name|readOnly|subPath)$/,
    ours: /^("\/etc\/fluid\/config\.json"|"thin-conf"|true|"config\.json")$/,
    reason: 'Older versions of Fluid had config.json at this path. Images that read it there keep working.',
  },
  {
    cases: /^thin\/csi-pv-profile$/,
    object: /^PersistentVolumeClaim\/user-pvc$/,
    path: /^$/,
    fluid: /^made$/,
    reason:
      "The claim is the user's, so it is not among the objects that Sluice renders. Sluice sets only the label fluid.io/managed-by on it, as Fluid does.",
  },
  {
    cases: /^(alluxio|jindo|jindofsx)\//,
    object: /^(ConfigMap|StatefulSet)\//,
    path: /^((spec\.template\.)?metadata\.labels|spec\.selector\.matchLabels)\.name$/,
    fluid: /^"[a-z]+-((jindofs-)?(client-)?config|(jindofs-)?master)"$/,
    reason: 'The label repeats the name of the object.',
  },
  {
    cases: /^(alluxio|jindo|jindofsx)\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.selector\.matchLabels\.release$/,
    ours: /./,
    reason: 'Masters have the same selector as all other workloads. Workloads that were taken over keep their selectors.',
  },
  {
    cases: /^(alluxio|jindo|jindofsx)\//,
    object: /^ConfigMap\/.*-config$/,
    path: /^metadata\.annotations\[helm\.sh\/hook(-delete-policy)?\]$/,
    fluid: /./,
    reason: 'Sluice does not use helm.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.affinity$/,
    fluid: /^{}$/,
    reason: 'An empty affinity has no effect.',
  },
  {
    cases: /^alluxio\/(apigateway|full)$/,
    object: /^(StatefulSet|DaemonSet)\//,
    path: /^spec\.template\.spec\.containers\[(api-gateway|alluxio-fuse)\]\.resources\.(limits|requests)\.cpu$/,
    ours: /./,
    reason: 'Sluice follows the spec. Fluid ignores the resources of a gateway, and those of a client without a memory limit.',
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
    reason: 'Sluice follows the spec. Fluid ignores ContainerNetwork for the client.',
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
    cases: /^alluxio\/full$/,
    object: /^(StatefulSet\/.*-worker|DaemonSet\/.*-fuse)$/,
    path: /^spec\.template\.spec\.initContainers\[/,
    ours: /./,
    reason:
      'The container gives the directories of the node to the user of runAs. Fluid has it in its chart, and never renders it, so that this user cannot write there.',
  },
  {
    cases: /^alluxio\/full$/,
    object: /^ConfigMap\/.*-users$/,
    path: /^$/,
    ours: /^made$/,
    reason: 'The user of runAs needs a name in each container. Fluid has such files in its chart, and never renders them.',
  },
  {
    cases: /^alluxio\/full$/,
    object: /^(StatefulSet|DaemonSet)\//,
    path: /^spec\.template\.spec\.(volumes\[alluxio-users\]|containers\[.*\]\.volumeMounts\[\/etc\/(passwd|group)\])/,
    ours: /./,
    reason: 'As above.',
  },
  {
    cases: /^alluxio\/full$/,
    object: /^ConfigMap\/.*-config$/,
    path: /^data\.ALLUXIO_JAVA_OPTS\[-Dalluxio\.master\.metastore\.dir\]$/,
    ours: /=\/journal\/metastore"$/,
    reason: 'A master of another user than root cannot write into the directory of the image.',
  },
  {
    cases: /^alluxio\//,
    object: /^ConfigMap\/.*-mount-config$/,
    path: /^$/,
    fluid: /^made$/,
    reason:
      'The controller of Sluice compares the mounts with the table of the master, and changes them by commands. It needs no file in the pod.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.(volumes\[alluxio-mount-conf\]|containers\[alluxio-master\]\.(volumeMounts\[\/etc\/fluid\/scripts\]|startupProbe))/,
    fluid: /./,
    reason: 'As above. In Fluid the startup probe mounts, and delays a master that serves by up to 20 seconds.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.containers\[alluxio-master\]\.command\[0\]$/,
    fluid: /^"\/etc\/fluid\/scripts\/entrypoint\.sh"$/,
    ours: /^"\/entrypoint\.sh"$/,
    reason: 'The script of Fluid puts secrets into the arguments of the process, then calls the script that Sluice calls.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.template\.spec\.containers\[alluxio-master\]\.readinessProbe\./,
    ours: /./,
    reason: 'A master is ready when it answers. The controller then mounts.',
  },
  {
    cases: /^alluxio\//,
    object: /^StatefulSet\/.*-worker$/,
    path: /^spec\.template\.spec\.containers\[alluxio-worker\]\.readinessProbe\./,
    ours: /./,
    reason: 'A worker is ready when it has registered with the master. A read before that fails.',
  },
  {
    cases: /^alluxio\//,
    object: /^ConfigMap\/.*-config$/,
    path: /^data\.ALLUXIO_JAVA_OPTS\[-Dalluxio\.fuse\.special\.command\.enabled\]$/,
    ours: /=true"$/,
    reason: 'With it, a command drops what clients cache of changed mounts. Otherwise clients keep it for ten minutes.',
  },
  {
    cases: /^(alluxio|jindo|jindofsx)\//,
    object: /^Service\/.*-master-[012]$/,
    path: /^spec\.publishNotReadyAddresses$/,
    ours: /^true$/,
    reason: 'Workers, and commands in the master, resolve this name at the moment when the master becomes ready.',
  },
  {
    cases: /^jindo/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.metadata\.labels\[sidecar\.istio\.io\/inject\]$/,
    ours: /^"false"$/,
    reason: 'As for every other runtime. Newer versions of Istio read the label, not the annotation.',
  },
  {
    cases: /^jindo/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.spec\.enableServiceLinks$/,
    ours: /^false$/,
    reason: 'As for every other runtime: Services of the namespace do not fill the environment of the pods.',
  },
  {
    cases: /^jindo/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[jindofs-fuse\]\.securityContext\.runAsUser$/,
    ours: /^0$/,
    reason: 'The container of a client says itself that it runs as root, as for every other runtime: a sidecar has only the container.',
  },
  {
    cases: /^jindo/,
    object: /^StatefulSet\/.*-master$/,
    path: /^spec\.(podManagementPolicy|serviceName)$/,
    fluid: /^"(OrderedReady|jindofs-master)"$/,
    ours: /^"(Parallel|[a-z]+-jindofs-master)"$/,
    reason:
      'Three masters elect a leader, so all of them start at once. No Service has either name. StatefulSets that were taken over keep both, which cannot change.',
  },
  {
    cases: /^jindo\//,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.spec\.containers\[jindofs-(worker|fuse)\]\.volumeMounts\[\/hdfs-3\.2\.1\/etc\/hadoop\/core-site\.xml\]\.(mountPath|name|subPath)$/,
    fluid: /./,
    reason: 'The ConfigMap of a JindoCache has no such file, so that an empty directory would appear in its place.',
  },
  {
    cases: /^jindo\/full-containernet$/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.spec\.containers\[jindofs-(master|worker|fuse)\]\.volumeMounts\[\/hdfs-3\.2\.1\/etc\/hadoop\/core-site\.xml\]\.(mountPath|name|subPath)$/,
    ours: /./,
    reason: 'Sluice mounts the core-site.xml of spec.hadoopConfig, which Fluid reads and never mounts.',
  },
  {
    cases: /^jindo\/full-containernet$/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.spec\.containers\[jindofs-(worker|fuse)\]\.volumeMounts\[\/hdfs-3\.2\.1\/etc\/hadoop\/core-site\.xml\]\.name$/,
    fluid: /^"bigboot-config"$/,
    ours: /^"hdfs-confs"$/,
    reason: 'As above.',
  },
  {
    cases: /^jindo\/full-containernet$/,
    object: /^(DaemonSet|StatefulSet)\//,
    path: /^spec\.template\.spec\.containers\[jindofs-(master|worker|fuse)\]\.volumeMounts\[\/hdfs-site\.xml\]\.(mountPath|name|subPath)$/,
    fluid: /./,
    reason: 'The ConfigMap of spec.hadoopConfig has no hdfs-site.xml, so that an empty directory would appear in its place.',
  },
  {
    cases: /^jindo\/full-containernet$/,
    object: /^StatefulSet\/.*-worker$/,
    path: /^spec\.template\.spec\.(volumes\[hp\]|containers\[jindofs-worker\]\.volumeMounts\[\/opt\/x\])/,
    ours: /./,
    reason: 'Sluice follows the spec. Fluid ignores spec.worker.volumeMounts.',
  },
  {
    cases: /^jindo\/full-containernet$/,
    object: /^DaemonSet\//,
    path: /^metadata\.annotations\[deprecated\.daemonset\.template\.generation\]$/,
    fluid: /^"2"$/,
    ours: /^"1"$/,
    reason: 'Kubernetes counts the changes of the template. Fluid adds the annotation for Prometheus in a second write.',
  },
  {
    cases: /^jindo\//,
    object: /^ConfigMap\/.*-jindofs-config$/,
    path: /^data\[jindocache\.cfg\]\[jindocache-worker\]\[storage\.watermark\.(high|low)\.ratio\]$/,
    fluid: /^""$/,
    reason: 'Where the spec says nothing, Jindo uses its own watermarks. Fluid writes empty ones.',
  },
  {
    cases: /^jindo\/ha3$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[jindofs-fuse\]\.env\[CLIENT_NAMESPACE_RPC_ADDRESS\]\.value$/,
    fluid: /^"jd-jindofs-master-0\.g-jindo-ha3:18565"$/,
    ours: /master-0\.g-jindo-ha3:18565,.*master-1\.g-jindo-ha3:18565,.*master-2\.g-jindo-ha3:18565"$/,
    reason: 'The client knows all three masters. In Fluid it knows only the first, and cannot do without it.',
  },
  {
    cases: /^jindo\/master-disabled$/,
    object: /^(StatefulSet\/jd-jindofs-(master|worker)|Service\/jd-jindofs-master-0|ConfigMap\/jd-jindofs-client-config)$/,
    path: /^$/,
    fluid: /^made$/,
    reason: 'Sluice creates nothing for masters and workers that are disabled.',
  },
  {
    cases: /^jindo\/master-disabled$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[jindofs-fuse\]\.env\[CLIENT_NAMESPACE_RPC_ADDRESS\]\.(name|value)$/,
    fluid: /./,
    reason: 'As above: there is no master with this address.',
  },
  {
    cases: /^jindo\/master-disabled$/,
    object: /^ConfigMap\/jd-jindofs-config$/,
    path: /^data\[.*\]\[.*\]\[(fs\.jindocache\.storage|storage|namespace)\.rpc\.port\]$/,
    fluid: /^"1[0-9]+"$/,
    ours: /^"(8101|6101)"$/,
    reason: 'As above: nothing listens, so no port of the node is allocated.',
  },
  {
    cases: /^jindo\/master-disabled$/,
    object: /^ConfigMap\/jd-jindofs-config$/,
    path: /^data\[jindocache\.cfg\]\[jindocache-worker\]\[storage\.(data-dirs\.capacities|ram\.cache\.size|slicelet\.buffer\.size)\]$/,
    fluid: /^"1Gi"$/,
    ours: /^"1g"$/,
    reason: 'Without tiers the size has the unit of Jindo, as with tiers.',
  },
  {
    cases: /^jindo\/master-disabled$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[jindofs-fuse\]\.args\[(1|2)\]$/,
    fluid: /^"(-ouri=oss:\/\/b\/x|-ometrics_port=0)"$/,
    ours: /^"-ometrics_port=0"$/,
    reason: 'The user has said -ouri already. Fluid says it twice.',
  },
  {
    cases: /^jindo\/master-disabled$/,
    object: /^DaemonSet\//,
    path: /^spec\.template\.spec\.containers\[jindofs-fuse\]\.args\[2\]$/,
    fluid: /^"-ometrics_port=0"$/,
    reason: 'As above.',
  },
  {
    cases: /\/(ce-)?reference$/,
    object: /^(DaemonSet\/ref-fuse|PersistentVolume\/g-[-a-z]+-ref|PersistentVolumeClaim\/ref|ThinRuntime\/ref)$/,
    path: /^$/,
    fluid: /^made$/,
    reason: 'Reference Datasets are not supported yet.',
  },
];

/** Inputs that Fluid or Sluice rejects, so that no objects can be compared: the messages of both. */
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
    fluid: 'nothing: its controller process ends',
    ours: 'spec.mounts: expected a mount',
  },
  'juicefs/ce-quotalist': {
    fluid: 'nothing: it creates one host directory with the name "/cache1,/cache2"',
    ours: 'spec.tieredstore.levels[0].path: expected directories separated by ":", found "/cache1,/cache2"',
  },
  'juicefs/ce-quotalist-only': {
    fluid: 'nothing: its controller process ends when the worker is ready',
    ours: 'spec.tieredstore.levels[0].path: expected directories separated by ":", found "/cache1,/cache2"',
  },
};
