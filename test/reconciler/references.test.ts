import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import * as write from '../support/objects.ts';
import { inDefault, refer, serve, share, start, statusOf, synced } from './reference-scene.ts';

describe('a Dataset that refers to another', () => {
  test('gets a ThinRuntime that the Dataset controls, and is bound to the place of the other one', async () => {
    const at = await start();
    refer(at);
    serve(at, 'ml');
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    const { metadata, spec } = at.get('ThinRuntime') as KubeObject & { spec: object };
    expect(spec).toMatchObject({ fuse: { resources: {} }, worker: { resources: {} }, tieredstore: {} });
    expect(metadata.ownerReferences).toEqual([
      { apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'demo', uid: at.get('Dataset')?.metadata.uid, controller: true },
    ]);
    expect(at.get('PersistentVolume', 'ml-demo')).toMatchObject({
      metadata: { labels: { 'fluid.io/dataset.referring-name': 'source', 'fluid.io/dataset.referring-namespace': 'default' } },
      spec: {
        accessModes: ['ReadOnlyMany'],
        csi: {
          volumeHandle: 'ml-demo',
          volumeAttributes: {
            fluid_path: '/runtime-mnt/thin/default/source/thin-fuse',
            fluid_sub_path: 'train',
            mount_type: 'fuse.s3fs',
            runtime_namespace: 'default',
            runtime_name: 'source',
            mount_pod_node_selector_key: 'fluid.io/f-default-source',
          },
        },
      },
    });
    expect(at.get('PersistentVolumeClaim')?.metadata.labels).toMatchObject({
      'fluid.io/dataset.referring-name': 'source',
      'fluid.io/dataset.referring-namespace': 'default',
    });
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
    expect(at.dataset().mounts).toEqual([{ mountPoint: 's3://bucket', name: 'data' }]);
    expect(at.runtime('ThinRuntime')).toMatchObject({
      fusePhase: 'Ready',
      mounts: [{ mountPoint: 'dataset://default/source/train', name: 'r' }],
    });
  });
  test('waits for the grant, which its condition names, and is bound by it without a timer', async () => {
    const at = await start();
    serve(at);
    refer(at);
    await at.advance(600_000);
    expect(at.dataset().phase).toBe('NotBound');
    expect(synced(at)).toBe(
      'False ReferenceNotAllowed: Dataset default/source does not exist, or its owner does not allow namespace ml to use it: ' +
        'expected its annotation data.fluid.io/shared-with to list ml',
    );
    expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
    at.forget();
    const other = at.server.get('Dataset', 'default', 'source')!;
    at.put({ ...other, status: { ...(other['status'] as object), fileNum: '7' } });
    await at.quiet();
    expect(at.server.requestsThat({ kind: 'PersistentVolume' })).toEqual([]);
    share(at, 'other, ml');
    await at.settle();
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test('loses its claim when the grant goes: pods that mount it keep it, no other gets it', async () => {
    const at = await start();
    serve(at, '*');
    refer(at);
    await at.quiet();
    at.put(write.reader('reader', 'demo'));
    await at.settle();
    share(at, 'other');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')?.metadata.deletionTimestamp).toBeDefined();
    expect(at.get('PersistentVolume', 'ml-demo')?.metadata.deletionTimestamp).toBeUndefined();
    expect(at.dataset().phase).toBe('Failed');
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
    at.delete('Pod', 'reader');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toBeUndefined();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
    expect(at.dataset().phase).toBe('NotBound');
    expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
    share(at, 'ml');
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test('cannot keep what it may no longer use by an edit that is invalid', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    refer(at, 'dataset://default/source/../../etc');
    await at.quiet();
    expect(synced(at)).toContain('InvalidSpec');
    expect(at.get('PersistentVolumeClaim')).toBeDefined();
    share(at, '');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toBeUndefined();
  });
  test('keeps the other one from being deleted for as long as it exists', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    at.server.delete('Dataset', 'default', 'source');
    await at.quiet();
    expect(at.server.get('ThinRuntime', 'default', 'source')?.metadata.deletionTimestamp).toBeUndefined();
    expect(at.events.map(({ note }) => note)).toContain('waiting for Datasets that refer to this one: ml/demo');
    at.delete('Dataset');
    await at.quiet();
    expect(at.get('Dataset')).toBeUndefined();
    expect(at.get('ThinRuntime')).toBeUndefined();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
    expect(at.server.get('Dataset', 'default', 'source')).toBeUndefined();
  });
  test('is repaired while the runtime of the other one waits for its readers, also after a restart', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'demo' } }];
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'reader' }, spec: { nodeName: 'node-1', containers: [], volumes } };
    at.put({ ...pod, status: { phase: 'Running' } } as KubeObject);
    at.server.delete('ThinRuntime', 'default', 'source');
    await at.quiet();
    at.kill();
    await at.restart();
    await at.quiet();
    expect(synced(at)).toMatch(/^True/);
    expect(at.dataset().phase).toBe('Bound');
  });
  test('is repaired while the other one waits for it to be deleted, also after a restart, and no new one is set up', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    at.server.delete('Dataset', 'default', 'source');
    await at.quiet();
    at.kill();
    at.server.remove('PersistentVolumeClaim', 'ml', 'demo');
    await at.restart();
    at.put(write.datasetObject('late', { mounts: [{ mountPoint: 'dataset://default/source', name: 'r' }] }));
    await at.quiet();
    expect(synced(at)).toMatch(/^True/);
    expect(at.get('PersistentVolumeClaim')).toBeDefined();
    expect(at.conditions('Dataset', 'late')['NotReady']).toBe('True DatasetFailedToSetup: Dataset default/source is being deleted');
    expect(at.get('PersistentVolumeClaim', 'late')).toBeUndefined();
  });
  test('is set up to its end when the other one is deleted meanwhile, which waits for its volume', async () => {
    const at = await start();
    serve(at, 'ml');
    await at.quiet();
    at.controllers.paused.add('volumes').add('claims');
    refer(at);
    await at.advance(100);
    expect(at.get('PersistentVolume', 'ml-demo')).toBeDefined();
    expect(at.dataset().phase).not.toBe('Bound');
    at.server.delete('Dataset', 'default', 'source');
    await at.settle();
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
    at.controllers.paused.clear();
    at.server.onChange();
    await at.quiet();
    expect(synced(at)).toMatch(/^True/);
    expect(at.dataset().phase).toBe('Bound');
    at.delete('Dataset');
    await at.quiet();
    expect(at.server.get('Dataset', 'default', 'source')).toBeUndefined();
  });
  test('may refer to any namespace if the installation is open, as Fluid is', async () => {
    const at = await start({ openReferences: true });
    serve(at);
    refer(at);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test.each([
    ['dataset://default/source/../other', 'a path without ".." after dataset://default/source/, found "../other"'],
    ['dataset://default/source//etc', 'a relative path after dataset://default/source/, found "/etc"'],
    ['dataset://default/source/a\nb', 'a path without control characters after dataset://default/source/, found "a\\nb"'],
    ['dataset://default', 'dataset://<namespace>/<name>, or a path after it, found "dataset://default"'],
    ['dataset://Default/source', 'dataset://<namespace>/<name>, or a path after it, found "dataset://Default/source"'],
  ])('is refused as %j', async (mountPoint, expected) => {
    const at = await start();
    serve(at, '*');
    refer(at, mountPoint);
    await at.quiet();
    expect(synced(at)).toBe(`False InvalidSpec: Dataset ml/demo: spec.mounts[0].mountPoint: expected ${expected}`);
  });
  test('is refused beside other mounts, and gets its ThinRuntime once it is alone', async () => {
    const at = await start();
    serve(at, 'ml');
    at.put(
      write.datasetObject('demo', {
        mounts: [
          { mountPoint: 's3://a', name: 'a' },
          { mountPoint: 'dataset://default/source', name: 'r' },
        ],
      }),
    );
    await at.quiet();
    expect(at.conditions('Dataset')['NotReady']).toContain(
      'Dataset ml/demo: spec.mounts: expected a single mount, since one is dataset://',
    );
    refer(at);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test('cannot refer to one that refers to a third', async () => {
    const at = await start();
    serve(at, '*');
    at.put(write.datasetObject('middle', { mounts: [{ mountPoint: 'dataset://default/source' }] }));
    refer(at, 'dataset://ml/middle');
    await at.quiet();
    expect(statusOf(at, 'ml', 'middle').phase).toBe('Bound');
    expect(synced(at)).toBe(
      'False ReferenceNotAllowed: expected a Dataset that refers to no other one, found Dataset ml/middle, which refers to "dataset://default/source"',
    );
  });
  test('takes eight requests', async () => {
    const at = await start();
    serve(at, 'ml');
    await at.quiet();
    at.forget();
    refer(at);
    await at.quiet();
    expect(
      at.server.requestsThat({}).map(({ verb, kind, name, subresource }) => [verb, kind, name, subresource].filter(Boolean).join(' ')),
    ).toEqual([
      'create ThinRuntime demo',
      'get PersistentVolume default-source',
      'patch Dataset demo',
      'create PersistentVolumeClaim demo',
      'create PersistentVolume ml-demo',
      'patch Dataset source status',
      'patch Dataset demo status',
      'patch ThinRuntime demo status',
    ]);
  });
  test('follows the figures of the other one by its watch, and quotes none of its conditions', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    const other = at.server.get('Dataset', 'default', 'source')!;
    at.put({ ...other, status: { ...(other['status'] as object), ufsTotal: '3.91MiB', fileNum: '7', cacheStates: { cached: '1.00GiB' } } });
    await at.settle();
    expect(at.dataset()).toMatchObject({ ufsTotal: '3.91MiB', fileNum: '7', cacheStates: { cached: '1.00GiB' } });
    expect(Object.keys(at.conditions('ThinRuntime'))).toEqual(['Synced']);
  });
  test('that Fluid had bound keeps its volume and handle without a grant, with a warning that names it', async () => {
    const at = await start();
    serve(at);
    await at.quiet();
    const { spec } = at.server.get('PersistentVolume', undefined, 'default-source') as KubeObject & { spec: { csi: object } };
    refer(at, 'dataset://default/source');
    const { uid } = at.get('Dataset')!.metadata;
    at.kill();
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'ml', name: 'demo' };
    const marks = { labels: { 'fluid.io/dataset-id': 'ml-demo', 'fluid.io/s-ml-demo': 'true' }, annotations: { CreatedBy: 'fluid' } };
    const csi = { ...spec.csi, volumeHandle: 'default-source' };
    at.server.remove('ThinRuntime', 'ml', 'demo');
    at.put({
      ...write.thinRuntime('demo', {}),
      metadata: {
        name: 'demo',
        finalizers: ['thin-runtime-controller-finalizer'],
        labels: { 'fluid.io/dataset-id': 'ml-demo' },
        ownerReferences: [{ apiVersion: 'data.fluid.io/v1alpha1', kind: 'Dataset', name: 'demo', uid: uid ?? '', controller: true }],
      },
      status: { valueFile: 'source-thin-values' },
    });
    at.put({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'ml-demo', ...marks },
      spec: { ...spec, csi, claimRef, accessModes: ['ReadOnlyMany'] },
    });
    at.put({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'demo', ...marks },
      spec: {
        accessModes: ['ReadOnlyMany'],
        resources: { requests: { storage: '100Pi' } },
        storageClassName: 'fluid',
        volumeName: 'ml-demo',
      },
    });
    at.put({
      ...at.get('Dataset')!,
      status: { phase: 'Bound', conditions: [], runtimes: [{ type: 'thin', name: 'demo', namespace: 'ml' }] },
    });
    await at.restart();
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.get('PersistentVolume', 'ml-demo')).toMatchObject({ spec: { csi: { volumeHandle: 'default-source' } } });
    expect(at.conditions('ThinRuntime')['ImmutableFieldChanged']).toBeUndefined();
    expect(at.conditions('ThinRuntime')['SpecWarning']).toContain('should list ml in its annotation data.fluid.io/shared-with');
    at.kill();
    await at.restart();
    at.put({
      ...at.get('Dataset')!,
      metadata: { ...at.get('Dataset')!.metadata, labels: { edited: 'yes', 'fluid.io/dataset-id': 'ml-demo' } },
    });
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
    expect(at.get('PersistentVolumeClaim')?.metadata.deletionTimestamp).toBeUndefined();
  });
  test('is not for other kinds of runtimes', async () => {
    const at = await start();
    refer(at);
    at.put(write.jfsRuntime('demo'));
    await at.quiet();
    expect(at.conditions('JuiceFSRuntime')['Synced']).toContain('references are of other runtimes');
  });
  test('D24: fails a DataLoad with the reason, and runs a DataProcess', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    const operation = (kind: string, spec: object): KubeObject => ({
      apiVersion: 'data.fluid.io/v1alpha1',
      kind,
      metadata: { name: 'op' },
      spec,
    });
    at.put(operation('DataLoad', { dataset: { name: 'demo', namespace: 'ml' } }));
    const script = { image: 'busybox', source: 'ls /data', command: ['sh'] };
    at.put(operation('DataProcess', { dataset: { name: 'demo', namespace: 'ml', mountPath: '/data' }, processor: { script } }));
    await at.quiet();
    expect(at.get('DataLoad', 'op')).toMatchObject({ status: { phase: 'Failed' } });
    expect(at.events.map(({ reason }) => reason)).toContain('DataOperationNotSupport');
    expect(JSON.stringify(at.get('Job', 'op-processor-job'))).toContain('"claimName":"demo"');
  });
  test('is repaired when its claim could not be created at first', async () => {
    const at = await start();
    serve(at, 'ml');
    await at.quiet();
    at.server.rules.refuse({ verb: 'create', kind: 'PersistentVolumeClaim', times: 3 }, { status: 403, reason: 'Forbidden' });
    refer(at);
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });
  test('is bound within a second when both are created at once', async () => {
    const at = await start();
    await at.settle();
    refer(at);
    serve(at, 'ml');
    await at.advance(1000);
    expect(at.dataset().phase).toBe('Bound');
  });
  test('stays while the other one is bound again by a new runtime', async () => {
    const at = await start();
    serve(at, 'ml');
    refer(at);
    await at.quiet();
    at.server.delete('ThinRuntime', 'default', 'source');
    await at.quiet();
    expect(statusOf(at, 'default', 'source').phase).toBe('NotBound');
    expect(synced(at)).toMatch(/^False DatasetNotBound: Dataset default\/source is not bound; until that is mended the last valid plan/);
    expect(at.get('PersistentVolumeClaim')?.metadata.deletionTimestamp).toBeUndefined();
    at.put(inDefault(write.thinRuntime('source', { profileName: 'profile' })));
    await at.quiet();
    expect(synced(at)).toMatch(/^True/);
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
  });
  test('an owner cannot be kept from deleting by a reference that was never allowed', async () => {
    const at = await start();
    serve(at);
    refer(at);
    await at.quiet();
    at.put({ ...at.get('Dataset')!, status: { phase: 'Bound', conditions: [] } });
    at.server.delete('Dataset', 'default', 'source');
    await at.quiet();
    expect(at.server.get('Dataset', 'default', 'source')).toBeUndefined();
  });
  test.each([
    ['another one', { mounts: [{ mountPoint: 'dataset://ml/third' }] }, 'ml', 'third'],
    ['none any more', { mounts: [{ mountPoint: 's3://b', name: 'b' }] }, undefined, undefined],
  ])('that is edited to refer to %s keeps nothing of the first: its volume is created again', async (_, spec, namespace, name) => {
    const at = await start();
    serve(at, 'ml');
    at.put(write.openDataset('third'));
    at.put(write.thinRuntime('third', { profileName: 'profile' }));
    refer(at);
    await at.quiet();
    at.put(write.reader('reader', 'demo'));
    at.edit('Dataset', spec);
    if (name === undefined) at.edit('ThinRuntime', { profileName: 'profile' });
    await at.quiet();
    // Until the pod ends, the volume says where it leads, and keeps that Dataset.
    expect(at.get('PersistentVolume', 'ml-demo')?.metadata.labels).toMatchObject({ 'fluid.io/dataset.referring-name': 'source' });
    expect(statusOf(at, 'default', 'source').datasetRef).toEqual(['ml/demo']);
    at.delete('Pod', 'reader');
    await at.quiet();
    const { spec: volume } = at.get('PersistentVolume', 'ml-demo') as KubeObject & { spec: object };
    expect(volume).toMatchObject({ csi: { volumeAttributes: { runtime_namespace: namespace ?? 'ml', runtime_name: name ?? 'demo' } } });
    expect(statusOf(at, 'default', 'source').datasetRef).toBeUndefined();
    expect(at.dataset().phase).toBe('Bound');
  });
});
