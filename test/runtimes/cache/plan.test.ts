import { describe, expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import { classOf, given, plainClass, planOf, podOf } from './given.ts';

const env = (container: { readonly env?: readonly { readonly name: string }[] } | undefined) => container?.env?.map(({ name }) => name);

describe('components', () => {
  test('those of the class that the runtime does not disable', () => {
    expect(cache.bind(given()).roles).toEqual(['master', 'fuse', 'worker']);
    expect(cache.bind(given({ spec: { worker: { replicas: 1, disabled: true } } })).roles).toEqual(['master', 'fuse']);
    expect(cache.bind(given({ type: { topology: { worker: plainClass.topology?.worker } as never } })).roles).toEqual(['worker']);
  });
  test('a class without any is refused by its name', () => {
    expect(() => cache.bind(given({ type: { topology: {} } }))).toThrow(
      'CacheRuntimeClass plain: topology: expected a master, a worker or a client that the runtime does not disable, found none',
    );
  });
  test('a runtime whose class does not exist names the field', () => {
    expect(() => cache.bind(given({ facts: { objects: {} } }))).toThrow(
      'spec.runtimeClassName: expected the name of a CacheRuntimeClass, found "plain"',
    );
    expect(classOf(plainClass).metadata.name).toBe('plain');
  });
});

describe('pods', () => {
  test("Fluid's variables come before those of the class, and the runtime's last", () => {
    const template = { spec: { containers: [{ name: 'worker', image: 'w:1', env: [{ name: 'HOST', value: '$(FLUID_DATASET_NAME)' }] }] } };
    const input = given({
      type: { topology: { worker: { template } } },
      spec: { worker: { replicas: 1, env: [{ name: 'MORE', value: '1' }] } },
    });
    expect(env(podOf(input, 'worker').containers[0])).toEqual([
      'FLUID_DATASET_NAME',
      'FLUID_DATASET_NAMESPACE',
      'FLUID_RUNTIME_CONFIG_PATH',
      'FLUID_RUNTIME_MOUNT_PATH',
      'FLUID_RUNTIME_COMPONENT_TYPE',
      'FLUID_RUNTIME_COMPONENT_SVC_NAME',
      'HOST',
      'MORE',
    ]);
  });
  test('a cache in memory is added to what the class limits', () => {
    const containers = [{ name: 'worker', image: 'w:1', resources: { limits: { memory: '1Gi', cpu: '1' } } }];
    const levels = [{ processMemory: { quota: '2Gi' } }];
    const input = given({
      type: { topology: { worker: { template: { spec: { containers } } } } },
      spec: { worker: { replicas: 1, tieredStore: { levels } } },
    });
    expect(podOf(input, 'worker').containers[0]?.resources).toEqual({ limits: { memory: '3Gi', cpu: '1' } });
    expect(planOf(input).cacheOnNode).toEqual({ memory: 2 * 2 ** 30 });
  });
});
