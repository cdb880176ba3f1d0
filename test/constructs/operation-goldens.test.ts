import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import juicefs from '../../runtimes/juicefs/index.ts';
import type { DataMigrateSpec, DataProcessSpec, DatasetSpec, Manifest } from '../../src/api/index.ts';
import type { BackupSpec, LoadSpec } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { backingUp, type Loading, madeFor, migrating, processing } from '../support/operations.ts';
import { GOLDENS, hasGoldens } from '../upstream/cases.ts';
import { leavesOf } from '../upstream/leaves.ts';

describe.skipIf(!hasGoldens)('a Job as Fluid makes it', () => {
  test.each<[string, Loading]>([
    ['load-alluxio-min', 'alluxio'],
    ['load-alluxio-cron', 'alluxio'],
    ['load-juicefs-min', 'juicefs'],
    ['load-juicefs-full', 'juicefs'],
    ['load-jindo-min', 'jindo'],
    ['load-jindo-full', 'jindo'],
  ])('%s', (name, runtime) => {
    const { asked, fluids } = recorded(name);
    const ours = madeFor(runtime, asked.spec as LoadSpec, asked.metadata.namespace);
    expect(unexplained(ours, fluids)).toEqual([]);
  });
  test.each(['process-script', 'process-job'])('%s', (name) => {
    const { asked, fluids } = recorded(name);
    expect(unexplained(processing(asked['spec'] as DataProcessSpec, asked.metadata.namespace), fluids)).toEqual([]);
  });
  test('backup-alluxio-local, whose pod has a Job', () => {
    const { asked, fluids } = recorded('backup-alluxio-local');
    const ours = backingUp(asked['spec'] as BackupSpec, asked.metadata.namespace).map((object): Manifest => {
      if (object.kind !== 'Job') return object;
      const { template } = object['spec'] as { template: Pick<Manifest, 'metadata'> };
      return { apiVersion: 'v1', kind: 'Pod', ...template };
    });
    expect(unexplained(ours, fluids)).toEqual([]);
  });
  test.each(['migrate-juicefs-p1', 'migrate-juicefs-cron'])('%s', (name) => {
    const { asked, fluids, dataset } = recorded(name);
    expect(unexplained(migrated(asked, dataset), fluids)).toEqual([]);
  });
  test('migrate-juicefs-p2-nossh, which Fluid refuses, with keys that are made for it', () => {
    const { asked, fluids, dataset } = recorded('migrate-juicefs-p2-nossh');
    expect(fluids).toEqual([]);
    expect(migrated(asked, dataset).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap op-migrate-script',
      'Job op-migrate-migrate',
      'Service op-migrate-workers',
      'Secret op-migrate-ssh-keys',
      'StatefulSet op-migrate-workers',
    ]);
  });
  test('and nothing is explained that is no difference', () =>
    expect([...SERVERS, ...POD, ...MEANT.keys()].filter((pattern) => !met.has(pattern))).toEqual([]));
});

/** A template has no name space, nor what an admission controller adds to a pod. */
const POD = [
  /^Pod metadata\.namespace: Fluid .*, we undefined$/,
  /^Pod spec\.(enableServiceLinks|preemptionPolicy|priority|schedulerName|securityContext|serviceAccount(Name)?|terminationGracePeriodSeconds): Fluid .*, we undefined$/,
  /^Pod spec\.(volumes\[kube-api-access-\w+\]|containers\[tool\]\.volumeMounts\[\/var\/run\/secrets\/kubernetes\.io\/serviceaccount\])/,
  /^Pod spec\.tolerations\[\d\]\.(effect|key|operator|tolerationSeconds): Fluid .*(NoExecute|node\.kubernetes\.io|Exists|300)/,
];

/** By a runtime of the recorded Dataset. */
function migrated(asked: Manifest, dataset: DatasetSpec): readonly Manifest[] {
  const { namespace = '' } = asked.metadata;
  const runtime = juicefs.bind(planInput({ namespace, dataset, facts: { ports: { worker: 14001, fuse: 14002 } } }));
  return migrating(asked['spec'] as DataMigrateSpec, { namespace, runtime });
}

function recorded(name: string) {
  const [input, golden] = ['input.yaml', 'objects.yaml'].map((file) => documents(join(GOLDENS, 'operations', name, file)));
  const asked = input?.find(({ kind }) => kind.startsWith('Data') && kind !== 'Dataset');
  if (!asked || !golden) throw new Error(`no operation is recorded in ${name}`);
  // One that the operation mounts: Fluid makes an empty one where there is no script.
  const isUsed = ({ kind, data }: Manifest) => kind !== 'ConfigMap' || JSON.stringify(data) !== '{"preprocess.sh":""}';
  const { spec: dataset } = (input?.find(({ kind }) => kind === 'Dataset') ?? {}) as { readonly spec: DatasetSpec };
  return { asked, dataset, fluids: golden.filter((object) => object.metadata?.name.startsWith('op-') && isUsed(object)) };
}
const met = new Set<RegExp>();
function unexplained(ours: readonly Manifest[], fluids: readonly Manifest[]): readonly string[] {
  expect(ours.map(({ kind }) => kind)).toEqual(fluids.map(({ kind }) => kind));
  const differing = ours.flatMap((object, i) => {
    const [own, fluid] = [leavesOf(object), leavesOf(fluids[i]!)];
    const paths = [...new Set([...own.keys(), ...fluid.keys()])].filter((path) => own.get(path) !== fluid.get(path));
    return paths.map((path) => `${object.kind} ${path}: Fluid ${fluid.get(path)}, we ${own.get(path)}`);
  });
  return differing.filter((each) => {
    const meant = [...SERVERS, ...POD, ...MEANT.keys()].filter((pattern) => pattern.test(each));
    for (const pattern of meant) met.add(pattern);
    return meant.length === 0;
  });
}

/** Fields that the API server adds to any Job. */
const SERVERS = [
  / spec\.(completionMode|manualSelector|podReplacementPolicy|suspend|selector\.matchLabels\S+|\w+JobsHistoryLimit): Fluid .*, we undefined$/,
  /template\.spec\.(schedulerName|securityContext|terminationGracePeriodSeconds|serviceAccount): Fluid .*, we undefined$/,
  /\.(terminationMessagePath|fieldRef\.apiVersion): Fluid .*, we undefined$/,
  /template\.metadata\.labels(\.|\[)(batch\.kubernetes\.io\/\S+|controller-uid|job-name)\]?: Fluid .*, we undefined$/,
];
const MEANT = new Map<RegExp, string>([
  [/ metadata\.annotations\[meta\.helm\.sh/, 'We are no helm release.'],
  [/\[app\.kubernetes\.io\/managed-by\]: Fluid "Helm", we "sluice"$/, 'Helm does not manage our objects.'],
  [/^\w+ metadata\.labels\[data\.fluid\.io\/owner-uid\]: Fluid undefined/, 'Our inventory.'],
  [/^Job metadata\.annotations\[data\.fluid\.io\/progress-file\]/, 'Where the pod says how far it is.'],
  [/^ConfigMap metadata\.ownerReferences/, 'It goes with the operation.'],
  [/^CronJob spec\.jobTemplate\.metadata(\.labels\S+)?: /, 'Its Jobs are in our inventory, which those of the pods are not.'],
  [/^CronJob spec\.concurrencyPolicy: Fluid "Allow", we "Forbid"$/, 'One of a kind runs at a time.'],
  [/^CronJob spec\.jobTemplate\.metadata\.annotations/, 'Where their pods say how far they are.'],
  [
    /\.terminationMessagePolicy: Fluid "File", we "FallbackToLogsOnError"$/,
    'The pod status says why it failed, without permission for logs.',
  ],
  [/ data(\.|\[)/, 'Scripts are our own.'],
  [/\.volumes\[(script|data-load-script|data-migrate-script|script-cm-vol)\]\.configMap\.(items|defaultMode)/, 'So are their names.'],
  [/\.containers\[script-processor\]\.volumeMounts\[\/fluid-scripts(\/preprocess\.sh)?\]\./, 'They are a directory.'],
  [/metadata\.labels\[fluid\.io\/dataset-id\]: Fluid "", we "g-data\S+-demo"$/, 'An oversight of two of its charts.'],
  [/^ConfigMap metadata\.labels\.(role: Fluid undefined, we "dataprocess-job"|heritage: Fluid "Helm", we undefined)$/, 'Another one.'],
  [/\.containers\[(dataloader|datamigrate)\]\.(args|command)\[/, 'Paths are arguments: a shell reads none of them.'],
  [/\.env\[PARALLELISM\]/, 'The script gets the names of workers.'],
  [/\.env\[(FROM|TO)\]/, 'What messages call both ends.'],
  [/\.env\[URL_VARIABLE\]/, 'Whose URL the keys belong into.'],
  [/\.env\[SECRET_VARIABLES\]/, 'What the log leaves out.'],
  [/^CronJob .*labels(\.parallelism|\[fluid\.io\/operation\]): Fluid undefined/, 'As of its Jobs without a schedule.'],
  [/\.env(\.order|\[(DATA_PATH|PATH_REPLICAS|OPTION)\])/, 'So they are in no variable.'],
  [/^Pod metadata\.annotations\[meta\.helm\.sh/, 'Nor is the pod.'],
  [/^ConfigMap metadata\.labels\.(release|role): Fluid undefined, we "(op-charts|databackup-job)"$/, 'As of all other scripts.'],
  [
    /^Pod spec\.tolerations\[0\]\.(key|effect): .* we "(node\.kubernetes\.io\/unschedulable|NoSchedule)"$/,
    'The scheduler looks at the node, where Fluid does not ask it.',
  ],
  [/^Pod metadata\.labels\.(app|release|role|targetDataset): Fluid undefined/, 'Labels of all other operations.'],
  [
    /^Pod metadata\.annotations\[sidecar\.istio\.io\/inject\]: Fluid undefined, we "false"$/,
    'As of all other operations: a sidecar would outlive the work.',
  ],
  [/^Pod spec\.(nodeName|affinity\.nodeAffinity\.\S+): /, 'The scheduler binds a claim that waits for its first pod.'],
  [/\.containers\[tool\]\.(args|command)\[/, 'The directory is an argument.'],
  [/\.env\[BACKUP_PATH\]/, 'As it is written, for the status.'],
  [/\.env\[BACKUP_NODE\]/, 'The rest of the status.'],
  [
    /^Pod .*\.env(From\[0\]\.configMapRef\.name: Fluid undefined|\[ALLUXIO_\w+\])/,
    'The configuration of all other commands. Fluid would ask a master in the pod itself.',
  ],
  [/\[(\/alluxio_backups|backup)\]/, 'A directory of the node that no master mounts.'],
  [/\[(\/journal|alluxio-journal)\]/, 'What the master does share.'],
  [/\.volumes\[host\]\.hostPath\.type: Fluid "", we "DirectoryOrCreate"$/, 'Not every container runtime creates it.'],
  [/^Job .*labels\.app: Fluid "jindocache", we "jindofs"$/, 'The app of its runtime.'],
  [
    /\.volumeMounts\[(\/hdfs-3\.2\.1\/etc\/hadoop\/core-site\.xml|\/jindosdk\.cfg)\]\./,
    'The files of all other containers. A JindoCache has no core-site.xml.',
  ],
  [/\.volumes\[bigboot-config\]\.configMap\.defaultMode: Fluid 420, we undefined$/, 'The default.'],
  [/^Job .*\.env\[(READERS|SIDECARS|SIDECAR_LABEL|DATASET)\]\./, 'Running clients load too: one does not find what another has read.'],
  [/\.envFrom\[0\]\.configMapRef\.name: Fluid "demo-juicefs-values", we undefined$/, 'There are no values of a chart.'],
]);

const documents = (file: string): readonly Manifest[] =>
  existsSync(file) ? parseAllDocuments(readFileSync(file, 'utf8')).flatMap((each) => (each.toJS() as Manifest | null) ?? []) : [];
