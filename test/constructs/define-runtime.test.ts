import { expect, test } from 'vitest';
import { cacheSizeNodeLabel, isLabel } from '../../src/api/index.ts';
import { defineRuntime } from '../../src/constructs/index.ts';
import { ExampleFuse } from '../support/example-runtime/components.ts';
import { plan } from '../support/example-runtime/plan.ts';
import { ExampleRuntime } from '../support/example-runtime/spec.ts';

const typed = (type: string) => defineRuntime({ type, resource: ExampleRuntime, plan, components: { fuse: ExampleFuse } });
const dataset = { namespace: 'n'.repeat(40), name: 'demo', uid: '00000000-0000-4000-8000-000000000001', collides: false };

test('a type may be so long that it fits each label of a node', () => {
  expect(typed('a'.repeat(20)).type).toHaveLength(20);
  expect(isLabel([cacheSizeNodeLabel('a'.repeat(20), 'm', dataset), '1GiB'])).toBe(true);
});
test.each(['a'.repeat(21), 'Thin', '', 'thin-', 'my_fs'])('a type is not %j: its labels would be refused', (type) =>
  expect(() => typed(type)).toThrow('expected a type of at most 20 lower-case letters, digits and dashes'),
);
