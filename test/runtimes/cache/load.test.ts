import { describe, expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import type { CacheRuntimeClassSpec } from '../../../runtimes/cache/class-spec.ts';
import type { LoadSpec } from '../../../src/constructs/index.ts';
import type { CacheRuntimeSpec } from '../../../runtimes/cache/spec.ts';
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

describe('a DataLoad by class', () => {
  type Specification = NonNullable<CacheRuntimeClassSpec['dataOperationSpecs']>[number];
  const DISABLED: Partial<CacheRuntimeSpec> = { worker: { replicas: 0, disabled: true } };
  function jobOf(specification: Partial<Specification> | undefined, spec: LoadSpec = {}, runtime: Partial<CacheRuntimeSpec> = {}) {
    const dataOperationSpecs = specification && [{ name: 'DataLoad' as const, ...specification }];
    const input = given({ type: { ...plainClass, ...(dataOperationSpecs && { dataOperationSpecs }) }, spec: runtime });
    const made = cache
      .bind(input)
      .operations.DataLoad?.({ kind: 'DataLoad', name: 'op', namespace: 'ml', uid: 'u', spec, facts: { pods: {} } });
    const job = made?.find(({ kind }) => kind === 'Job') as unknown as {
      spec: { template: { spec: { containers: [{ image: string; env: readonly { name: string; value?: string }[] }] } } };
    };
    return job.spec.template.spec.containers[0];
  }
  const load = { command: ['load'] };

  test.each([
    [
      'the class has none',
      undefined,
      {},
      {},
      'CacheRuntimeClass plain: dataOperationSpecs: expected a specification with the name DataLoad',
    ],
    ['it runs nothing', { image: 'l:1' }, {}, {}, 'dataOperationSpecs[DataLoad].command: expected a command or arguments'],
    ['it has no image', load, {}, DISABLED, 'dataOperationSpecs[DataLoad].image: expected an image, since there are no workers'],
    ['a path has a colon', load, { target: [{ path: '/a:/b' }] }, {}, 'spec.target[0].path: expected a path without ":"'],
  ] as const)('is refused if %s', (_, specification, spec, runtime, message) =>
    expect(() => jobOf(specification as never, spec as LoadSpec, runtime)).toThrow(message),
  );
  test('has its own image, or that of the workers', () => {
    expect(jobOf({ ...load, image: 'l:1' }).image).toBe('l:1');
    expect(jobOf(load).image).toBe('example.io/worker:1');
    expect(jobOf(load, {}, { worker: { replicas: 1, runtimeVersion: { image: 'w', imageTag: '2' } } }).image).toBe('w:2');
  });
  test('has paths and copies in its environment, where no shell reads them as code', () => {
    const { env } = jobOf(load, { loadMetadata: true, target: [{ path: '/a b', replicas: 2 }, { path: '/$(c)' }] });
    const said = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(said).toMatchObject({
      FLUID_DATALOAD_METADATA: 'true',
      FLUID_DATALOAD_DATA_PATH: '/a b:/$$(c)',
      FLUID_DATALOAD_PATH_REPLICAS: '2:1',
    });
  });
});
