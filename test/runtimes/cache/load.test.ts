import { describe, expect, test } from 'vitest';
import { given, plainClass, planOf } from './given.ts';

const LONG = `${'a'.repeat(70)}.keys`;

describe('the pods of a DataLoad', () => {
  const { topology } = plainClass;
  const dependencies = { extraResources: { configMaps: [{ name: 'conf', mountPath: '/conf' }] } };
  const { load } = planOf(
    given({
      type: {
        topology: { ...topology, worker: { ...topology?.worker, dependencies } },
        extraResources: { configMaps: [{ name: 'conf' }] },
      },
      mounts: [
        { mountPoint: 's3://b', name: 'b', encryptOptions: [{ name: 'key', valueFrom: { secretKeyRef: { name: LONG, key: 'k' } } }] },
      ],
      spec: {
        volumes: [{ name: 'fluid-extra-own', emptyDir: {} }],
        worker: {
          volumeMounts: [{ name: 'fluid-extra-own', mountPath: '/own' }],
          tieredStore: { levels: [{ processMemory: { quota: '1Gi' } }] },
        },
      },
    }),
  );

  test("have runtime.json, the class's ConfigMaps and the Dataset's Secrets of any name, and neither the cache nor volumes of users", () => {
    expect(load.pod.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/fluid/config', '/conf', `/etc/fluid/secrets/${LONG}`]);
    expect(load.pod.volumes?.map(({ name }) => name)).toEqual(load.pod.volumeMounts.map(({ name }) => name));
  });
  test('have the image of the workers', () => expect(load.image).toBe('example.io/worker:1'));
});
