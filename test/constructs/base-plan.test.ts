import { describe, expect, test } from 'vitest';
import { basePlan, commonLabels, nextGeneration, podCommonLabels } from '../../src/constructs/index.ts';
import { type Given, planInput } from '../../src/testing/given.ts';
import { namesOf } from '../support/names.ts';

const planOf = (given: Given<object> = {}, fuseNodeSelector?: Readonly<Record<string, string>>) =>
  basePlan(
    { ...planInput(given), runtime: namesOf('thin', 'ThinRuntime') },
    { mountType: 'fuse.s3fs', mountDir: 'thin-fuse', fuseNodeSelector },
  );

test('paths are made of type, namespace and name, below the root of the installation', () =>
  expect(planOf({ settings: { mountRoot: '/mnt' } })).toMatchObject({
    hostPath: '/mnt/thin/ml/demo',
    mountPath: '/mnt/thin/ml/demo/thin-fuse',
    volume: { attributes: { fluid_path: '/mnt/thin/ml/demo/thin-fuse' } },
  }));
test('an owner is the runtime, by its UID', () =>
  expect(planOf().owner).toEqual({ apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntime', name: 'demo', uid: 'uid-of-runtime' }));
test.each([
  [undefined, 'Exclusive'],
  ['', 'Exclusive'],
  ['Exclusive', 'Exclusive'],
  ['Shared', 'Shared'],
] as const)('placement %j is %s', (placement, expected) =>
  expect(planOf({ dataset: { ...(placement !== undefined && { placement }) } }).placement).toBe(expected),
);

describe('the volume', () => {
  test('is read by many unless the Dataset says otherwise', () => {
    expect(planOf().volume.accessModes).toEqual(['ReadOnlyMany']);
    expect(planOf({ dataset: { accessModes: [] } }).volume.accessModes).toEqual(['ReadOnlyMany']);
    expect(planOf({ dataset: { accessModes: ['ReadWriteMany'] } }).volume.accessModes).toEqual(['ReadWriteMany']);
  });
  test.each([
    [undefined, '100Pi'],
    ['1.5Gi', '1536Mi'],
    ['much', '100Pi'],
    ['', '100Pi'],
  ])('of the size %j has %s: an invalid size does not stop the Dataset', (size, expected) =>
    expect(
      planOf({ datasetAnnotations: { ...(size !== undefined && { 'pvc.fluid.io/resources.requests.storage': size }) } }).volume.storage,
    ).toBe(expected),
  );
  test('has the attributes that the CSI plugin reads', () =>
    expect(planOf({ annotations: { 'fluid.io/skip-check-mount-ready-target': 'All' } }).volume.attributes).toEqual({
      fluid_path: '/runtime-mnt/thin/ml/demo/thin-fuse',
      mount_type: 'fuse.s3fs',
      runtime_namespace: 'ml',
      runtime_name: 'demo',
      mount_pod_node_selector_key: 'fluid.io/f-ml-demo',
      'fluid.io/skip-check-mount-ready-target': 'All',
    }));
});

describe('data.fluid.io/metadataList', () => {
  const listed = (list: unknown) =>
    planOf({ annotations: { 'data.fluid.io/metadataList': typeof list === 'string' ? list : JSON.stringify(list) } });
  test('gives volume and claim what is meant for them, the later winning', () =>
    expect(
      listed([
        { selector: { group: '', kind: 'PersistentVolume' }, labels: { a: '1' }, annotations: { x: 'y' } },
        { selector: { kind: 'PersistentVolume' }, labels: { a: '2' } },
        { selector: { kind: 'PersistentVolumeClaim' }, labels: { b: '1' } },
        { selector: { group: 'apps', kind: 'PersistentVolume' }, labels: { c: '1' } },
        { labels: { d: '1' } },
        { selector: null, labels: null },
      ]).volume.metadata,
    ).toEqual({ volume: { labels: { a: '2' }, annotations: { x: 'y' } }, claim: { labels: { b: '1' }, annotations: {} } }));
  test('cannot say where the volume leads, who consented to that, whose it is, which record is in force, which fuse pods are verified, or to what it is bound', () => {
    const [labels, annotations] = [
      { 'fluid.io/dataset.referring-name': 'a', 'fluid.io/dataset.referring-namespace': 'b', 'data.fluid.io/owner-uid': 'u', team: 'ml' },
      {
        'data.fluid.io/reference-consent': 'fluid',
        'data.fluid.io/last-valid': 'h',
        'data.fluid.io/manifest-hash': 'h',
        'data.fluid.io/sidecar': '{}',
        'data.fluid.io/verified-fuse': 'evil/u/1/h',
        'pv.kubernetes.io/bound-by-controller': 'yes',
        note: 'n',
      },
    ];
    const { volume, warnings } = listed(
      ['PersistentVolume', 'PersistentVolumeClaim'].map((kind) => ({ selector: { kind }, labels, annotations })),
    );
    const rest = { labels: { team: 'ml' }, annotations: { note: 'n' } };
    expect(volume.metadata).toEqual({ volume: rest, claim: rest });
    expect(warnings?.map(({ message }) => message)).toEqual([
      'metadata.annotations[data.fluid.io/metadataList]: only the controller writes data.fluid.io/last-valid, data.fluid.io/manifest-hash, ' +
        'data.fluid.io/owner-uid, data.fluid.io/reference-consent, data.fluid.io/sidecar, data.fluid.io/verified-fuse, ' +
        'fluid.io/dataset.referring-name, fluid.io/dataset.referring-namespace, pv.kubernetes.io/bound-by-controller; ' +
        'the volume and the claim have the rest',
    ]);
  });
  test('has names in any case, as Fluid reads them, and names those that are no field', () => {
    const { volume, warnings } = listed([
      { Selector: { Kind: 'PersistentVolume' }, Labels: { a: '1' }, ANNOTATIONS: { Note: 'n' }, label: { b: '1' } },
    ]);
    expect(volume.metadata.volume).toEqual({ labels: { a: '1' }, annotations: { Note: 'n' } });
    expect(warnings.map(({ message }) => message)).toEqual([
      'metadata.annotations[data.fluid.io/metadataList]: "label": expected selector, labels or annotations, and in a selector group, version and kind',
    ]);
  });
  test('can have the volume published by symlink', () => {
    const labels = { 'fluid.io/node-publish-method': 'symlink' };
    expect(listed([{ selector: { kind: 'PersistentVolume' }, labels }]).volume.attributes['node_publish_method']).toBe('symlink');
    expect(listed([{ selector: { kind: 'PersistentVolumeClaim' }, labels }]).volume.attributes).not.toHaveProperty('node_publish_method');
  });
  test.each([
    'no json',
    '{}',
    '"text"',
    '7',
    '[null]',
    '[7]',
    '[{"labels":{"a":1}}]',
    '[{"labels":["a"]}]',
    '[{"selector":"PersistentVolume"}]',
  ])('is passed over, with a warning, where it is %s', (text) => {
    const { volume, warnings } = listed(text);
    expect(volume.metadata).toEqual({ volume: { labels: {}, annotations: {} }, claim: { labels: {}, annotations: {} } });
    expect(warnings).toEqual([
      {
        reason: 'SpecPartlyIgnored',
        message: expect.stringMatching(/^metadata\.annotations\[data\.fluid\.io\/metadataList\]: expected a JSON list/) as string,
      },
    ]);
  });
});

describe('the generation of the fuse pods', () => {
  const facts = planInput().facts;
  test('begins with 1', () => expect(nextGeneration(facts, 'a:1')).toBe(1));
  test('stays while the image does', () => expect(nextGeneration({ ...facts, fuse: { image: 'a:1', generation: 3 } }, 'a:1')).toBe(3));
  test('stays the same if the template has no hash of its script', () =>
    expect(nextGeneration({ ...facts, fuse: { image: 'a:1', generation: 3 } }, 'a:1', 'x')).toBe(3));
  test('grows with another script', () =>
    expect(nextGeneration({ ...facts, fuse: { image: 'a:1', generation: 3, scriptHash: 'x' } }, 'a:1', 'y')).toBe(4));
  test('grows with another image', () => expect(nextGeneration({ ...facts, fuse: { image: 'a:1', generation: 3 } }, 'a:2')).toBe(4));
});

test('pods do not name the runtime’s UID, so that a take-over does not change their template', () => {
  expect(commonLabels(planOf())).toEqual({ ...podCommonLabels(planOf()), 'data.fluid.io/owner-uid': 'uid-of-runtime' });
  expect(podCommonLabels(planOf())).not.toHaveProperty('data.fluid.io/owner-uid');
});
test('fuse pods see the processes of the node only where an annotation says so', () => {
  expect(planOf({ annotations: { 'runtime.fluid.io/fuse.hostpid': 'true' } }).fuse.hostPid).toBe(true);
  expect(planOf({ annotations: { 'runtime.fluid.io/fuse.hostpid': 'yes' } }).fuse.hostPid).toBe(false);
});

test('an access mode that Kubernetes does not know is refused as the field of the Dataset that it is', () =>
  expect(() => planOf({ dataset: { accessModes: ['ReadOnly' as 'ReadOnlyMany'] } })).toThrow(
    'Dataset ml/demo: spec.accessModes[0]: expected one of ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod, found "ReadOnly"',
  ));
test('a size of the volume that is none is passed over, with a warning', () => {
  const { volume, warnings } = planOf({ datasetAnnotations: { 'pvc.fluid.io/resources.requests.storage': 'much' } });
  expect(volume.storage).toBe('100Pi');
  expect(warnings?.map(({ message }) => message)).toEqual([
    'Dataset: metadata.annotations[pvc.fluid.io/resources.requests.storage]: expected a quantity; the volume says 100Pi',
  ]);
});
