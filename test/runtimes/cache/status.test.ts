/** The status of a CacheRuntime has a shape of its own, which the controller reads back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configName, statusShape } from '../../../runtimes/cache/status.ts';
import type { RuntimeStatus } from '../../../src/api/index.ts';
import { counted } from '../../../src/reconciler/status/pods.ts';
import type { WorkloadView } from '../../../src/reconciler/world.ts';
import { GOLDENS, hasGoldens } from '../../upstream/cases.ts';

const { read, write } = statusShape;
const written = (status: RuntimeStatus) => write(status, 'demo');

/** Pods as the API server counts them: no more are ready than exist, and no more available than ready. */
const workloads = fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9)).map((numbers): WorkloadView => {
  const [available = 0, ready = 0, current = 0] = numbers.slice(1).toSorted((a, b) => a - b);
  return { desired: numbers[0], current, ready, available, outdated: [], crashing: [], unstarted: [] };
});
const time = fc.constantFrom('2026-01-02T03:04:05Z', '2026-11-12T13:14:15Z');
const condition = fc.record(
  { type: fc.string(), status: fc.constantFrom('True', 'False'), reason: fc.string(), message: fc.string(), lastTransitionTime: time },
  { requiredKeys: ['type', 'status'] },
);
const statuses = fc
  .record({
    generation: fc.nat(),
    roles: fc.record({ master: workloads, worker: workloads, fuse: workloads }, { requiredKeys: [] }),
    rest: fc.record(
      {
        setupDuration: fc.constantFrom('7s', '1m2s'),
        conditions: fc.array(condition),
        selector: fc.string(),
        mountTime: time,
        cacheAffinity: fc.constant<NonNullable<RuntimeStatus['cacheAffinity']>>({ preferredDuringSchedulingIgnoredDuringExecution: [] }),
      },
      { requiredKeys: [] },
    ),
    valueFile: fc.constantFrom('', configName('demo')),
  })
  .map(({ generation, roles, rest, valueFile }) => {
    const { fuseReason: _, ...counts } = counted({ metadata: { generation } } as Parameters<typeof counted>[0], roles);
    return { valueFile, ...counts, ...rest } as RuntimeStatus;
  });

describe('a status that was written', () => {
  test('is read as it was, but for the reasons of phases', () =>
    fc.assert(
      fc.property(statuses, (status) => {
        expect(read(written(status))).toEqual(status);
      }),
    ));
  test('is the same when it is written again: a quiet world writes nothing', () =>
    fc.assert(
      fc.property(statuses, (status) => {
        expect(written(read(written(status)))).toEqual(written(status));
      }),
    ));
  test('says how many pods are available, and how many are not', () => {
    const worker = { desired: 3, current: 3, ready: 2, available: 1, outdated: [], crashing: [], unstarted: [] };
    const { fuseReason: _, ...counts } = counted({ metadata: {} } as Parameters<typeof counted>[0], { worker });
    expect(written({ valueFile: '', ...counts })).toEqual({
      observedGeneration: 0,
      worker: {
        phase: 'PartialReady',
        desiredReplicas: 3,
        currentReplicas: 3,
        readyReplicas: 2,
        availableReplicas: 1,
        unavailableReplicas: 2,
      },
    });
  });
});

/** The status that Fluid left, by the case that recorded it. */
const fluids = (name: string): object =>
  parseAllDocuments(readFileSync(join(GOLDENS, 'cache', name, 'status.yaml'), 'utf8'))
    .map((document) => document.toJS() as { readonly kind: string; readonly status: object })
    .find(({ kind }) => kind === 'CacheRuntime')?.status ?? {};

describe.runIf(hasGoldens)('a status that Fluid wrote', () => {
  test('is read', () => {
    expect(read(fluids('full'))).toMatchObject({
      valueFile: 'fluid-runtime-config-curvine-demo',
      masterPhase: 'Ready',
      masterNumberReady: 3,
      workerPhase: 'Ready',
      workerNumberAvailable: 2,
      fusePhase: 'NotReady',
      desiredFuseNumberScheduled: 0,
      setupDuration: '5s',
      mountTime: '2026-11-21T07:52:43Z',
      cacheAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100 }] },
    });
    expect(read(fluids('full')).conditions).toHaveLength(3);
    expect(read(fluids('curvine-e2e')).workerNumberReady).toBe(1);
  });
  test('may be empty', () => expect(read(fluids('no-class'))).toEqual(read({})));
});

describe('a status of any other shape', () => {
  test.each([
    { master: null, worker: 7, client: [] },
    { master: { phase: 'Odd', readyReplicas: '3' } },
    { conditions: 'none', selector: 1, mountTime: {}, setupDuration: null, valueFile: [], cacheAffinity: 'x', observedGeneration: '1' },
  ])('counts as absent where it is wrong: %j', (status) => expect(read(status)).toEqual(read({})));
  test('has a component without a phase, or conditions without a type', () => {
    expect(read({ worker: { readyReplicas: 2 } })).toMatchObject({ workerPhase: '', workerNumberReady: 2 });
    const ready = { type: 'Ready', status: 'True' };
    expect(read({ conditions: [null, {}, 'x', ready] }).conditions).toEqual([ready]);
  });
  test('is read without an error, whatever it is', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('master', 'worker', 'client', 'conditions', 'selector', 'mountTime'), fc.anything()),
        (status) => {
          expect(() => written(read(status))).not.toThrow();
        },
      ),
    ));
});
