import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { DataProcessSpec, Manifest } from '../../src/api/index.ts';
import type { LoadSpec, OperationKind, OperationProps, OperationSpec } from '../../src/constructs/index.ts';
import { IMAGES, job, type Loading, madeFor, processing } from '../support/operations.ts';
import { GOLDENS, hasGoldens } from '../upstream/cases.ts';
import { leavesOf } from '../upstream/leaves.ts';

const secretly = (name: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: 'jfs-secret', key } } });
const MIGRATE: Partial<OperationProps> = {
  labels: { parallelism: '1' },
  podLabels: { 'fluid.io/operation': 'migrate-g-dataops-migrate-juicefs-p1-demo' },
  containers: [
    {
      name: 'datamigrate',
      image: IMAGES.juicefs,
      command: ['/bin/sh', '-c'],
      args: ['/scripts/juicefs_datamigrate.sh'],
      env: [
        { name: 'PARALLELISM', value: '1' },
        { name: 'EDITION', value: 'community' },
        { name: 'OPTION', value: '--exclude=4. --threads=10' },
        { name: 'TIMEOUT', value: '30m' },
        secretly('EXTERNAL_ACCESS_KEY', 'ak'),
        secretly('EXTERNAL_SECRET_KEY', 'sk'),
        secretly('FLUID_METAURL', 'metaurl'),
      ],
    },
  ],
  scripts: { 'juicefs_datamigrate.sh': '' },
};

describe.skipIf(!hasGoldens)('a Job as Fluid makes it', () => {
  test.each<[string, Loading]>([
    ['load-alluxio-min', 'alluxio'],
    ['load-alluxio-cron', 'alluxio'],
    ['load-juicefs-min', 'juicefs'],
    ['load-juicefs-full', 'juicefs'],
  ])('%s', (name, runtime) => {
    const { asked, fluids } = recorded(name);
    const ours = madeFor(runtime, asked.spec as LoadSpec, asked.metadata.namespace);
    expect(unexplained(ours, fluids)).toEqual([]);
  });
  test.each(['process-script', 'process-job'])('%s', (name) => {
    const { asked, fluids } = recorded(name);
    expect(unexplained(processing(asked['spec'] as DataProcessSpec, asked.metadata.namespace), fluids)).toEqual([]);
  });
  test.each<[string, OperationKind, Partial<OperationProps>]>([['migrate-juicefs-p1', 'DataMigrate', MIGRATE]])(
    '%s, by what a construct of it would say',
    (name, kind, props) => {
      const { asked, fluids } = recorded(name);
      const { resources } = asked['spec'] as OperationSpec;
      expect(unexplained(job(props, resources ? { resources } : {}, kind, asked.metadata.namespace), fluids)).toEqual([]);
    },
  );
  test('and nothing is explained that is no difference', () =>
    expect([...SERVERS, ...MEANT.keys()].filter((pattern) => !met.has(pattern))).toEqual([]));
});

function recorded(name: string) {
  const [input, golden] = ['input.yaml', 'objects.yaml'].map((file) => documents(join(GOLDENS, 'operations', name, file)));
  const asked = input?.find(({ kind }) => kind.startsWith('Data') && kind !== 'Dataset');
  if (!asked || !golden) throw new Error(`no operation is recorded in ${name}`);
  // One that the operation mounts: Fluid makes an empty one where there is no script.
  const isUsed = ({ kind, data }: Manifest) => kind !== 'ConfigMap' || JSON.stringify(data) !== '{"preprocess.sh":""}';
  return { asked, fluids: golden.filter((object) => object.metadata?.name.startsWith('op-') && isUsed(object)) };
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
    const meant = [...SERVERS, ...MEANT.keys()].filter((pattern) => pattern.test(each));
    for (const pattern of meant) met.add(pattern);
    return meant.length === 0;
  });
}

/** What the API server adds to any Job. */
const SERVERS = [
  / spec\.(completionMode|manualSelector|podReplacementPolicy|suspend|selector\.matchLabels\S+|concurrencyPolicy|\w+JobsHistoryLimit): Fluid .*, we undefined$/,
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
  [/^CronJob spec\.jobTemplate\.metadata\.annotations/, 'Where their pods say how far they are.'],
  [
    /\.terminationMessagePolicy: Fluid "File", we "FallbackToLogsOnError"$/,
    'The pod status says why it failed, without permission for logs.',
  ],
  [/ data(\.|\[)/, 'Scripts are our own.'],
  [/\.volumes\[(data-load-script|data-migrate-script|script-cm-vol)\]\.configMap\.(items|defaultMode)/, 'So are their names.'],
  [/\.containers\[script-processor\]\.volumeMounts\[\/fluid-scripts(\/preprocess\.sh)?\]\./, 'They are a directory.'],
  [/metadata\.labels\[fluid\.io\/dataset-id\]: Fluid "", we "g-dataops-\S+-demo"$/, 'An oversight of its charts for DataProcess.'],
  [/^ConfigMap metadata\.labels\.(role: Fluid undefined, we "dataprocess-job"|heritage: Fluid "Helm", we undefined)$/, 'Another one.'],
  [/\.containers\[dataloader\]\.(args|command)\[/, 'Paths are arguments: a shell reads none of them.'],
  [/\.env(\.order|\[(DATA_PATH|PATH_REPLICAS|OPTION)\])/, 'So they are in no variable.'],
  [/\.envFrom\[0\]\.configMapRef\.name: Fluid "demo-juicefs-values", we undefined$/, 'There are no values of a chart.'],
]);

const documents = (file: string): readonly Manifest[] =>
  existsSync(file) ? parseAllDocuments(readFileSync(file, 'utf8')).flatMap((each) => (each.toJS() as Manifest | null) ?? []) : [];
