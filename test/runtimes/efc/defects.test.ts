/** Defects of Fluid's EFC, and what is done about each. test/upstream/efc-defects.ts lists them all. */
import { expect, test } from 'vitest';
import efc from '../../../runtimes/efc/index.ts';
import { annotation, type Manifest } from '../../../src/api/index.ts';
import { container, given, made, podOf, workloadOf } from './given.ts';

test('4: a client says why it cannot be a sidecar', () =>
  expect(JSON.parse(workloadOf(given(), 'fuse').metadata.annotations?.[annotation.sidecar] ?? '')).toEqual({
    caches: [],
    refused: 'EFC needs the session manager of its node',
  }));
test('10: a cache in memory is requested by workers', () => {
  const levels = [{ mediumtype: 'MEM' as const, path: '/dev/shm', quota: '4Gi' }];
  expect(container(given({ spec: { replicas: 1, tieredstore: { levels } } }), 'worker').resources).toEqual({ requests: { memory: '4Gi' } });
});
test('15: clients tolerate every taint', () =>
  expect(podOf(given({ dataset: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } }), 'fuse').tolerations).toEqual([
    { operator: 'Exists' },
  ]));
test('15: the volume names its claim, and the label by which clients start', () => {
  const [volume] = efc.bind(given()).synth('volume');
  expect(volume?.['spec']).toMatchObject({
    claimRef: { kind: 'PersistentVolumeClaim', namespace: 'ml', name: 'demo' },
    csi: { volumeAttributes: { mount_pod_node_selector_key: 'fluid.io/f-ml-demo' } },
  });
});
test('15: the directory of the socket is created if it does not exist', () =>
  expect(podOf(given(), 'fuse').volumes).toContainEqual({
    name: 'efc-sock',
    hostPath: { path: '/runtime-mnt/efc-sock', type: 'DirectoryOrCreate' },
  }));
test('15: the controller runs no command in pods to see whether they are ready', () => {
  const { probes, mounts, leader } = efc.bind(given());
  // A client is asked what its readers see, once the Dataset is bound.
  expect([Object.keys(probes), mounts, leader]).toEqual([['reads'], undefined, undefined]);
});
test('15: metadataList and the annotation for mount checks reach the volume', () => {
  const entry = { selector: { kind: 'PersistentVolume' }, labels: { team: 'ml' } };
  const annotations = { [annotation.metadataList]: JSON.stringify([entry]), [annotation.skipMountCheck]: 'All' };
  const [volume] = efc.bind(given({ annotations })).synth('volume');
  expect(volume).toMatchObject({
    metadata: { labels: { team: 'ml' } },
    spec: { csi: { volumeAttributes: { [annotation.skipMountCheck]: 'All' } } },
  });
});
test('17: every object is in the inventory, which deletes it', () => {
  for (const { metadata } of made(given({ spec: { replicas: 1 } })))
    expect(metadata.labels).toMatchObject({ 'data.fluid.io/owner-uid': 'uid-of-runtime' });
});
test('18: a toleration keeps its seconds, and what a spec says is not replaced by the defaults of a chart', () => {
  const tolerations = [{ key: 'gpu', operator: 'Exists' as const, effect: 'NoExecute' as const, tolerationSeconds: 60 }];
  const input = given({ dataset: { tolerations }, spec: { replicas: 0 } });
  for (const role of ['master', 'worker'] as const) expect(podOf(input, role).tolerations).toEqual(tolerations);
  expect((workloadOf(input, 'worker') as Manifest)['spec']).toMatchObject({ replicas: 0 });
});
test('fuse.hostPID: the annotation that Fluid’s EFC passes over has effect', () =>
  expect(podOf(given({ annotations: { [annotation.fuseHostPid]: 'true' } }), 'fuse')).toMatchObject({ hostPID: true }));
test('status.selector is that of the workers', () => {
  const workload = workloadOf(given(), 'worker') as unknown as { spec: { selector: { matchLabels: Record<string, string> } } };
  expect(workload.spec.selector.matchLabels).toEqual({ app: 'efc', release: 'demo', role: 'efc-worker' });
  expect(workloadOf(given(), 'worker').spec.template.metadata.labels).toMatchObject(workload.spec.selector.matchLabels);
});
