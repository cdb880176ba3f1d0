import { describe, expect, test } from 'vitest';
import type { Admission, DatasetUse } from '../../../src/webhook/admission.ts';
import { datasetUsage } from '../../../src/webhook/plugins/dataset-usage.ts';
import { mountPropagation } from '../../../src/webhook/plugins/mount-propagation.ts';
import type { Pod } from '../../../src/webhook/pod.ts';

const use = (claim: string, name = claim): DatasetUse => ({
  claim,
  dataset: { identity: { namespace: 'ml', name, uid: 'u', collides: false }, phase: 'Bound' },
});
// Nothing else of it is looked at.
const admission = (...uses: DatasetUse[]) => ({ uses }) as unknown as Admission;

describe('DatasetUsageInjector', () => {
  const record = datasetUsage.configure(undefined);
  const pod = (annotations?: Record<string, string>): Pod => ({
    metadata: { ...(annotations && { annotations }) },
    spec: { containers: [] },
  });

  test('records the Datasets, sorted, beside those that are recorded already', () => {
    const { metadata } = record(pod({ 'fluid.io/datasets-in-use': 'models,images' }), admission(use('tables'), use('own-claim', 'images')));
    expect(metadata.annotations).toEqual({ 'fluid.io/datasets-in-use': 'images,models,tables' });
  });
  test('leaves a pod without Datasets as it is', () => {
    const before = pod();
    expect(record(before, admission())).toBe(before);
  });
  test('has no arguments', () => {
    expect(() => datasetUsage.configure({ a: 1 })).toThrow('args: expected none, found {"a":1}');
  });
});

describe('MountPropagationInjector', () => {
  const mounting = (mountPropagation?: string) => ({
    name: 'main',
    volumeMounts: [
      { name: 'data', mountPath: '/data', ...(mountPropagation && { mountPropagation }) },
      { name: 'scratch', mountPath: '/scratch' },
    ],
  });
  const pod = (mountPropagation?: string): Pod => ({
    metadata: {},
    spec: {
      initContainers: [{ ...mounting(mountPropagation), name: 'init' }],
      containers: [mounting(mountPropagation)],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'images' } },
        { name: 'scratch', persistentVolumeClaim: { claimName: 'scratch' } },
      ],
    },
  });
  const propagate = mountPropagation.configure(undefined);
  const found = ({ spec }: Pod) =>
    [...(spec.initContainers ?? []), ...spec.containers].map(({ volumeMounts }) => volumeMounts?.map((mount) => mount.mountPropagation));

  test('lets mounts of Datasets propagate into all containers, and no others', () => {
    expect(found(propagate(pod(), admission(use('images'))))).toEqual([
      ['HostToContainer', undefined],
      ['HostToContainer', undefined],
    ]);
  });
  test('leaves mounts alone that are recursively read-only, which Kubernetes allows without propagation only', () => {
    const before = pod();
    const containers = before.spec.containers.map((each) => ({
      ...each,
      volumeMounts: (each.volumeMounts ?? []).map((mount) => ({ ...mount, readOnly: true, recursiveReadOnly: 'Enabled' })),
    }));
    const after = propagate({ ...before, spec: { ...before.spec, containers } }, admission(use('images')));
    expect(found(after)[1]).toEqual([undefined, undefined]);
  });
  test("keeps the user's choice", () => {
    expect(found(propagate(pod('None'), admission(use('images'))))[0]).toEqual(['None', undefined]);
  });
});
