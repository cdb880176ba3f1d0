import { describe, expect, test } from 'vitest';
import { runtimes } from '../../runtimes/_all.gen.ts';
import type { Runtime } from '../../src/constructs/index.ts';
import { installationOf, settled, valuesOf } from '../../src/install/index.ts';

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

test('a runtime gets the variables of the controller that it declares, and no others', () => {
  const seen: object[] = [];
  const install: Runtime['install'] = ({ env }) => {
    seen.push(env);
    return [];
  };
  const declares = { ...(runtimes.find(({ type }) => type === 'efc') as Runtime), install };
  const env = [
    { name: 'EFC_SESSMGR_IMAGE_ENV', value: 'example.io/x:1' },
    { name: 'OF_THE_OPERATOR', value: 'a' },
  ];
  installationOf(settled({ controller: { env } }, 'sluice:1'), { resources: [], runtimes: [declares] });
  expect(seen).toEqual([{ EFC_SESSMGR_IMAGE_ENV: 'example.io/x:1' }]);
});
