/** When the status of a Dataset names the operations that run on it. As in Fluid: before they say so, until after they have ended. */
import { describe, expect, test } from 'vitest';
import alluxio from '../../../runtimes/alluxio/index.ts';
import thin from '../../../runtimes/thin/index.ts';
import { annotation, type DatasetStatus, operationKinds } from '../../../src/api/index.ts';
import type { OperationKind } from '../../../src/constructs/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { alluxioFileSystem } from '../../support/alluxio-exec.ts';
import * as write from '../../support/objects.ts';
import { boundHarness, type Harness } from '../harness.ts';
import { annotated, backup, bound, ended, load, ON_DEMO, process, statusOf } from './given.ts';

const migrate: KubeObject = {
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataMigrate',
  metadata: { name: 'op' },
  spec: { from: { externalStorage: { uri: 's3://archive/images' } }, to: { dataset: { name: 'demo', namespace: 'ml' } } },
};
const boundAlluxio = () =>
  boundHarness(
    [
      write.datasetObject('demo', { mounts: [{ mountPoint: 's3://bucket/data/', name: 'data' }] }),
      write.alluxioRuntime('demo', { replicas: 1, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/cache', quota: '4Gi' }] } }),
    ],
    { exec: alluxioFileSystem().exec, runtimes: [thin, alluxio] },
  );

/** From now on, each phase of an operation, with the names of its kind in its Dataset at the time when the phase was written. */
function phasesIn(at: Harness): readonly string[] {
  const said: string[] = [];
  at.server.rules.add(
    { kind: operationKinds.map(({ kind }) => kind), verb: 'patch', subresource: 'status' },
    {
      after({ kind, name = '' }) {
        const { operationRef, phase } = at.get('Dataset', 'demo')!['status'] as DatasetStatus;
        // The cast: the rule is for operations only.
        said.push(`${statusOf(at, name, kind as OperationKind).phase}: ${operationRef?.[kind] ?? 'none'}, ${phase}`);
      },
    },
  );
  return said;
}

describe('the Dataset names an operation before it is Executing, and until it is Complete, with one write each', () => {
  const kinds = [
    ['DataLoad', () => bound(), load(ON_DEMO, 'op'), 'Bound'],
    ['DataProcess', () => bound(), process(), 'Bound'],
    ['DataMigrate', () => bound(), migrate, 'DataMigrating'],
    ['DataBackup', boundAlluxio, backup(), 'Bound'],
  ] as const;
  test.each(kinds)('%s', async (_, begun, object, phase) => {
    const at = await begun();
    const said = phasesIn(at);
    at.put(object);
    await at.quiet();
    await ended(at, 'Succeeded', '', 'op');
    expect(said.filter((each) => !each.startsWith('Pending'))).toEqual([`Executing: op, ${phase}`, `Complete: op, ${phase}`]);
    expect(at.dataset()).toMatchObject({ phase: 'Bound' });
    expect(at.dataset()).not.toHaveProperty('operationRef');
    expect(at.written({ kind: 'Dataset' })).toEqual(['patch Dataset/demo/status', 'patch Dataset/demo/status']);
  });
  test('every kind is among these', () => {
    expect(kinds.map(([kind]) => kind).toSorted()).toEqual(operationKinds.map(({ kind }) => kind).toSorted());
  });

  test('also when it is resumed, and when it runs once more', async () => {
    const at = await bound();
    at.put(load());
    await at.quiet();
    annotated(at, 'warm', { [annotation.paused]: 'true' });
    await at.quiet();
    expect(at.dataset()).not.toHaveProperty('operationRef');
    const said = phasesIn(at);
    annotated(at, 'warm', { [annotation.paused]: undefined });
    await at.quiet();
    await ended(at, 'Succeeded');
    annotated(at, 'warm', { [annotation.retry]: 'again' });
    await at.quiet();
    const runs = said.filter((each) => each.startsWith('Executing'));
    expect(runs).toEqual(['Executing: warm, Bound', 'Executing: warm, Bound']);
  });
});

test('a pass over the Dataset meanwhile does not take the name out again', async () => {
  const at = await bound();
  const said = phasesIn(at);
  const held = at.server.rules.hold({ kind: 'DataLoad', verb: 'patch', subresource: 'status' });
  at.put(load());
  await at.advance(1000);
  expect([held.waiting, at.dataset().operationRef]).toEqual([1, { DataLoad: 'warm' }]);
  at.edit('Dataset', { mounts: [{ ...(write.jfsDataset('demo')['spec'] as { mounts: [object] }).mounts[0], readOnly: true }] });
  await at.advance(1000);
  expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm' });
  held.release();
  await at.quiet();
  expect(said).toEqual(['Executing: warm, Bound']);
});

test('an operation that is deleted at that moment leaves no name', async () => {
  const at = await bound();
  const held = at.server.rules.hold({ kind: 'DataLoad', verb: 'patch', subresource: 'status' });
  at.put(load());
  await at.advance(1000);
  expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm' });
  at.delete('DataLoad', 'warm');
  held.release();
  await at.quiet();
  expect(at.get('DataLoad', 'warm')).toBeUndefined();
  expect(at.dataset()).not.toHaveProperty('operationRef');
});

test('a conflict about the Dataset is retried: the order stays', async () => {
  const at = await bound();
  const said = phasesIn(at);
  at.server.rules.add(
    { kind: 'Dataset', subresource: 'status', times: 1 },
    { before: () => void at.put({ ...(at.get('Dataset', 'demo') as KubeObject), metadata: { name: 'demo', labels: { mine: 'yes' } } }) },
  );
  at.put(load());
  await at.quiet();
  expect(said).toEqual(['Executing: warm, Bound']);
});

test('a Dataset whose status is refused hides no operation that runs', async () => {
  const at = await bound();
  const refused = at.server.rules.refuse({ kind: 'Dataset', subresource: 'status' }, { status: 403, reason: 'Forbidden' });
  at.put(load());
  await at.advance(5000);
  expect(refused.met).toBeGreaterThan(0);
  expect(statusOf(at).phase).toBe('Executing');
  refused.remove();
  // The longest back-off of the Dataset's own pass.
  await at.advance(100_000);
  expect(at.dataset().operationRef).toEqual({ DataLoad: 'warm' });
});
