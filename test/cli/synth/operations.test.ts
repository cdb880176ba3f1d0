import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import alluxio from '../../../runtimes/alluxio/index.ts';
import juicefs from '../../../runtimes/juicefs/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import { operationKinds } from '../../../src/api/index.ts';
import { BadInput, faultReport } from '../../../src/cli/input/faults.ts';
import { readInput } from '../../../src/cli/input/read.ts';
import { among } from '../../../src/cli/synth/lookup.ts';
import { type Rendering, renderAll } from '../../../src/cli/synth/render.ts';
import { warningLines } from '../../../src/cli/synth/warnings.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { root } from '../run.ts';

const runtimes = [alluxio, juicefs, thin];
const settings = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const example = (name: string): string => readFileSync(join(root, `examples/${name}.yaml`), 'utf8');
const JUICEFS = example('juicefs').replace('replicas: 1', 'replicas: 2');
const ALLUXIO = example('alluxio');
const MASTERS = ALLUXIO.replace('  master:\n', '  master:\n    replicas: 3\n');

const operation = (kind: string, spec: object, name = 'op'): string =>
  stringify({ apiVersion: 'data.fluid.io/v1alpha1', kind, metadata: { name }, spec });
const load = (dataset: string, more: object = {}, name?: string) => operation('DataLoad', { dataset: { name: dataset }, ...more }, name);
const backup = operation('DataBackup', { dataset: 'alluxiodemo', backupPath: 'pvc://backups' });

const rendered = async (texts: readonly string[], facts: readonly string[] = []): Promise<Rendering> => {
  const known = facts.length > 0 ? readInput([['facts', facts.join('\n---\n')]], runtimes, 'default').all : [];
  const elsewhere = among(known.map(({ object }) => object));
  return renderAll(readInput([['input', texts.join('\n---\n')]], runtimes, 'default'), { settings, runtimes, elsewhere });
};
const faultsOf = (done: Promise<unknown>): Promise<string> =>
  done.then(
    () => 'none',
    (error: unknown) => faultReport(error as BadInput, 'yaml'),
  );
/** The manifests of the last operation. */
async function made(texts: readonly string[], facts?: readonly string[]): Promise<readonly KubeObject[]> {
  const { operations } = await rendered(texts, facts);
  return (operations.at(-1)?.manifests ?? []) as readonly KubeObject[];
}
const text = (objects: readonly KubeObject[]): string => JSON.stringify(objects);
const refs = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

const pod = (name: string, ready: boolean): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-of-${name}` },
    spec: { nodeName: `node-of-${name}` },
    status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });

describe('an operation is rendered', () => {
  test('as its Job with what goes with it, owned by a UID that no cluster has', async () => {
    const objects = await made([JUICEFS, load('jfsdemo')]);
    expect(refs(objects)).toEqual(['ConfigMap/op-loader-data-load-script', 'Job/op-loader-job']);
    for (const { metadata } of objects) expect(metadata.ownerReferences).toMatchObject([{ kind: 'DataLoad', uid: '<uid:DataLoad/op>' }]);
  });
  test('of the examples, without a warning', async () => {
    const { operations } = await rendered([ALLUXIO, JUICEFS, example('operations')]);
    expect(operations.map(({ manifests, warnings }) => [manifests.at(-1)?.kind, warnings])).toEqual([
      ['CronJob', []],
      ['Job', []],
      ['Job', []],
      ['Job', []],
      ['Job', []],
    ]);
  });
  test('as a CronJob if it has a schedule', async () => {
    const objects = await made([JUICEFS, load('jfsdemo', { policy: 'Cron', schedule: '0 3 * * *' })]);
    expect(objects.at(-1)).toMatchObject({ kind: 'CronJob', spec: { schedule: '0 3 * * *' } });
  });
  test('as a Job if it follows changes of mounts', async () => {
    expect(refs(await made([JUICEFS, load('jfsdemo', { policy: 'OnEvent' })]))).toContain('Job/op-loader-job');
  });
  test('of each kind that the runtime supports, and of no other', async () => {
    const [juice] = (await rendered([JUICEFS])).datasets;
    const supported = Object.keys(juice?.bound.operations ?? {});
    expect(supported).toContain('DataLoad');
    for (const { kind } of operationKinds) {
      const faults = await faultsOf(rendered([JUICEFS, operation(kind, SPECS[kind] ?? {})]));
      expect(faults).toMatch(
        supported.includes(kind) ? /^none$/ : new RegExp(`kind: expected an operation that .* supports .*, found ${kind}`),
      );
    }
  });
});
const SPECS: Readonly<Record<string, object>> = {
  DataLoad: { dataset: { name: 'jfsdemo' } },
  DataMigrate: { from: { externalStorage: { uri: 'pvc://other/a' } }, to: { dataset: { name: 'jfsdemo', namespace: 'default' } } },
  DataProcess: { dataset: { name: 'jfsdemo', mountPath: '/data' }, processor: { script: { image: 'i:1', source: 'ls' } } },
  DataBackup: { dataset: 'jfsdemo', backupPath: 'pvc://backups' },
};

describe('what only a running cluster knows', () => {
  test('is the pods that there will be, if none is known', async () => {
    expect(text(await made([JUICEFS, load('jfsdemo')]))).toContain('"value":"jfsdemo-worker-0:jfsdemo-worker-1"');
  });
  test('is the ready pods of the facts', async () => {
    const facts = [pod('jfsdemo-worker-0', false), pod('jfsdemo-worker-1', true)];
    expect(text(await made([JUICEFS, load('jfsdemo')], facts))).toContain('"name":"POD_NAMES","value":"jfsdemo-worker-1"');
  });
  test('is the node and the UID of the only master', async () => {
    const unknown = text(await made([ALLUXIO, backup]));
    expect(unknown).toContain('"values":["<node:Pod/alluxiodemo-master-0>"]');
    expect(unknown).toContain('/pods/<uid:Pod/alluxiodemo-master-0>/volumes/');
    const known = text(await made([ALLUXIO, backup], [pod('alluxiodemo-master-0', true)]));
    expect(known).toContain('"values":["node-of-alluxiodemo-master-0"]');
    expect(known).not.toContain('<node:');
  });
  test('is which of several masters leads, whatever is known of them', async () => {
    const facts = [0, 1, 2].map((i) => pod(`alluxiodemo-master-${i}`, true));
    expect(text(await made([MASTERS, backup], facts))).toContain('"values":["<node:leader/alluxiodemo-master>"]');
  });
  test('is where an earlier operation ran, unless the facts have that', async () => {
    const near = { runAfter: { kind: 'DataLoad', name: 'first', affinityStrategy: { policy: 'Require' } } };
    const input = [JUICEFS, load('jfsdemo', {}, 'first'), load('jfsdemo', near)];
    expect(text(await made(input))).toContain('"values":["<label:DataLoad/first>"]');
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-7'] }] }],
      },
    };
    const first = `${load('jfsdemo', {}, 'first')}status: ${JSON.stringify({ phase: 'Complete', nodeAffinity })}\n`;
    expect(text(await made(input, [first]))).toContain('"values":["node-7"]');
  });
});

test('is the keys that the controller makes for a run', async () => {
  const objects = await made([JUICEFS, operation('DataMigrate', { ...SPECS['DataMigrate'], parallelism: 2 })]);
  const [keys] = objects.filter(({ kind }) => kind === 'Secret');
  expect(text([keys as KubeObject]).replaceAll(Buffer.from('<private key>').toString('base64'), '<private key>')).toContain(
    '<private key>',
  );
  expect(refs(objects)).toContain('StatefulSet/op-migrate-workers');
});

describe('a Dataset outside of the input', () => {
  test('is taken from the facts with its runtime, and not printed', async () => {
    const { datasets, operations } = await rendered([load('jfsdemo')], [JUICEFS]);
    expect(datasets).toEqual([]);
    expect(refs(operations[0]?.manifests as unknown as KubeObject[])).toContain('Job/op-loader-job');
  });
  test('needs no Secret there', async () => {
    expect(await faultsOf(rendered([load('jfsdemo')], [JUICEFS.slice(JUICEFS.indexOf('---'))]))).toBe('none');
  });
  test('without a runtime is a fault of each operation on it', async () => {
    const dataset = JUICEFS.split('---')[1] ?? '';
    const faults = await faultsOf(rendered([load('jfsdemo', {}, 'a'), operation('DataProcess', SPECS['DataProcess'] ?? {})], [dataset]));
    expect(faults.split('\n').slice(0, 2)).toEqual([
      'input:7: DataLoad default/a: spec.dataset.name: expected a runtime default/jfsdemo, found none in the input',
      'input:16: DataProcess default/op: spec.dataset.name: expected a runtime default/jfsdemo, found none in the input',
    ]);
  });
  test('that has faults of its own has them once, where an operation names it', async () => {
    const wrong = JUICEFS.replace('replicas: 2', 'replicas: many');
    const faults = await faultsOf(rendered([load('jfsdemo', {}, 'a'), load('jfsdemo', {}, 'b')], [wrong]));
    expect(faults.split('\n').filter((line) => line.includes('spec.replicas'))).toEqual([
      'input:7: JuiceFSRuntime default/jfsdemo: spec.replicas: expected a 32-bit integer, found "many"',
    ]);
  });
});

describe('warnings', () => {
  const warnings = async (...texts: readonly string[]) => warningLines(await rendered(texts));
  test('name what has no effect', async () => {
    expect(await warnings(JUICEFS, load('jfsdemo', { loadMetadata: true }))).toEqual([
      'warning: DataLoad default/op: spec.loadMetadata: has no effect; JuiceFS reads metadata from its metadata engine',
    ]);
  });
  test('name operations that wait for each other', async () => {
    const after = (name: string) => ({ runAfter: { kind: 'DataLoad', name } });
    const [first] = await warnings(JUICEFS, load('jfsdemo', after('b'), 'a'), load('jfsdemo', after('a'), 'b'));
    expect(first).toBe(
      'warning: DataLoad default/a: spec.runAfter: expected an operation that does not wait for this one, found DataLoad default/b, which waits for DataLoad default/a',
    );
  });
  test('say nothing of an earlier operation that is not known, or will run', async () => {
    const after = { runAfter: { kind: 'DataLoad', name: 'first' } };
    expect(await warnings(JUICEFS, load('jfsdemo', after))).toEqual([]);
    expect(await warnings(JUICEFS, load('jfsdemo', {}, 'first'), load('jfsdemo', after))).toEqual([]);
  });
});
