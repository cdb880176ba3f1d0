import { expect, test } from 'vitest';
import { images, inject, joined, reader } from './sidecar/fixture.ts';

const names = Array.from({ length: 12 }, (_, i) => `d${i}`);
const client = (name: string) => ({
  containers: [
    {
      name: 'c',
      image: 'i',
      command: ['x'.repeat(100_000)],
      volumeMounts: [{ name: 'm', mountPath: '/m', mountPropagation: 'Bidirectional' }],
    },
  ],
  volumes: [{ name: 'm', hostPath: { path: `/runtime-mnt/juicefs/ml/${name}` } }],
});

test('a pod whose clients are larger than what could be stored is denied before they are put together', () => {
  const cluster = joined(...names.map((name) => images(name, client(name))));
  expect(() => inject(reader(names), cluster)).toThrow(
    'expected Datasets whose FUSE clients are at most 1048576 characters of JSON in all',
  );
  expect(inject(reader(names.slice(0, 8)), cluster).spec.initContainers).toHaveLength(8);
});
test('in a pod of a user namespace a client would mount for itself alone', () => {
  const message = 'spec.hostUsers: expected true or nothing: a mount in a user namespace reaches no other container, found false';
  for (const nativeSidecars of [true, false])
    for (const labels of [{}, { 'unprivileged.sidecar.fluid.io/inject': 'true' }])
      expect(() => inject(reader(['images'], { hostUsers: false }, { labels }), images(), { nativeSidecars })).toThrow(message);
  expect(inject(reader(['images'], { hostUsers: true }), images()).spec.hostUsers).toBe(true);
});
