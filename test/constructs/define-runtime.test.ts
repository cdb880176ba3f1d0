import { expect, test } from 'vitest';
import { cacheSizeNodeLabel, isLabel } from '../../src/api/index.ts';
import { type BasePlan, defineRuntime } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { ExampleFuse, ExampleWorker } from '../support/example-runtime/components.ts';
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

test('a plan without fuse pods has none, and a volume all the same', () => {
  const facts = { ports: { master: 24001, worker: 24002 } };
  const without = (input: Parameters<typeof plan>[0]): ReturnType<typeof plan> => {
    const { fuse: _fuse, ...rest } = plan(input) as BasePlan;
    return rest as ReturnType<typeof plan>;
  };
  const components = { worker: ExampleWorker, fuse: ExampleFuse };
  const bound = defineRuntime({ type: 'example', resource: ExampleRuntime, plan: without, components }).bind(planInput({ facts }));
  expect(bound.roles).toEqual(['worker']);
  expect(bound.synth('fuse')).toEqual([]);
  expect(bound.synth('volume')).toMatchObject([{ kind: 'PersistentVolume' }]);
  expect(bound.synth('claim')).toMatchObject([{ kind: 'PersistentVolumeClaim' }]);
});
