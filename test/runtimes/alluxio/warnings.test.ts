import { expect, test } from 'vitest';
import type { AlluxioRuntimeSpec } from '../../../runtimes/alluxio/spec.ts';
import { bucket, given, planOf } from './given.ts';

const told = (spec: AlluxioRuntimeSpec, path?: string) =>
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
  ['what has an effect', { data: { replicas: 2 }, apiGateway: { enabled: true, env: { A: 'b' } } }, []],
])('of a spec that names %s, what has no effect is told', (_, spec, messages) => expect(told(spec)).toEqual(messages));

test('a path that counts for nothing is told, with the one that counts', () => {
  expect(told({}, 'sub/data')).toEqual(['Dataset: spec.mounts[0].path: expected an absolute path, found "sub/data"; mounted at "/data"']);
  expect(['', '/other', 'data'].map((path) => told({}, path))).toEqual([[], [], []]);
});
