import { expect, test } from 'vitest';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import type { DatasetSpec } from '../../../src/api/index.ts';
import { bucket, given, planOf, secret } from './given.ts';

const messagesOf = (spec: AlluxioRuntimeSpec, path?: string) =>
  planOf(given({ spec: { replicas: 1, ...spec }, mounts: [{ ...bucket, ...(path !== undefined && { path }) }] })).warnings?.map(
    ({ message }) => message,
  );

test.each<[string, AlluxioRuntimeSpec, string[]]>([
  ['pins', { data: { pin: true } }, ['spec.data.pin: has no effect']],
  [
    'a container for users',
    { initUsers: { image: 'a' } },
    ['spec.initUsers: has no effect while spec.runAs names no user other than root'],
  ],
  [
    'watermarks',
    { tieredstore: { levels: [{ mediumtype: 'SSD', path: '/a', quota: '1Gi', high: '0.9', low: '0.5' }] } },
    ['high', 'low'].map((name) => `spec.tieredstore.levels[0].${name}: has no effect; Alluxio evicts when it needs the space`),
  ],
  [
    'a volume that is no emptyDir',
    {
      tieredstore: {
        levels: [
          { mediumtype: 'SSD', path: '/a', quota: '1Gi', volumeType: 'emptyDir', volumeSource: { emptyDir: {} } },
          {
            mediumtype: 'HDD',
            path: '/b',
            quota: '1Gi',
            volumeType: 'emptyDir',
            volumeSource: { persistentVolumeClaim: { claimName: 'c' } },
          },
        ],
      },
    },
    ['spec.tieredstore.levels[1].volumeSource.persistentVolumeClaim: has no effect; read is emptyDir, if volumeType is emptyDir'],
  ],
  ['programs that are turned off', { worker: { enabled: false } }, ['spec.worker.enabled: has no effect; no Alluxio is without it']],
  [
    'ports that no program has',
    { master: { ports: { rpc: 1234, data: 1235 } }, jobWorker: { ports: { data: 1236 } } },
    ['spec.master.ports.data: has no effect; the ports are rpc, web'],
  ],
  [
    'a number of workers at the wrong place',
    { worker: { replicas: 3 } },
    ['spec.worker.replicas: has no effect; spec.replicas says how many workers'],
  ],
  ['no number of workers', { replicas: undefined as never }, ['spec.replicas: says nothing, so there is no worker']],
  [
    'the pod of what runs beside a worker',
    { jobWorker: { nodeSelector: { a: 'b' }, resources: {} }, jobMaster: { ports: { rpc: 1234 } } },
    ['spec.jobWorker.nodeSelector: has no effect; its pod is that of spec.worker'],
  ],
  [
    'an even number of masters',
    { master: { replicas: 4 } },
    ['spec.master.replicas: expected an odd number; 4 masters survive no more losses than 3'],
  ],
  ['what has an effect', { master: { replicas: 3 }, data: { replicas: 2 }, apiGateway: { enabled: true, env: { A: 'b' } } }, []],
])('a spec with %s has a warning for what has no effect', (_, spec, messages) => expect(messagesOf(spec)).toEqual(messages));

test('a path that is ignored has a warning with the path in effect', () => {
  expect(messagesOf({}, 'sub/data')).toEqual([
    'Dataset: spec.mounts[0].path: expected an absolute path, found "sub/data"; mounted at "/data"',
  ]);
  expect(['', '/other', 'data'].map((path) => messagesOf({}, path))).toEqual([[], [], []]);
});

test.each<[string, DatasetSpec, string[]]>([
  [
    'options of what pods mount',
    {
      mounts: [{ mountPoint: 'local:///a', name: 'a', readOnly: true, shared: true, options: { k: 'v' }, encryptOptions: [secret('k')] }],
      sharedOptions: { k: 'v' },
    },
    [
      ...['shared', 'options', 'encryptOptions'].map(
        (field) => `Dataset: spec.mounts[0].${field}: has no effect; pods mount local:// and pvc:// without options`,
      ),
      'Dataset: spec.sharedOptions: has no effect; pods mount local:// and pvc:// without options',
    ],
  ],
  ['options that one of its mounts has', { mounts: [bucket, { mountPoint: 'pvc://a', name: 'a' }], sharedOptions: { k: 'v' } }, []],
  ['runtimes', { runtimes: [{ name: 'x' }] }, ['Dataset: spec.runtimes: has no effect; a runtime serves the Dataset of its own name']],
  [
    'the node of a claim',
    { dataRestoreLocation: { path: 'pvc://a/b', nodeName: 'n' } },
    ['Dataset: spec.dataRestoreLocation.nodeName: has no effect; the claim says on which nodes it is'],
  ],
])('a Dataset with %s has a warning for what has no effect', (_, { mounts = [bucket], ...dataset }, messages) =>
  expect(planOf(given({ spec: { replicas: 1 }, dataset, mounts })).warnings?.map(({ message }) => message)).toEqual(messages),
);

test.each([
  ['may write', ['ReadWriteMany'], '/b', 1],
  ['may only read', ['ReadOnlyMany'], '/b', 0],
  ['say nothing of it', undefined, '/b', 0],
  ['may write into the mount at the root', ['ReadWriteMany'], '/', 0],
] as const)('data beside the mounts, of pods that %s, is not kept', (_, accessModes, path, count) => {
  const dataset = accessModes ? { accessModes: [...accessModes] } : {};
  const { warnings = [] } = planOf(given({ spec: { replicas: 1 }, dataset, mounts: [{ ...bucket, path }] }));
  expect(warnings.filter(({ reason }) => reason === 'DataNotKept')).toHaveLength(count);
});
