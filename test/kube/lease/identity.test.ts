import { expect, test } from 'vitest';
import { identityHere, isAliveHere } from '../../../src/kube/lease/lease.ts';

const here = { hostname: 'host', pid: 70, processExists: (pid: number) => pid === 70 || pid === 71 };

test('a pod is identified by its name, any other process by its host', () => {
  expect(identityHere({ hostname: 'node-1', pid: 1, podName: 'sluice-0' })).toBe('sluice-0_1');
  expect(identityHere({ hostname: 'host', pid: 70 })).toBe('host_70');
});

test.each([
  ['another process here that exists', 'host_71', true],
  ['another process here that is gone', 'host_72', false],
  ['one with our own pid: we are its successor', 'host_70', false],
  ['the same pid elsewhere', 'other_72', true],
  ['a host with an underscore', 'my_host_72', true],
  ['a client-go identity', 'host_6f9619ff-8b86-d011-b42d-00c04fc964ff', true],
  ['a process group', 'host_-1', true],
  ['pid 0, which is no process', 'host_0', true],
  ['no pid', 'host', true],
  ['no holder', '', true],
])('%s', (_, holder, alive) => {
  expect(isAliveHere(holder, here)).toBe(alive);
});

test('in a pod the place is the pod, not the host', () => {
  const inPod = { hostname: 'host', pid: 1, podName: 'sluice-0', processExists: () => false };
  expect(isAliveHere('sluice-0_1', inPod)).toBe(false);
  expect(isAliveHere('host_1', inPod)).toBe(true);
});
