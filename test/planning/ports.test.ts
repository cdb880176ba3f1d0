import { describe, expect, test } from 'vitest';
import type { PortNeed } from '../../src/constructs/index.ts';
import { createPortTable, portRecord, recordedPorts } from '../../src/planning/port-table.ts';
import { knownPort, livePort, portAllocator } from '../../src/planning/ports.ts';
import { live } from '../reconciler/worlds.ts';

const kind = { hostPorts: ['worker', 'master', 'x', 'y', 'z'] };
const need: PortNeed = { name: 'worker', range: [24000, 24002], in: 'worker', portName: 'rpc' };
const runtime = (uid: string, annotations: Record<string, string> = {}) => ({ metadata: { name: uid, uid, annotations } });
const recorded = (uid: string, ports: Record<string, number>) => runtime(uid, { 'data.fluid.io/ports': portRecord(uid, ports) });
const tableOf = (...runtimes: readonly ReturnType<typeof runtime>[]) => {
  const table = createPortTable();
  for (const each of runtimes) table.seen(each, kind);
  return table;
};
const allocator = (
  policy: 'random' | 'bitmap',
  others: readonly ReturnType<typeof runtime>[] = [],
  { range, random = () => 0.5 }: { range?: readonly [number, number]; random?: () => number } = {},
) => portAllocator({ portRanges: range ? { thin: range } : {} }, policy, tableOf(...others), random);

describe('the record', () => {
  test('is read by the runtime that it was written for', () =>
    expect(recordedPorts(recorded('u', { worker: 24001 }), kind)).toEqual({ worker: 24001 }));
  test('that was copied from another object does not count', () =>
    expect(recordedPorts(runtime('copy', { 'data.fluid.io/ports': portRecord('u', { worker: 24001 }) }), kind)).toEqual({}));
  test.each([
    '',
    'no json',
    '{}',
    '[]',
    'null',
    '{"for":"u"}',
    '{"for":"u","ports":7}',
    '{"for":"u","ports":{"worker":"80"}}',
    '{"for":"u","ports":null}',
    '{"for":"u","ports":{"other":24001}}',
    '{"for":"u","ports":{"worker":-7}}',
    '{"for":"u","ports":{"worker":0}}',
    '{"for":"u","ports":{"worker":65536}}',
    '{"for":"u","ports":{"worker":24000.5}}',
  ])('%j is no record', (text) => expect(recordedPorts(runtime('u', { 'data.fluid.io/ports': text }), kind)).toEqual({}));
});

test('a record reserves no port that its kind has no use for', () => {
  const table = createPortTable();
  table.seen(recorded('u', { worker: 24000, other: 24001, master: 24000 }), kind);
  table.seen(recorded('none', { worker: 24002 }), { hostPorts: [] });
  expect([24000, 24001, 24002].filter((port) => table.isTaken(port))).toEqual([24000]);
  table.gone('u');
  expect(table.isTaken(24000)).toBe(false);
});

describe('the port that a runtime has', () => {
  const known = (port: { recorded?: number; live?: number; others?: readonly number[] }, of = need) =>
    knownPort(of, of.range, { recorded: port.recorded, live: port.live, isOthers: (other) => port.others?.includes(other) ?? false });
  test('is the recorded one', () => expect(known({ recorded: 24001 })).toBe(24001));
  test('is not a recorded one that could not be allocated', () => expect(known({ recorded: 10250 })).toBeUndefined());
  test('is that of its pods instead', () => expect(known({ recorded: 10250, live: 24001 })).toBe(24001));
  test('is that of its pods, also outside the range', () => expect(known({ recorded: 14321, live: 14321 })).toBe(14321));
  test('is not a recorded one that another runtime has', () => expect(known({ recorded: 24001, others: [24001] })).toBeUndefined());
  test('is that of its pods, although another runtime records it', () =>
    expect(known({ recorded: 24001, live: 24001, others: [24001] })).toBe(24001));
  test('is none that the user chose for another purpose', () =>
    expect(known({ recorded: 24001, live: 24001 }, { ...need, except: [24001] })).toBeUndefined());
});

describe('a free port', () => {
  test('is the lowest one with the policy bitmap', () => expect(allocator('bitmap')('u', 'thin', need)).toBe(24000));
  test('is anywhere in the range with the policy random', () => expect(allocator('random')('u', 'thin', need)).toBe(24001));
  test('is none that another runtime records', () =>
    expect(allocator('bitmap', [recorded('a', { x: 24000 }), recorded('b', { y: 24001 })])('u', 'thin', need)).toBe(24002));
  test('is the next one after one that is taken, and at the end of the range the first', () =>
    expect(allocator('random', [recorded('a', { x: 24002 })], { random: () => 0.99 })('u', 'thin', need)).toBe(24000));
  test('is in the range that the installation sets', () =>
    expect(allocator('bitmap', [], { range: [30000, 30009] })('u', 'thin', need)).toBe(30000));
  test('is none that the user chose for another purpose, even if it was reserved before', () => {
    const ports = allocator('bitmap');
    expect(ports('u', 'thin', { ...need, except: [24000] })).toBe(24001);
    expect(ports('u', 'thin', { ...need, except: [24001] })).toBe(24000);
  });
  test('does not exist when all are taken', () => {
    const ports = allocator('bitmap', [recorded('a', { x: 24000, y: 24001, z: 24002 })]);
    expect(ports('u', 'thin', need)).toBeUndefined();
  });
});

describe('until it is recorded, a port', () => {
  const both = [runtime('a'), runtime('b')];
  test('is the same for each request of the runtime', () => {
    const ports = allocator('bitmap', both);
    expect([ports('a', 'thin', need), ports('a', 'thin', need)]).toEqual([24000, 24000]);
  });
  test('is reserved for its runtime', () => {
    const ports = allocator('bitmap', both);
    expect([ports('a', 'thin', need), ports('b', 'thin', need)]).toEqual([24000, 24001]);
  });
  test('is one for each name', () => {
    const ports = allocator('bitmap');
    expect([ports('a', 'thin', need), ports('a', 'thin', { ...need, name: 'master' })]).toEqual([24000, 24001]);
  });
  test('is free again when its runtime is deleted, though nothing was ever created for it', () => {
    const table = tableOf(...both);
    const ports = portAllocator({ portRanges: {} }, 'bitmap', table);
    ports('a', 'thin', need);
    table.gone('a');
    expect(ports('b', 'thin', need)).toBe(24000);
  });
  test('stays reserved while the watch shows its runtime without it, or with another', () => {
    const table = tableOf(...both);
    const ports = portAllocator({ portRanges: {} }, 'bitmap', table);
    ports('a', 'thin', need);
    table.seen(recorded('a', { master: 24001 }), kind);
    expect([ports('a', 'thin', need), ports('b', 'thin', need)]).toEqual([24000, 24002]);
  });
});

describe('a recorded port', () => {
  const taken = (table: ReturnType<typeof createPortTable>) => [24000, 24001, 24002].filter((port) => table.isTaken(port));
  test('is free when its runtime is deleted', () => {
    const table = tableOf(recorded('a', { x: 24000 }));
    table.gone('a');
    expect(taken(table)).toEqual([]);
  });
  test('is free when the record names another', () => {
    const table = tableOf(recorded('a', { x: 24000 }), recorded('a', { x: 24001 }));
    expect(taken(table)).toEqual([24001]);
  });
  test('of two runtimes is free when both are deleted', () => {
    const table = tableOf(recorded('a', { x: 24000 }), recorded('b', { x: 24000 }));
    table.gone('a');
    expect(taken(table)).toEqual([24000]);
    table.gone('b');
    expect(taken(table)).toEqual([]);
  });
  test('stays reserved when the record loses it: an edit may be undone', () => {
    const table = tableOf(runtime('a'));
    table.reserve('a', 'x', 24000);
    table.seen(recorded('a', { x: 24000 }), kind);
    table.seen(runtime('a'), kind);
    expect(taken(table)).toEqual([24000]);
    expect(portAllocator({ portRanges: {} }, 'bitmap', table)('a', 'thin', { ...need, name: 'x' })).toBe(24000);
  });
});

describe('the port of a runtime that Fluid set up', () => {
  const workload = (hostNetwork: boolean) =>
    live('StatefulSet', 'demo-worker', {
      spec: {
        template: {
          spec: {
            hostNetwork,
            containers: [
              {
                ports: [
                  { name: 'web', containerPort: 80 },
                  { name: 'rpc', containerPort: 14321 },
                ],
              },
              {},
              { ports: [{ name: 'job-rpc', containerPort: 14322 }] },
            ],
          },
        },
      },
    });
  test('is the one of that name in its workload', () => expect(livePort(need, workload(true))).toBe(14321));
  test('is found in any container', () => expect(livePort({ ...need, portName: 'job-rpc' }, workload(true))).toBe(14322));
  test('does not count in a network of the pod’s own', () => expect(livePort(need, workload(false))).toBeUndefined());
  test('is unknown without a workload', () => expect(livePort(need, undefined)).toBeUndefined());
});
