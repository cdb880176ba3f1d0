import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../../src/api/index.ts';
import { retain } from '../../../src/planning/diff/retain.ts';
import type { LiveObject } from '../../../src/reconciler/world.ts';

const manifest = (kind: string, spec: object): Manifest => ({ apiVersion: 'v1', kind, metadata: { name: 'demo' }, spec });
const live = (kind: string, spec: object): LiveObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'demo', uid: 'u', resourceVersion: '1' },
  spec,
});
const template = (labels: object) => ({ metadata: { labels }, spec: { containers: [] } });

describe('a StatefulSet', () => {
  const desired = manifest('StatefulSet', {
    replicas: 3,
    serviceName: 'new',
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app: 'thin' } },
    template: template({ app: 'thin' }),
  });
  const existing = live('StatefulSet', {
    replicas: 1,
    serviceName: 'old',
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app: 'thin', chart: 'thin-0.1.5' } },
    template: template({ app: 'thin', chart: 'thin-0.1.5' }),
  });
  const { manifest: retained, immutable } = retain(desired, existing);
  test('gets what may change', () => expect(retained['spec']).toMatchObject({ replicas: 3 }));
  test('keeps what may not, which is reported', () => {
    expect(retained['spec']).toMatchObject({ serviceName: 'old' });
    expect(immutable).toEqual([{ object: 'StatefulSet/demo', path: 'spec.serviceName', live: 'old', desired: 'new' }]);
  });
  test('keeps its selector, and its pods every label that it selects by', () =>
    expect(retained['spec']).toMatchObject({
      selector: { matchLabels: { app: 'thin', chart: 'thin-0.1.5' } },
      template: { metadata: { labels: { app: 'thin', chart: 'thin-0.1.5' } } },
    }));
  test('does not get a field that could only be set at first', () => {
    const { manifest: without, immutable: reported } = retain(
      manifest('StatefulSet', { volumeClaimTemplates: [{ metadata: { name: 'data' } }] }),
      live('StatefulSet', {}),
    );
    expect(without['spec']).toEqual({});
    expect(reported).toHaveLength(1);
  });
});

test('a volume keeps its source, and names the attribute that would change, dots and all', () => {
  const csi = (skip: string) => ({
    csi: { driver: 'fuse.csi.fluid.io', volumeAttributes: { 'fluid.io/skip-check-mount-ready-target': skip } },
  });
  const { manifest: retained, immutable } = retain(
    manifest('PersistentVolume', { ...csi('All'), accessModes: ['ReadWriteMany'] }),
    live('PersistentVolume', { ...csi(''), accessModes: ['ReadOnlyMany'] }),
  );
  expect(retained['spec']).toEqual({ ...csi(''), accessModes: ['ReadWriteMany'] });
  expect(immutable).toEqual([
    { object: 'PersistentVolume/demo', path: 'spec.csi.volumeAttributes.fluid.io/skip-check-mount-ready-target', live: '', desired: 'All' },
  ]);
});

test('of a claim nothing may change, and every change is reported', () => {
  const { manifest: retained, immutable } = retain(
    manifest('PersistentVolumeClaim', { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '2Gi' } } }),
    live('PersistentVolumeClaim', { accessModes: ['ReadOnlyMany'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' }),
  );
  expect(retained['spec']).toEqual({ accessModes: ['ReadOnlyMany'], resources: { requests: { storage: '1Gi' } } });
  expect(immutable.map(({ path, live: is, desired }) => [path, is, desired])).toEqual([
    ['spec.accessModes[0]', 'ReadOnlyMany', 'ReadWriteMany'],
    ['spec.resources.requests.storage', '1Gi', '2Gi'],
  ]);
});

test('a RoleBinding keeps its role', () => {
  const binding = (role: string) => ({
    apiVersion: 'v1',
    kind: 'RoleBinding',
    metadata: { name: 'demo', uid: 'u', resourceVersion: '1' },
    roleRef: { kind: 'Role', name: role },
    subjects: [],
  });
  const { manifest: retained, immutable } = retain(binding('new'), binding('old'));
  expect(retained['roleRef']).toEqual({ kind: 'Role', name: 'old' });
  expect(immutable).toEqual([{ object: 'RoleBinding/demo', path: 'roleRef.name', live: 'old', desired: 'new' }]);
});

test.each(['ConfigMap', 'Service', 'Role'])('a %s may change as a whole', (kind) => {
  const desired = { ...manifest(kind, { a: 1 }), data: { b: '2' } };
  expect(retain(desired, live(kind, { a: 2 }))).toEqual({ manifest: desired, immutable: [] });
});

test('an object that is as it should be has nothing to report', () =>
  expect(
    retain(
      manifest('DaemonSet', { selector: { a: 1 }, template: template({ a: 'b' }) }),
      live('DaemonSet', { selector: { a: 1 }, template: template({ a: 'b' }), revisionHistoryLimit: 10 }),
    ).immutable,
  ).toEqual([]));

describe('a field that cannot change and is sent no more', () => {
  const affinity = (zone: string) => ({
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
  });
  const claims = [{ metadata: { name: 'cache' } }];
  test.each([
    ['PersistentVolume', { capacity: { storage: '1Gi' } }, 'nodeAffinity', affinity('a')],
    ['StatefulSet', { replicas: 1, template: template({}) }, 'volumeClaimTemplates', claims],
  ])('of a %s stays as it is, which is reported', (kind, spec, field, value) => {
    const { manifest: retained, immutable } = retain(manifest(kind, spec), live(kind, { ...spec, [field]: value }));
    expect(retained['spec']).toEqual({ ...spec, [field]: value });
    expect(immutable).toEqual([{ object: `${kind}/demo`, path: `spec.${field}`, live: value, desired: undefined }]);
  });
  test.each([
    ['PersistentVolume', { volumeMode: 'Filesystem' }],
    ['PersistentVolumeClaim', { volumeMode: 'Filesystem', volumeName: 'v' }],
    ['StatefulSet', { podManagementPolicy: 'OrderedReady' }],
  ])('of a %s was never sent, if the API server has filled it in', (kind, filled) => {
    const spec = { accessModes: [], template: template({}) };
    expect(retain(manifest(kind, spec), live(kind, { ...spec, ...filled })).immutable).toEqual([]);
  });
});
