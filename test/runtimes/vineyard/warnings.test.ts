import { expect, test } from 'vitest';
import type { VineyardRuntimeSpec } from '../../../runtimes/vineyard/spec.ts';
import { given, memory, podNetwork, warningsOf } from './given.ts';

const [level] = memory.levels;
const disk = { mediumtype: 'SSD' as const, path: '/a' };

test('a runtime without anything unusual has none', () => expect(warningsOf(given())).toEqual([]));

test.each<[string, VineyardRuntimeSpec, string]>([
  ['no number of workers', { replicas: undefined } as unknown as VineyardRuntimeSpec, 'spec.replicas: says nothing'],
  ['an unknown option', { worker: { options: { 'spill.path': '/x' } } }, 'spec.worker.options[spill.path]: has no effect'],
  ['a port of metrics', { worker: { ...podNetwork, ports: { exporter: 9145 } } }, 'spec.worker.ports.exporter'],
  ['an unknown port', { master: { ...podNetwork, ports: { web: 1 } } }, 'spec.master.ports.web: has no effect; read are client, peer'],
  ['a port of the node', { master: { ports: { client: 1 } } }, 'spec.master.ports.client: has no effect on the network of the node'],
  ['too little memory', { worker: { resources: { limits: { memory: '1Gi' } } } }, 'spec.worker.resources.limits.memory: raised to 2548Mi'],
  [
    'a request above its limit',
    { worker: { resources: { requests: { memory: '4Gi' }, limits: { memory: '3Gi' } } } },
    'spec.worker.resources.limits.memory: raised to 4Gi, which is requested',
  ],
  ['members of etcd without a volume', { master: { replicas: 3 } }, 'spec.master.replicas: a member of etcd whose pod is deleted'],
  [
    'members of etcd with a volume of a pod',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      master: { replicas: 3, volumeMounts: [{ name: 'v', mountPath: '/etcd-data' }] },
    },
    'spec.master.replicas: a member of etcd whose pod is deleted',
  ],
  ['a second level of memory', { tieredstore: { levels: [level!, level!] } }, 'spec.tieredstore.levels[1]: has no effect'],
  ['a second level of disks', { tieredstore: { levels: [level!, disk, disk] } }, 'spec.tieredstore.levels[2]: has no effect'],
  ['disks without a directory', { tieredstore: { levels: [level!, { mediumtype: 'SSD' }] } }, 'spec.tieredstore.levels[1]: has no effect'],
  [
    'a volume of disks that is none',
    { tieredstore: { levels: [level!, { ...disk, volumeSource: { emptyDir: {} } }] } },
    'levels[1].volumeSource.emptyDir: has no effect',
  ],
  [
    'masters beside an etcd that exists',
    { master: { endpoint: { uri: 'http://etcd:2379' }, imageTag: '1' } },
    'spec.master.imageTag: has no effect; spec.master.endpoint.uri is in place of masters',
  ],
  ['an unknown clean policy', { fuse: { cleanPolicy: 'Never' as 'OnDemand' } }, 'spec.fuse.cleanPolicy'],
])('%s', (_, spec, message) => expect(warningsOf(given({ spec }))).toEqual([expect.stringContaining(message)]));

test('members of etcd that keep their data have none', () => {
  const volumeMounts = [{ name: 'v', mountPath: '/etcd-data/' }];
  const spec = { volumes: [{ name: 'v', hostPath: { path: '/var/etcd' } }], master: { replicas: 3, volumeMounts } };
  expect(warningsOf(given({ spec }))).toEqual([]);
});

test('an etcd that exists is not taken by a runtime that has one of its own', () =>
  expect(warningsOf(given({ facts: { masters: 1 }, spec: { master: { endpoint: { uri: 'http://etcd:2379' } } } }))).toEqual([
    'spec.master.endpoint.uri: the runtime was set up with an etcd of its own, which keeps its objects; delete the VineyardRuntime and create it again',
  ]));
