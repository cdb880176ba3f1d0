import { describe, expect, test } from 'vitest';
import alluxio from '../../../../runtimes/alluxio/index.ts';
import type { AlluxioRuntimeSpec } from '../../../../runtimes/alluxio/spec.ts';
import thin from '../../../../runtimes/thin/index.ts';
import { annotation } from '../../../../src/api/index.ts';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { portRecord } from '../../../../src/planning/port-table.ts';
import { alluxioFileSystem } from '../../../support/alluxio-exec.ts';
import * as write from '../../../support/objects.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../../../support/objects.ts';
import { boundHarness, type Harness, harness } from '../../harness.ts';

test('a runtime that leaves the network of its nodes and returns has the same host port', async () => {
  const at = await boundHarness([jfsSecret(), jfsDataset('demo'), jfsRuntime('demo')]);
  const portsOf = (name: string): Record<string, number> =>
    JSON.parse(at.get('JuiceFSRuntime', name)?.metadata.annotations?.[annotation.ports] ?? '{}').ports;
  const before = portsOf('demo');
  expect(Object.keys(before)).toContain('worker');
  at.edit('JuiceFSRuntime', { worker: { networkMode: 'ContainerNetwork' } });
  await at.quiet();
  at.put(jfsDataset('other'));
  at.put(jfsRuntime('other'));
  await at.quiet();
  at.edit('JuiceFSRuntime', { worker: { networkMode: 'HostNetwork' } });
  await at.quiet();
  expect(portsOf('demo')).toEqual(before);
  expect(Object.values(portsOf('other')).filter((port) => Object.values(before).includes(port))).toEqual([]);
});

describe('a record of ports that a tenant wrote', () => {
  const tiered = {
    replicas: 1,
    tieredstore: { levels: [{ mediumtype: 'SSD' as const, path: '/cache', quota: '4Gi' }] },
  } satisfies AlluxioRuntimeSpec;
  const alluxios = () => harness({ runtimes: [thin, alluxio], exec: alluxioFileSystem().exec });
  const mounts = { mounts: [{ mountPoint: 's3://b/d/', name: 'data' }] };
  const recordOf = (object: KubeObject | undefined): Record<string, number> =>
    JSON.parse(object?.metadata.annotations?.[annotation.ports] ?? '{}').ports ?? {};
  const inEvil = (object: KubeObject): KubeObject => ({ ...object, metadata: { ...object.metadata, namespace: 'evil' } });
  function forge(at: Harness, object: KubeObject, ports: Record<string, number>): void {
    const {
      uid = '',
      resourceVersion: _,
      ...metadata
    } = at.server.get(object.kind, 'evil', object.metadata.name)?.metadata ?? object.metadata;
    const annotations = { ...metadata.annotations, [annotation.ports]: portRecord(uid, ports) };
    at.server.put({ ...object, metadata: { ...metadata, uid, annotations } });
  }

  test('for a runtime that has no use for them takes none from another', async () => {
    const at = await alluxios();
    const evil = at.server.put(inEvil(write.thinRuntime('x', {})));
    forge(at, evil, Object.fromEntries(Array.from({ length: 6001 }, (_, i) => [`p${i}`, 20_000 + i])));
    at.put(write.datasetObject('demo', mounts));
    at.put(write.alluxioRuntime('demo', tiered));
    await at.quiet();
    expect(at.dataset().phase).toBe('Bound');
  });

  test('gives it neither ports of others nor ports that are not to be allocated, and is corrected', async () => {
    const at = await alluxios();
    at.put(write.datasetObject('demo', mounts));
    at.put(write.alluxioRuntime('demo', tiered));
    await at.quiet();
    const theirs = recordOf(at.get('AlluxioRuntime'));
    at.server.put(inEvil(write.datasetObject('y', mounts)));
    const evil = at.server.put(inEvil(write.alluxioRuntime('y', tiered)));
    forge(at, evil, { ...theirs, masterWeb: 10250, jobMasterRpc: -7, jobMasterWeb: 99999 });
    await at.quiet();
    const record = recordOf(at.server.get('AlluxioRuntime', 'evil', 'y'));
    expect(Object.keys(record).toSorted()).toEqual(Object.keys(theirs).toSorted());
    for (const port of Object.values(record)) {
      expect(Object.values(theirs)).not.toContain(port);
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThanOrEqual(26_000);
    }
    expect(at.server.get('Dataset', 'evil', 'y')?.['status']).toMatchObject({ phase: 'Bound' });
  });

  test('with the ports of another that runs takes them from neither, through a restart', async () => {
    const at = await alluxios();
    at.put(write.datasetObject('demo', mounts));
    at.put(write.alluxioRuntime('demo', tiered));
    at.server.put(inEvil(write.datasetObject('a', mounts)));
    const evil = at.server.put(inEvil(write.alluxioRuntime('a', tiered)));
    await at.quiet();
    const [theirs, own] = [recordOf(at.get('AlluxioRuntime')), recordOf(at.server.get('AlluxioRuntime', 'evil', 'a'))];
    at.kill();
    forge(at, at.server.get('AlluxioRuntime', 'evil', 'a') ?? evil, theirs);
    await at.restart();
    await at.quiet();
    expect(recordOf(at.get('AlluxioRuntime'))).toEqual(theirs);
    expect(recordOf(at.server.get('AlluxioRuntime', 'evil', 'a'))).toEqual(own);
  });
});
