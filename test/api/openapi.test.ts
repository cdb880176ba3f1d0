import { expect, test } from 'vitest';
import { excerpt, moduleOf } from '../../scripts/openapi.ts';

const ref = (name: string) => ({ $ref: name });

test('an excerpt that lacks a type is refused', () => {
  expect(() => excerpt({ components: { schemas: {} } }, 'v1')).toThrow('no Affinity');
});

test('a type is written once, before those that use it, without what Fluid lacks', () => {
  const schemas = {
    Affinity: { type: 'object', properties: { port: ref('ContainerPort'), also: { type: 'array', items: ref('ContainerPort') } } },
    ContainerPort: { type: 'object', properties: { protocol: { type: 'string', default: 'TCP' }, port: ref('IntOrString') } },
  };
  const text = moduleOf({ kubernetes: 'v1.34.4', schemas });
  expect(text.match(/const ContainerPort:/g)).toHaveLength(1);
  expect(text.indexOf('const ContainerPort:')).toBeLessThan(text.indexOf('const Affinity:'));
  expect(text).toContain("protocol: { type: 'string', default: 'TCP' },");
  expect(text).toContain("also: { type: 'array', items: ContainerPort },");
});
