/** Defects of Fluid's Vineyard, and what is done about each. test/upstream/vineyard-defects.ts lists them all. */
import { expect, test } from 'vitest';
import vineyard from '../../../runtimes/vineyard/index.ts';
import { container, envOf, flag, given, memory, planOf, podNetwork, podOf, warningsOf, workload } from './given.ts';

test('4: a sidecar is refused with the reason, which the DaemonSet says', () =>
  expect(workload(given(), 'fuse').metadata.annotations).toEqual({
    'data.fluid.io/sidecar': '{"caches":[],"refused":"Vineyard needs the socket of a server on its node"}',
  }));
test('10: memory is requested by workers; the spec is the user’s alone', () =>
  expect(container(given(), 'worker').resources).toEqual({ requests: { memory: '2548Mi' }, limits: { memory: '2548Mi' } }));
test('14: options of the worker have effect', () =>
  expect(flag(given({ spec: { worker: { options: { 'wait.etcd.timeout': '7' } } } }), '--meta_timeout')).toBe('7'));
test('14: a level of disks takes what does not fit in memory', () =>
  expect(flag(given({ spec: { tieredstore: { levels: [...memory.levels, { mediumtype: 'SSD', path: '/s' }] } } }), '--spill_path')).toBe(
    '/s/ml/demo',
  ));
test('14: the client has its own resources', () => {
  const of = (cpu: string) => ({ resources: { limits: { cpu } } });
  expect(container(given({ spec: { master: of('1'), fuse: of('2') } }), 'fuse').resources).toEqual({ limits: { cpu: '2' } });
});
test('14: each component is on the network that it says', () => {
  const input = given({ facts: { ports: { rpc: 32003 } }, spec: { master: podNetwork } });
  expect([podOf(input, 'master').hostNetwork, podOf(input, 'worker').hostNetwork]).toEqual([undefined, true]);
  expect(flag(input, '--etcd_endpoint')).toBe('http://demo-master-0.demo-master.ml:2379');
});
test('14: metrics are off, and a spec that wants them is told so', () =>
  expect(warningsOf(given({ spec: { disablePrometheus: false } }))).toEqual([expect.stringContaining('spec.disablePrometheus')]));
test('14: two workers of one runtime are never on one node, where they would share a socket', () => {
  const { labels } = workload(given(), 'worker').spec.template.metadata;
  expect(podOf(given({ dataset: { placement: 'Shared' } }), 'worker').affinity).toMatchObject({
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: expect.arrayContaining([
        {
          labelSelector: { matchLabels: { app: 'vineyard', release: 'demo', role: 'vineyard-worker' } },
          topologyKey: 'kubernetes.io/hostname',
        },
      ]),
    },
  });
  expect(labels).toMatchObject({ app: 'vineyard', release: 'demo', role: 'vineyard-worker' });
});
test('14: the placement, node affinity and tolerations of the Dataset count', () => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }];
  const dataset = { tolerations: [{ key: 'gpu', operator: 'Exists' }], nodeAffinity: { required: { nodeSelectorTerms } } };
  const pod = podOf(given({ dataset }), 'worker');
  expect(pod.tolerations).toEqual(dataset.tolerations);
  expect(pod.affinity).toMatchObject({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: expect.arrayContaining([expect.anything(), expect.anything()]) },
  });
});
test('14: clients are critical pods', () => expect(podOf(given(), 'fuse').priorityClassName).toBe('system-node-critical'));
test('14: an etcd that exists is used', () =>
  expect(flag(given({ spec: { master: { endpoint: { uri: 'http://etcd:2379' } } } }), '--etcd_endpoint')).toBe('http://etcd:2379'));
test('18: an option of 0 is an option', () =>
  expect(envOf(given({ spec: { fuse: { options: { size: '0' } } } }), 'fuse')['SIZE']).toBe('0'));
test('19: fuse pods follow addresses without being made again', () =>
  expect(workload(given({ spec: { replicas: 9 } }), 'fuse')).toEqual(workload(given(), 'fuse')));
test('the client knows the port at which etcd listens', () =>
  expect(envOf(given(), 'fuse')['ETCD_ENDPOINT']).toBe('http://demo-master-0.demo-master.ml:32001'));
test('the client knows all members of etcd', () =>
  expect(envOf(given({ spec: { master: { replicas: 3 } } }), 'fuse')['ETCD_ENDPOINT']?.split(',')).toHaveLength(3));
test('volumes of the user are mounted beside those of Vineyard', () => {
  const input = given({
    spec: {
      volumes: [{ name: 'hp', hostPath: { path: '/opt/x' } }],
      master: { volumeMounts: [{ name: 'hp', mountPath: '/m' }] },
      worker: { volumeMounts: [{ name: 'hp', mountPath: '/w' }] },
    },
  });
  for (const role of ['master', 'worker'] as const) {
    const names = podOf(input, role).volumes?.map(({ name }) => name);
    for (const { name } of container(input, role).volumeMounts) expect(names).toContain(name);
    expect(names).toContain('hp');
  }
});
test('labels that a user wants on the volume stay', () => {
  const metadataList = JSON.stringify([{ selector: { kind: 'PersistentVolume' }, labels: { team: 'ml' } }]);
  const [volume] = vineyard.bind(given({ annotations: { 'data.fluid.io/metadataList': metadataList } })).synth('volume');
  expect(volume?.metadata.labels).toMatchObject({ team: 'ml', 'fluid.io/node-publish-method': 'symlink' });
});
test('a client that ends leaves neither a mount nor a dead socket', () => {
  const [, , script] = container(given(), 'fuse').lifecycle?.preStop.exec.command ?? [];
  expect(script).toContain('/vineyard-fuse/vineyard-worker.sock');
  expect(script).toContain(`while umount -l ${planOf(given()).mountPath}/rpc-conf`);
});
