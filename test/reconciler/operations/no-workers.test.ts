/** Operations on a Dataset whose runtime has no workers: they run without, or their condition says what they wait for. */
import { expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import type { DataLoadSpec } from '../../../src/api/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import * as write from '../../support/objects.ts';
import { boundHarness, type Harness } from '../harness.ts';
import { load, statusOf } from './given.ts';

const to = (spec: DataLoadSpec = {}): KubeObject => load({ dataset: { name: 'demo' }, ...spec });
const waitsOf = (at: Harness, name?: string, kind?: 'DataMigrate') =>
  (statusOf(at, name, kind).conditions ?? []).map(({ reason, message }) => `${reason} ${message}`);

const scene = (): Promise<Harness> =>
  boundHarness([write.jfsSecret(), write.jfsDataset('demo'), write.jfsRuntime('demo', { replicas: 0 })]);

/** A fuse pod on a node, as the DaemonSet would have it there. */
function read(at: Harness): void {
  at.controllers.paused.add('daemonsets').add('garbage');
  const daemonSet = at.server.get('DaemonSet', 'ml', 'demo-fuse') as KubeObject;
  at.server.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'demo-fuse-a',
      namespace: 'ml',
      labels: { 'fluid.io/dataset-id': 'ml-demo' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'demo-fuse', uid: daemonSet.metadata.uid ?? '', controller: true },
      ],
    },
    spec: { nodeName: 'node-1', containers: [{ name: 'fuse' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  } as KubeObject);
}

test.each([{}, { clients: 'fuse' }])('a load of JuiceFS with options %j waits for a reader, and says so', async (options) => {
  const at = await scene();
  at.put(to({ options }));
  await at.advance(5000);
  expect(waitsOf(at)).toEqual([
    'RuntimeNotReady JuiceFSRuntime demo: spec.replicas: expected at least 1, for a worker that carries out the DataLoad, found 0; or a fuse pod that is ready, found none',
  ]);
  read(at);
  await at.advance(10_000);
  expect(statusOf(at).phase).toBe('Executing');
});

test('a migration of JuiceFS, which no worker carries out, runs', async () => {
  const at = await scene();
  const from = { externalStorage: { uri: 's3://bucket/' } };
  at.put({
    apiVersion: 'data.fluid.io/v1alpha1',
    kind: 'DataMigrate',
    metadata: { name: 'copy' },
    spec: { from, to: { dataset: { name: 'demo', namespace: 'ml' } } },
  });
  await at.advance(5000);
  expect(statusOf(at, 'copy', 'DataMigrate').phase).toBe('Executing');
});

test('a load of Alluxio says which field has no workers, and runs once there is one', async () => {
  const { exec } = alluxioFileSystem();
  const dataset = write.datasetObject('demo', { mounts: [{ mountPoint: 's3://b', name: 'b' }] });
  const at = await boundHarness([dataset, write.alluxioRuntime('demo', { replicas: 0 })], { exec, runtimes: [thin, alluxio] });
  at.put(to());
  await at.advance(5000);
  expect(waitsOf(at)).toEqual([
    'RuntimeNotReady AlluxioRuntime demo: spec.replicas: expected at least 1, for a worker that carries out the DataLoad, found 0',
  ]);
  at.edit('AlluxioRuntime', { replicas: 1 });
  await at.quiet();
  expect(statusOf(at).phase).toBe('Executing');
});
