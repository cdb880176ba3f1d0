import { expect, test } from 'vitest';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { bucket, given, planOf } from './given.ts';

const messagesOf = (spec: AlluxioRuntimeSpec, path?: string) =>
  planOf(given({ spec: { replicas: 1, ...spec }, mounts: [{ ...bucket, ...(path !== undefined && { path }) }] })).warnings?.map(
    ({ message }) => message,
  );

test.each<[string, AlluxioRuntimeSpec, string[]]>([
  ['pins', { data: { pin: true } }, ['spec.data.pin: has no effect']],
  ['users', { initUsers: { image: 'a' } }, ['spec.initUsers: has no effect']],
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
