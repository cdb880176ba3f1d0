import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { fuseFact, workloadView } from '../../src/planning/views.ts';
import { live } from '../reconciler/worlds.ts';

const pod = (name: string, labels: Record<string, string>, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels, ...more },
});
const statefulSet = (status: object, spec: object = { replicas: 3 }) => {
  const object = live('StatefulSet', 'w', { spec, status });
  return { ...object, metadata: { ...object.metadata, generation: 2 } };
};

describe('a StatefulSet', () => {
  test('has its desired count from its spec, and the others from its status', () =>
    expect(workloadView(statefulSet({ replicas: 2, readyReplicas: 1, availableReplicas: 1 }), [])).toEqual({
      desired: 3,
      current: 2,
      ready: 1,
      available: 1,
      outdated: [],
      crashing: [],
      unstarted: [],
    }));
  test('that its controller has not seen has no pods', () =>
    expect(workloadView(live('StatefulSet', 'w', { spec: {} }), [])).toEqual({
      desired: 1,
      current: 0,
      ready: 0,
      available: 0,
      outdated: [],
      crashing: [],
      unstarted: [],
    }));
  const pods = [
    pod('w-2', { 'controller-revision-hash': 'old' }),
    pod('w-0', { 'controller-revision-hash': 'old' }),
    pod('w-1', { 'controller-revision-hash': 'new' }),
  ];
  test('names its pods of an older revision, in order', () =>
    expect(workloadView(statefulSet({ observedGeneration: 2, updateRevision: 'new' }), pods).outdated).toEqual(['w-0', 'w-2']));
  test('names no pod while its controller has not seen the template', () =>
    expect(workloadView(statefulSet({ observedGeneration: 1, updateRevision: 'new' }), pods).outdated).toEqual([]));
  test('names no pod that is being deleted', () =>
    expect(
      workloadView(statefulSet({ observedGeneration: 2, updateRevision: 'new' }), [
        pod('w-0', { 'controller-revision-hash': 'old' }, { deletionTimestamp: 'x' }),
      ]).outdated,
    ).toEqual([]));
  test('names no pod whose revision is unknown', () =>
    expect(workloadView(statefulSet({ observedGeneration: 2, updateRevision: 'new' }), [pod('w-0', {})]).outdated).toEqual([]));
});

describe('a DaemonSet', () => {
  const daemonSet = live('DaemonSet', 'f', {
    status: { desiredNumberScheduled: 3, currentNumberScheduled: 2, numberReady: 1, numberAvailable: 1, observedGeneration: 4 },
  });
  const seen = {
    ...daemonSet,
    metadata: { ...daemonSet.metadata, generation: 4, annotations: { 'deprecated.daemonset.template.generation': '2' } },
  };
  test('has its counts from its status', () =>
    expect(workloadView(seen, [])).toEqual({ desired: 3, current: 2, ready: 1, available: 1, outdated: [], crashing: [], unstarted: [] }));
  test('names its pods of an older template', () =>
    expect(
      workloadView(seen, [pod('f-a', { 'pod-template-generation': '1' }), pod('f-b', { 'pod-template-generation': '2' })]).outdated,
    ).toEqual(['f-a']));
});

describe('the fuse fact of a DaemonSet', () => {
  const fuse = (generation: string | undefined, image: string | undefined, scriptHash?: string) =>
    live('DaemonSet', 'f', {
      spec: {
        template: {
          metadata: {
            ...(scriptHash && { annotations: { 'data.fluid.io/script-hash': scriptHash } }),
            labels: { ...(generation && { 'fuse.runtime.fluid.io/generation': generation }) },
          },
          spec: { containers: [{ image }] },
        },
      },
    });
  test('has image and generation, and the hash of the script if there is one', () => {
    expect(fuseFact(fuse('3', 'a:1'))).toEqual({ image: 'a:1', generation: 3 });
    expect(fuseFact(fuse('3', 'a:1', 'x'))).toEqual({ image: 'a:1', generation: 3, scriptHash: 'x' });
  });
  test.each([fuse(undefined, 'a:1'), fuse('x', 'a:1'), fuse('0', 'a:1'), fuse('1e300', 'a:1'), fuse('3', undefined), undefined])(
    'are no fact without both',
    (workload) => expect(fuseFact(workload)).toBeUndefined(),
  );
});
