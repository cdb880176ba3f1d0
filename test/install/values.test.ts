import { describe, expect, test } from 'vitest';
import { settled, valuesOf } from '../../src/install/index.ts';

describe('the values of an installation', () => {
  test('each say what they are for', () =>
    expect(valuesOf().flatMap(({ path, schema }) => (schema.description ? [] : [path]))).toEqual([]));

  test('have the defaults that are installed', () => {
    const usual = Object.fromEntries(valuesOf().map((value) => [value.path, value.usual]));
    const { controller, mountRoot } = settled({}, 'sluice:1');
    expect(usual).toMatchObject({
      mountRoot,
      'controller.replicas': controller.replicas,
      'controller.podSecurityContext': controller.podSecurityContext,
      'csi.tolerations': [{ operator: 'Exists' }],
      'webhook.failurePolicy': 'Fail',
    });
    // The default image is that of the version that prints it.
    expect(usual['image']).toBeUndefined();
  });
});
