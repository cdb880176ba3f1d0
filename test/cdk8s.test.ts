import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { Deployment } from 'cdk8s-plus-27';
import { afterEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { InvalidSpec } from '../src/api/index.ts';
import { CacheRuntimeClass, Dataset, JuiceFSRuntime, ThinRuntimeProfile } from '../src/cdk8s.ts';

const out = mkdtempSync(join(tmpdir(), 'sluice-examples-'));
afterEach(() => rmSync(out, { recursive: true, force: true }));

test('the example app synthesizes a dataset, its runtime and a Deployment that mounts it', () => {
  execFileSync(process.execPath, ['examples/app.ts'], { env: { ...process.env, CDK8S_OUTDIR: out } });
  const objects = readdirSync(out).flatMap((file) =>
    parseAllDocuments(readFileSync(join(out, file), 'utf8')).map((document) => document.toJS()),
  );
  expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name.replace(/-[0-9a-f]{8}$/, '')}`)).toEqual([
    'Dataset/images',
    'JuiceFSRuntime/images',
    'Deployment/training',
  ]);
  const [dataset, runtime, deployment] = objects;
  expect(runtime.metadata.namespace).toBe(dataset.metadata.namespace);
  expect(deployment.spec.template.spec.volumes).toEqual([
    { name: 'images', persistentVolumeClaim: { claimName: 'images', readOnly: false } },
  ]);
});

test('a dataset may be mounted by several workloads of a chart', () => {
  const chart = new Chart(new App(), 'app');
  const dataset = new Dataset(chart, 'data', { metadata: { name: 'data' }, spec: { mounts: [{ mountPoint: 's3://bucket' }] } });
  for (const id of ['a', 'b'])
    new Deployment(chart, id, { containers: [{ image: 'app:1' }] }).containers[0]?.mount('/data', dataset.volume);
  const claims = Testing.synth(chart).flatMap(({ kind, spec }) => (kind === 'Deployment' ? spec.template.spec.volumes : []));
  expect(claims.map(({ persistentVolumeClaim }) => persistentVolumeClaim.claimName)).toEqual(['data', 'data']);
});

test('a cluster-scoped object is in no namespace, whatever its chart says', () => {
  const chart = new Chart(new App(), 'app', { namespace: 'ml' });
  new ThinRuntimeProfile(chart, 'sshfs', { metadata: { name: 'sshfs' }, spec: { fileSystemType: 'sshfs' } });
  new CacheRuntimeClass(chart, 'moosefs', { metadata: { name: 'moosefs' }, fileSystemType: 'moosefs', topology: {} });
  new Dataset(chart, 'data', { metadata: { name: 'data' }, spec: {} });
  expect(Testing.synth(chart).map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['ThinRuntimeProfile', undefined],
    ['CacheRuntimeClass', undefined],
    ['Dataset', 'ml'],
  ]);
});

test('every fault of a spec is reported where it is written', () => {
  const chart = new Chart(Testing.app(), 'app');
  // Casts and plain JavaScript make this possible.
  const spec = { replicas: 'three', tieredstore: { levels: [{ mediumtype: 'RAM', quota: '10Gib' }] } } as never;
  try {
    new JuiceFSRuntime(chart, 'cache', { metadata: { name: 'cache' }, spec });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidSpec);
    expect((error as InvalidSpec).faults.map(({ path }) => path)).toEqual([
      'spec.replicas',
      'spec.tieredstore.levels[0].mediumtype',
      'spec.tieredstore.levels[0].quota',
    ]);
    expect((error as InvalidSpec).message).toContain('JuiceFSRuntime app/cache: spec.replicas: expected a 32-bit integer, found "three"');
  }
});
