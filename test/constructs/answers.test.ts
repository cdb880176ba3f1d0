import { expect, test } from 'vitest';
import { basePlan, type BasePlan, defineRuntime, type MountRow } from '../../src/constructs/index.ts';
import { planInput } from '../../src/testing/given.ts';
import { ExampleRuntime } from '../support/example-runtime/spec.ts';

const bound = (rows: readonly MountRow[], mostBytes?: number) =>
  defineRuntime({
    type: 'example',
    resource: ExampleRuntime,
    plan: (input): BasePlan => basePlan(input, { mountType: 'm', mountDir: 'd' }),
    components: {},
    mounts: {
      list: {
        commands: () => [{ in: 'master', on: 'first', argv: ['list'] }],
        parse: () => rows,
        ...(mostBytes !== undefined && { mostBytes }),
      },
      wanted: () => [],
      change: () => [],
    },
  }).bind(planInput()).mounts!.list;

test('a probe may get 64 KiB from each pod, or what it says, but no more than a table has', () => {
  expect(bound([]).mostBytes).toBe(64 << 10);
  expect(bound([], 100).mostBytes).toBe(100);
  expect(bound([], 1 << 30).mostBytes).toBe(1 << 20);
});

test('a table of more mounts than any Dataset has is an error', () => {
  const rows = Array.from({ length: 4097 }, (_, i) => ({ path: `/p${i}` }));
  expect(bound(rows.slice(1)).parse([])).toHaveLength(4096);
  expect(() => bound(rows).parse([])).toThrow('expected at most 4096 mounts, found 4097');
});
