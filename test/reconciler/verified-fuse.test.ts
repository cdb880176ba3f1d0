/** The webhook makes privileged containers from fuse DaemonSets, which whoever has the role `edit` may write. */
import { describe, expect, test } from 'vitest';
import { annotation, verifiedFuseIn } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { FIELD_MANAGER } from '../../src/planning/diff/managed-fields.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { boundHarness, type Harness } from './harness.ts';

interface Client {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly { name: string; value?: string }[];
}
interface Fuse extends KubeObject {
  readonly spec: {
    readonly template: { readonly metadata: { readonly annotations?: object }; readonly spec: { readonly containers: readonly Client[] } };
  };
}
const fuseOf = (at: Harness) => at.get('DaemonSet', 'demo-fuse') as Fuse;
const imagesOf = (at: Harness) => fuseOf(at).spec.template.spec.containers.map(({ image }) => image);
const recordOf = (at: Harness) => {
  const { uid, generation, name } =
    verifiedFuseIn(at.get('PersistentVolume', 'ml-demo')?.metadata.annotations?.[annotation.verifiedFuse]) ?? {};
  return { name, uid, generation };
};
const liveOf = (at: Harness) => {
  const { name, uid, generation } = fuseOf(at).metadata;
  return { name, uid, generation };
};
const scene = async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })]);
  at.forget();
  return at;
};
const podSpec = (fuse: Fuse, change: (client: Client) => readonly Client[]): Fuse => {
  const { template } = fuse.spec;
  return {
    ...fuse,
    spec: { ...fuse.spec, template: { ...template, spec: { ...template.spec, containers: template.spec.containers.flatMap(change) } } },
  };
};
const evil = { name: 'evil', image: 'evil.example/agent' };

test('the volume names the fuse DaemonSet as it is, from its creation on', async () => {
  const at = await scene();
  expect(recordOf(at)).toEqual(liveOf(at));
});

/** A user writes the DaemonSet with the name of the controller's manager, as any client may. */
describe.each([FIELD_MANAGER, 'kubectl-edit'])('a DaemonSet that %s edits', (manager) => {
  test.each<[string, (client: Client) => readonly Client[]]>([
    ['with another image', (client) => [{ ...client, image: 'evil.example/client' }]],
    ['with one more container', (client) => [client, evil]],
    ['with one more variable', (client) => [{ ...client, env: [...(client.env ?? []), { name: 'LD_PRELOAD', value: '/evil.so' }] }]],
    ['with a hook', (client) => [{ ...client, lifecycle: { postStart: { exec: { command: ['sh'] } } } } as Client]],
  ])('%s is made as it was, and recorded only then (A14)', async (_, change) => {
    const at = await scene();
    const before = recordOf(at);
    const was = fuseOf(at).spec.template.spec;
    at.server.put(podSpec(fuseOf(at), change), manager);
    // Not before the controller has repaired it.
    expect(recordOf(at)).toEqual(before);
    expect(recordOf(at)).not.toEqual(liveOf(at));
    await at.quiet();
    expect(fuseOf(at).spec.template.spec).toEqual(was);
    expect(recordOf(at)).toEqual(liveOf(at));
    at.forget();
    await at.quiet();
    expect(at.written()).toEqual([]);
  });
});

test('a DaemonSet that a user makes in its place is made as it should be, and recorded', async () => {
  const at = await scene();
  const forged = podSpec(fuseOf(at), (client) => [{ ...client, image: evil.image }, evil]);
  const { uid: _, resourceVersion: __, ...metadata } = forged.metadata;
  at.kill();
  at.server.remove('DaemonSet', 'ml', 'demo-fuse');
  at.server.put({ ...forged, metadata, status: undefined } as unknown as KubeObject, FIELD_MANAGER);
  await at.restart();
  await at.quiet();
  expect(imagesOf(at)).not.toContain(evil.image);
  expect(recordOf(at)).toEqual(liveOf(at));
});

test('a restart of its pods, which changes the template alone, is recorded without a write of the DaemonSet', async () => {
  const at = await scene();
  const fuse = fuseOf(at);
  const { metadata } = fuse.spec.template;
  const annotations = { ...metadata.annotations, 'kubectl.kubernetes.io/restartedAt': 'now' };
  const template = { ...fuse.spec.template, metadata: { ...metadata, annotations } };
  at.put({ ...fuse, spec: { ...fuse.spec, template } } as KubeObject);
  await at.quiet();
  expect(at.written({ kind: 'DaemonSet' })).toEqual([]);
  expect(recordOf(at)).toEqual(liveOf(at));
});

test('an edit of the runtime is recorded', async () => {
  const at = await scene();
  at.edit('ThinRuntime', { fuse: { image: 'example.io/s3fs', imageTag: 'v2' } });
  await at.quiet();
  expect(imagesOf(at)).toEqual(['example.io/s3fs:v2']);
  expect(recordOf(at)).toEqual(liveOf(at));
});

test('another process believes the record, and reads the DaemonSet no more', async () => {
  const at = await scene();
  await at.restart();
  at.forget();
  await at.quiet();
  expect(at.written()).toEqual([]);
  expect(at.server.requests.filter(({ kind, verb }) => kind === 'DaemonSet' && verb === 'get')).toEqual([]);
});

test('a volume of an earlier version gets the record in the next pass', async () => {
  const at = await scene();
  at.kill();
  const { metadata, ...volume } = at.get('PersistentVolume', 'ml-demo')!;
  const { [annotation.verifiedFuse]: _, [annotation.sidecar]: __, ...annotations } = metadata.annotations ?? {};
  at.server.put({ ...volume, metadata: { ...metadata, annotations } } as KubeObject, FIELD_MANAGER);
  await at.restart();
  await at.quiet();
  expect(recordOf(at)).toEqual(liveOf(at));
});

test('additions of admission to the pods stay, and the DaemonSet is recorded with them', async () => {
  const at = await boundHarness([openDataset('demo'), thinRuntime('demo', { profileName: 'profile' })], {
    prepare: (server) =>
      void server.rules.mutate({ kind: 'DaemonSet' }, (object) => {
        const fuse = object as Fuse;
        const { containers } = fuse.spec.template.spec;
        return containers.some(({ name }) => name === 'mesh')
          ? fuse
          : podSpec(fuse, (client) => [client, { name: 'mesh', image: 'mesh:1' }]);
      }),
  });
  expect(recordOf(at)).toEqual(liveOf(at));
  const fuse = fuseOf(at);
  at.put(podSpec(fuse, (client) => [{ ...client, image: 'other:1' }]));
  await at.quiet();
  expect(imagesOf(at)).toContain('mesh:1');
  expect(recordOf(at)).toEqual(liveOf(at));
  at.forget();
  await at.quiet();
  expect(at.written()).toEqual([]);
});
