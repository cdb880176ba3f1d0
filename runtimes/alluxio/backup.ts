import type { Construct } from 'constructs';
import type { Affinity, Volume } from '../../src/api/index.ts';
import {
  backupTarget,
  cleanPath,
  literal,
  must,
  type Operation,
  OperationJob,
  type PodFact,
  PROGRESS_FILE,
  PROGRESS_SH,
} from '../../src/constructs/index.ts';
import { CLIENT_OPTIONS, clientEnvironment } from './client.ts';
import type { AlluxioPlan } from './plan.ts';
import { JOURNAL } from './pod.ts';
import { userFiles, userMounts } from './users.ts';

/**
 * Writes the metadata of the masters into two files, from which `spec.dataRestoreLocation` of a Dataset starts new masters.
 *
 * The process of the leading master writes the backup, into a directory of its own pod: Fluid's masters share none with any other pod. The
 * journal's volume is the one that every master has, those of Fluid too. So this Job runs on the node of that master and mounts the volume
 * from there. A volume of its own would need new masters, which start with an empty journal: the metadata would be gone before its backup.
 */
export class AlluxioBackup extends OperationJob {
  constructor(scope: Construct, plan: AlluxioPlan, backup: Operation<'DataBackup'>) {
    const { pods, leader = pods.master?.[0] } = backup.facts;
    const { runAs, backupPath = '' } = backup.spec;
    const { claim, directory } = backupTarget(backup.spec);
    must(leader, 'spec.dataset', 'a Dataset with a master that is ready', plan.name);
    const users = runAs ? userFiles(runAs) : plan.account?.files;
    const target: Volume = claim
      ? { name: 'pvc', persistentVolumeClaim: { claimName: claim } }
      : { name: 'host', hostPath: { path: directory, type: 'DirectoryOrCreate' } };
    const mountPath = `/${target.name}`;
    super(scope, plan, backup, {
      imagePullSecrets: plan.master.imagePullSecrets,
      affinity: onNode(leader),
      // A node that is about to be drained is one whose master is backed up.
      tolerations: [...plan.tolerations, { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }],
      // The next pod would wait for the volume of a master that may be gone.
      backoffLimit: 0,
      containers: [
        {
          ...plan.image,
          name: 'tool',
          command: ['/bin/bash', '/scripts/databackup.sh'],
          args: [
            literal(claim ? cleanPath(`${mountPath}/${directory}`) : mountPath),
            ...(plan.masters.length > 1 ? ['--bypass-delegation'] : []),
          ],
          ...clientEnvironment(plan, [
            { name: 'DATASET_NAMESPACE', value: plan.namespace },
            { name: 'DATASET_NAME', value: plan.name },
            { name: 'BACKUP_PATH', value: literal(backupPath) },
            claim ? { name: 'BACKUP_NODE', value: 'NA' } : { name: 'BACKUP_NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          ]),
          securityContext: runAs ? { runAsUser: runAs.uid, runAsGroup: runAs.gid } : plan.user,
          volumeMounts: [JOURNAL.mount, { name: target.name, mountPath }, ...(users ? userMounts(SCRIPTS).map(({ mount }) => mount) : [])],
        },
      ],
      volumes: [journalOf(plan, leader), target],
      scripts: { 'databackup.sh': SCRIPT, ...users },
      progressFile: PROGRESS_FILE,
    });
  }
}

/** The volume of `scripts`. */
const SCRIPTS = { name: 'script' };

/** Not `nodeName`: a claim that waits for its first pod is bound for one that was scheduled. */
const onNode = ({ node }: PodFact): Affinity => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
});

/** The journal's directory in the kubelet's folder. `Directory`: nothing is created there for a pod that is gone. */
const journalOf = ({ kubeletDir }: AlluxioPlan, { uid }: PodFact): Volume => ({
  name: JOURNAL.mount.name,
  hostPath: { path: `${kubeletDir}/pods/${uid}/volumes/kubernetes.io~empty-dir/${JOURNAL.volume.name}`, type: 'Directory' },
});

/**
 * Arguments: the directory of the files; and with several masters the option by which the leading one makes the backup, where the others
 * would. What `fsadmin backup` prints is not read: its form and its place differ between versions.
 */
const SCRIPT = `set -eo pipefail
${CLIENT_OPTIONS}
target=$1
shift
metadata=metadata-backup-$DATASET_NAME-$DATASET_NAMESPACE.gz
info=$DATASET_NAME-$DATASET_NAMESPACE.yaml
${PROGRESS_SH}
report() { write_progress "Progress=step $1 of 3" "Step=$2"; }
fail() { echo "$1" >&2; exit 1; }

mkdir -p -- "$target" && [ -w "$target" ] || fail "user $(id -u) cannot write to $BACKUP_PATH"

# One backup runs at a time: what is left is of one that was killed.
rm -rf /journal/backup.* || :
directory=$(mktemp -d /journal/backup.XXXXXX)
trap 'rm -rf "$directory" "$target/.$metadata.new" "$target/.$info.new"' EXIT
# The master may be another user.
chmod 777 "$directory"

report 1 'the master writes its metadata'
alluxio fsadmin backup "$directory" --local "$@"
# Beside an empty file that says that it is complete, from some version on.
files=("$directory"/*.gz)
[ -s "\${files[0]}" ] || fail "the master of this node has written no backup: another one leads by now"

report 2 'counting files'
counted=$(alluxio fs count /)
read -r count _ size <<< "$(grep -E '^[0-9]+ +[0-9]+ +[0-9]+ *$' <<< "$counted" || :)"
[ "$size" ] || fail "alluxio fs count / did not say how many files there are: $counted"

# Both are whole, or as they were before.
report 3 'copying the backup'
cp -- "\${files[0]}" "$target/.$metadata.new"
printf '%s\\n' "dataset: $DATASET_NAME" "namespace: $DATASET_NAMESPACE" "ufstotal: $size" "filenum: $count" > "$target/.$info.new"
mv -- "$target/.$metadata.new" "$target/$metadata"
mv -- "$target/.$info.new" "$target/$info"
printf '%s\\n' 'Progress=3 of 3 steps' "Files=$count" "BackupLocationPath=$BACKUP_PATH" "BackupLocationNodeName=$BACKUP_NODE" > /dev/termination-log
`;
