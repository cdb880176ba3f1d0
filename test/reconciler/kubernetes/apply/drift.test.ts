import { describe, expect, test } from 'vitest';
import { label } from '../../../../src/api/index.ts';
import type { KubeObject } from '../../../../src/kube/types.ts';
import * as write from '../../../support/objects.ts';
import { boundHarness, demo, harness } from '../../harness.ts';

const dataset = () => write.openDataset('demo');
const thin = () => write.thinRuntime('demo', { profileName: 'profile' });
const bound = (runtime: KubeObject = thin()) => boundHarness([dataset(), runtime]);
const refused = { status: 403, reason: 'Forbidden', message: 'not here' };

describe('drift', () => {
  test.each([
    ['DaemonSet', 'demo-fuse'],
    ['ConfigMap', 'demo-fuse-conf'],
    ['PersistentVolumeClaim', 'demo'],
  ])('a deleted %s is created again', async (kind, name) => {
    const at = await bound();
    const { uid } = at.get(kind, name)!.metadata;
    at.delete(kind, name);
    await at.quiet();
    expect(at.get(kind, name)?.metadata.uid).not.toBe(uid);
    expect(at.written({ verb: 'create' })).toEqual([`create ${kind}/${name}`]);
    expect(at.dataset().phase).toBe('Bound');
  });
  test.each([
    ['DaemonSet', 'demo-fuse'],
    ['ConfigMap', 'demo-fuse-conf'],
  ])('a %s of Fluid that is being deleted when the controller starts is created again once it is gone', async (kind, name) => {
    const at = await bound();
    at.kill();
    const { metadata, ...rest } = at.get(kind, name)!;
    const { [label.owner]: _, ...labels } = metadata.labels ?? {};
    at.put({ ...rest, metadata: { ...metadata, labels, finalizers: ['example.io/held'] } } as KubeObject);
    at.delete(kind, name);
    await at.restart();
    await at.quiet();
    expect(at.get(kind, name)?.metadata).toMatchObject({ uid: metadata.uid, deletionTimestamp: expect.any(String) });
    at.put({ ...at.get(kind, name)!, metadata: { ...at.get(kind, name)!.metadata, finalizers: [] } });
    await at.quiet();
    expect(at.get(kind, name)?.metadata.uid).not.toBe(metadata.uid);
    expect(at.get(kind, name)).toBeDefined();
  });
  test('an object that only a finalizer of Fluid keeps is created again at once', async () => {
    const at = await bound();
    at.kill();
    const [kind, name] = ['DaemonSet', 'demo-fuse'];
    const { metadata, ...rest } = at.get(kind, name)!;
    const { [label.owner]: _, ...labels } = metadata.labels ?? {};
    at.server.put({ ...rest, metadata: { ...metadata, labels, finalizers: ['example.io/held'] } } as KubeObject, 'ddc-helm');
    at.delete(kind, name);
    await at.restart();
    await at.settle();
    const again = at.get(kind, name);
    expect(again).toBeDefined();
    expect(again?.metadata.uid).not.toBe(metadata.uid);
    await at.quiet();
    expect(at.get(kind, name)?.metadata.uid).toBe(again?.metadata.uid);
    expect(at.log.map(({ message }) => message)).not.toContain('the watch is behind; restarting it');
  });
  test('a claim that is deleted while pods mount it is reported, and created again once they are gone', async () => {
    const at = await bound();
    const { metadata, ...rest } = at.get('PersistentVolumeClaim')!;
    at.put({ ...rest, metadata: { ...metadata, finalizers: ['example.io/held'] } } as KubeObject);
    at.delete('PersistentVolumeClaim');
    await at.quiet();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False VolumePending: the claim is being deleted/);
    expect(at.dataset().phase).toBe('Bound');
    at.put({ ...at.get('PersistentVolumeClaim')!, metadata: { ...at.get('PersistentVolumeClaim')!.metadata, finalizers: [] } });
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')?.metadata.uid).not.toBe(metadata.uid);
    expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^True/);
    expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
  });
  test('a lost claim finds its volume again', async () => {
    const at = await bound();
    at.delete('PersistentVolumeClaim');
    await at.quiet();
    expect(at.written({ kind: 'PersistentVolume' })).toContain('patch PersistentVolume/ml-demo');
    expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
  });
  test('claim and volume, both deleted, are created again', async () => {
    const at = await bound();
    at.delete('PersistentVolumeClaim');
    at.delete('PersistentVolume', 'ml-demo');
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
  });
  test('a volume that was deleted under its claim is created again, and bound to it', async () => {
    const at = await bound();
    const { uid } = at.get('PersistentVolumeClaim')!.metadata;
    at.server.remove('PersistentVolume', undefined, 'ml-demo');
    at.controllers.settle();
    expect(at.get('PersistentVolumeClaim')?.['status']).toEqual({ phase: 'Lost' });
    await at.quiet();
    expect(at.get('PersistentVolumeClaim')).toMatchObject({ metadata: { uid }, status: { phase: 'Bound' } });
  });
  test('an edited field is set back', async () => {
    const at = await bound();
    const config = at.get('ConfigMap', 'demo-fuse-conf')!;
    at.put({ ...config, data: { 'config.json': 'edited' } });
    await at.quiet();
    expect(at.written()).toContain('apply ConfigMap/demo-fuse-conf');
    expect(at.get('ConfigMap', 'demo-fuse-conf')?.['data']).toEqual(config['data']);
  });
  test('an object that is no longer wanted is pruned (A13)', async () => {
    const at = await bound();
    const config = at.get('ConfigMap', 'demo-fuse-conf')!;
    at.put({ ...config, metadata: { ...config.metadata, name: 'demo-old' } });
    await at.quiet();
    expect(at.written()).toEqual(['delete ConfigMap/demo-old']);
  });
  test('a workload that is missing is reported', async () => {
    const at = await bound(write.exampleRuntime('demo', {}));
    const rule = at.server.rules.refuse({ verb: ['create', 'apply'], kind: 'StatefulSet', name: 'demo-worker' }, refused);
    at.delete('StatefulSet', 'demo-worker');
    await at.quiet();
    expect(at.dataset().phase).toBe('Failed');
    expect(at.conditions('Dataset')['Ready']).toMatch(/^False DatasetFailed: StatefulSet\/demo-worker: .*403 Forbidden: not here/);
    expect(at.conditions('ExampleRuntime')['WorkersReady']).toBe('False Workers are ready: The workers are gone.');
    rule.remove();
    await at.advance(300_000);
    expect(at.dataset().phase).toBe('Bound');
  });
});

describe('an object that is rejected', () => {
  const both = async () => {
    const at = await harness();
    at.put(dataset());
    at.put(thin());
    return at;
  };
  test('keeps no other from being created, but the claim and its volume (A1, A7)', async () => {
    const at = await both();
    at.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'demo-fuse-conf' }, data: { mine: 'yes' } });
    await at.quiet();
    expect(at.get('DaemonSet', 'demo-fuse')).toBeDefined();
    expect(at.get('PersistentVolumeClaim')).toBeUndefined();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
    expect(at.dataset().phase).toBe('NotBound');
    const why = 'it exists already and belongs to no known owner; expected none or one of ThinRuntime demo';
    expect(at.conditions('Dataset')).toEqual({ NotReady: `True DatasetFailedToSetup: ConfigMap/demo-fuse-conf: ${why}` });
    expect(at.conditions('ThinRuntime')['Synced']).toBe(`False NameTaken: ConfigMap/demo-fuse-conf: ${why}`);
    expect(at.get('ConfigMap', 'demo-fuse-conf')?.['data']).toEqual({ mine: 'yes' });
  });
  test('keeps the volume with its claim from being created, so that no claim of a user binds it', async () => {
    const at = await both();
    const rule = at.server.rules.refuse({ verb: 'create', kind: 'PersistentVolumeClaim' }, { status: 403, message: 'exceeded quota' });
    await at.quiet();
    expect(at.get('PersistentVolume', 'ml-demo')).toBeUndefined();
    expect(at.conditions('ThinRuntime')['Synced']).toMatch('PersistentVolumeClaim/demo: ');
    rule.remove();
    await at.advance(300_000);
    expect(at.get('PersistentVolumeClaim')?.['status']).toMatchObject({ phase: 'Bound' });
  });
  test('fails the pass, so that it is retried', async () => {
    const at = await both();
    at.server.rules.refuse({ verb: 'create', kind: 'ConfigMap' }, refused);
    await expect(at.pass()).rejects.toThrow(/ConfigMap\/demo-fuse-conf: .*not here/);
  });
  test('is not reported while it is a race that is a moment old', async () => {
    const at = await both();
    at.server.rules.refuse({ verb: 'create', kind: 'ConfigMap' }, { status: 409, reason: 'Conflict' });
    await expect(at.pass(demo, 1000)).rejects.toThrow('409 Conflict');
    expect(at.written({ subresource: 'status' })).toEqual([]);
  });
  test('keeps everything from being pruned', async () => {
    const at = await bound();
    const config = at.get('ConfigMap', 'demo-fuse-conf')!;
    at.put({ ...config, metadata: { ...config.metadata, name: 'demo-old' } });
    at.put({ ...config, data: {} });
    at.server.rules.refuse({ verb: 'apply', kind: 'ConfigMap' }, refused);
    await at.quiet();
    expect(at.passes.at(-1)?.error?.message).toMatch(/ConfigMap\/demo-fuse-conf: .*not here/);
    expect(at.written({ verb: 'delete' })).toEqual([]);
  });
});
