import { expect, test } from 'vitest';
import type { KubeObject } from '../../../../src/kube/types.ts';
import { exampleRuntime, openDataset, reader, thinRuntime } from '../../../support/objects.ts';
import { boundHarness, type Harness } from '../../harness.ts';

interface Workload {
  readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
}
const withImages = (object: KubeObject, image: (before: string) => string): KubeObject => {
  const spec = object['spec'] as Workload;
  const containers = spec.template.spec.containers.map((container) => ({ ...container, image: image(container.image) }));
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } } };
};
const imageOf = (at: Harness) => (at.get('StatefulSet', 'demo-worker')!['spec'] as Workload).template.spec.containers[0]?.image;
const mirrored = (image: string) => (image.startsWith('mirror.example/') ? image : `mirror.example/${image}`);
const workloads = ['StatefulSet', 'DaemonSet'];

/** A webhook rewrites the image registries of all workloads. */
const mirroring = (runtime: KubeObject = exampleRuntime('demo', { replicas: 2 })) =>
  boundHarness([openDataset('demo'), runtime], {
    prepare: (server) =>
      void server.rules.mutate({ verb: ['create', 'apply', 'patch'], kind: workloads }, (object) => withImages(object, mirrored)),
  });

/** As its controller does, so that we look. */
const touch = (at: Harness, count: number) => {
  const worker = at.get('StatefulSet', 'demo-worker')!;
  at.put({ ...worker, status: { ...(worker['status'] as object), collisionCount: count } });
};

test("a webhook's change of an object is accepted, and is no fight (A10)", async () => {
  const at = await mirroring();
  expect(at.dataset().phase).toBe('Bound');
  expect(imageOf(at)).toMatch(/^mirror\.example\//);
  for (let i = 1; i <= 10; i++) {
    touch(at, i);
    await at.advance(1_000);
  }
  expect(at.written({ kind: workloads })).toEqual([]);
  expect(at.conditions('ExampleRuntime')['Synced']).toMatch(/^True/);
});

test('an object that a webhook changed is not sent again after a restart: its fields are still those that we wrote (A10)', async () => {
  const at = await mirroring();
  await at.restart();
  await at.quiet();
  touch(at, 1);
  await at.quiet();
  expect(at.written({ kind: 'StatefulSet', name: 'demo-worker', verb: 'apply' })).toEqual([]);
  expect(at.conditions('ExampleRuntime')['Synced']).toMatch(/^True/);
});

test("another writer's value is repaired, and a writer that insists is reported (A9)", async () => {
  const at = await mirroring();
  at.put(withImages(at.get('StatefulSet', 'demo-worker')!, () => 'rival.example/worker'));
  await at.quiet();
  expect(imageOf(at)).toMatch(/^mirror\.example\//);
  for (let i = 0; i < 8; i++) {
    at.put(withImages(at.get('StatefulSet', 'demo-worker')!, () => `rival.example/worker:${i}`));
    await at.advance(1_000);
  }
  expect(at.conditions('ExampleRuntime')['Synced']).toMatch(
    /^False FieldConflict: StatefulSet\/demo-worker: spec\.template\.spec\.containers/,
  );
});

test('an object that is edited ten times in ten seconds is written each time, and is no fight (A9)', async () => {
  const at = await boundHarness([openDataset('demo'), exampleRuntime('demo', { replicas: 1 })]);
  for (let replicas = 2; replicas <= 11; replicas++) {
    at.edit('ExampleRuntime', { replicas });
    await at.advance(1_000);
    expect(at.get('StatefulSet', 'demo-worker')?.['spec']).toMatchObject({ replicas });
  }
  expect(at.conditions('ExampleRuntime')['Synced']).not.toContain('FieldConflict');
});

test('an edit is sent, and what a webhook changes in it is accepted (A10)', async () => {
  const at = await mirroring();
  at.edit('ExampleRuntime', { replicas: 3 });
  await at.quiet();
  expect(at.get('StatefulSet', 'demo-worker')?.['spec']).toMatchObject({ replicas: 3 });
  expect(at.conditions('ExampleRuntime')['Synced']).toMatch(/^True/);
});

test('a fuse DaemonSet that a webhook changed is not sent again while a placement waits for a pod (A10)', async () => {
  const at = await mirroring(thinRuntime('demo', { profileName: 'profile' }));
  const { metadata, ...node } = at.get('Node', 'node-1')!;
  at.put({ ...node, metadata: { ...metadata, labels: { ...metadata.labels, 'fluid.io/f-ml-demo': 'true' } } });
  const pod = reader('app', 'demo');
  at.put({ ...pod, spec: { ...(pod['spec'] as object), nodeName: 'node-1' } });
  at.edit('ThinRuntime', { fuse: { nodeSelector: { disk: 'ssd' } } });
  // Each pass ends only when the list of pods has been answered.
  for (let i = 0; i < 4; i++) await at.advance(5000);
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False PlacementWaiting/);
  at.forget();
  for (let i = 0; i < 12; i++) await at.advance(5000);
  expect(at.written()).toEqual([]);
  expect(at.conditions('ThinRuntime')['Synced']).toMatch(/^False PlacementWaiting/);
});
