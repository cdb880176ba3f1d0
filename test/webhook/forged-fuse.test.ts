/** A DaemonSet that a user of one namespace wrote must not become a privileged container in a pod of another. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { annotation, Dataset, GROUP, VERSION } from '../../src/api/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type ApiServer, createApiServer } from '../../src/api-server/index.ts';
import type { Knowledge } from '../../src/webhook/knowledge.ts';
import { mutate } from '../../src/webhook/mutate.ts';
import { plugins } from '../../src/webhook/plugins/index.ts';
import { defaultProfile } from '../../src/webhook/profile/default-profile.ts';
import { parseProfile } from '../../src/webhook/profile/parse.ts';
import { startWatches } from '../../src/webhook/watches/watches.ts';
import { until } from '../support/manual-clock.ts';
import { reader } from './sidecar/fixture.ts';

const apiVersion = `${GROUP}/${VERSION}`;
const PATH = '/runtime-mnt/thin/a/images';
let server: ApiServer;
let watches: Knowledge;

/** Whoever may write DaemonSets may write all of this. */
const daemonSet = (name: string, image: string, metadata: object = {}) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name,
      namespace: 'a',
      labels: { 'data.fluid.io/owner-uid': 'uid-of-the-runtime' },
      ownerReferences: [{ apiVersion, kind: 'ThinRuntime', name: 'images', uid: 'uid-of-the-runtime', controller: true }],
      ...metadata,
    },
    spec: {
      selector: { matchLabels: { app: 'fuse' } },
      template: {
        metadata: { labels: { app: 'fuse' } },
        spec: {
          containers: [
            {
              name: 'fuse',
              image,
              securityContext: { privileged: true },
              volumeMounts: [{ name: 'm', mountPath: PATH, mountPropagation: 'Bidirectional' }],
            },
          ],
          volumes: [{ name: 'm', hostPath: { path: PATH } }],
        },
      },
    },
  }) as unknown as KubeObject;
const volume = (namespace: string, name: string, record: string | undefined) =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `${namespace}-${name}`,
      ...(record !== undefined && { annotations: { [annotation.verifiedFuse]: record, [annotation.sidecar]: '{"caches":[]}' } }),
    },
    spec: {
      claimRef: { namespace, name },
      csi: {
        driver: 'fuse.csi.fluid.io',
        volumeAttributes: { fluid_path: `${PATH}/thin-fuse`, mount_type: 'fuse', runtime_namespace: 'a', runtime_name: 'images' },
      },
    },
  }) as unknown as KubeObject;

beforeEach(async () => {
  const resource = (plural: string, kind: string) => ({ group: GROUP, version: VERSION, plural, kind, namespaced: true });
  server = createApiServer({
    kinds: [resource(Dataset.plural, 'Dataset'), resource('thinruntimes', 'ThinRuntime')],
    namespaces: ['a', 'b', 'fluid-system'],
  });
  for (const [namespace, name] of [
    ['a', 'images'],
    ['b', 'mine'],
  ] as const) {
    const status = { phase: 'Bound', runtimes: [{ type: 'thin', namespace, name }] };
    server.put({ apiVersion, kind: 'Dataset', metadata: { namespace, name }, spec: {}, status } as unknown as KubeObject);
    server.put({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { namespace, name, labels: { [`fluid.io/s-${namespace}-${name}`]: 'true' } },
    } as unknown as KubeObject);
  }
  const { uid } = server.put(daemonSet('images-fuse', 'registry/client')).metadata;
  server.put(volume('a', 'images', `images-fuse/${uid}/1/hash`));
  server.put(volume('b', 'mine', undefined));
  watches = startWatches({
    client: server.client(),
    runtimes: [{ plural: 'thinruntimes', kind: 'ThinRuntime' }],
    namespace: 'fluid-system',
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });
  await until(() => watches.notReady() === undefined, 'ready');
});
afterEach(() => watches.stop());

const imageIn = (namespace: string, claim: string): string | undefined =>
  mutate(
    { namespace, pod: reader([claim]) },
    {
      known: watches.known,
      profile: parseProfile(defaultProfile, plugins),
      settings: { disabled: false, nativeSidecars: true, prefetcher: { image: 'sluice', isOurs: true } },
      random: () => '0123456789ab',
      warn() {},
    },
  ).spec.initContainers?.[0]?.image;
const both = () => [imageIn('a', 'images'), imageIn('b', 'mine')];
const REAL = ['registry/client', 'registry/client'];

test('one with the same owner, and an earlier name, is not used', async () => {
  server.put(daemonSet('aaa', 'evil.example/agent'));
  await until(() => watches.known.fuse('a', 'aaa') !== undefined, 'seen');
  expect(both()).toEqual(REAL);
});
test('the one of the controller is not used once it was edited, by whatever manager, until the controller has verified it', async () => {
  server.put(daemonSet('images-fuse', 'evil.example/agent'), 'sluice');
  await until(() => watches.known.fuse('a', 'images-fuse')?.generation === 2, 'seen');
  const why = 'fuse DaemonSet a/images-fuse was changed since the controller verified it';
  expect(() => imageIn('a', 'images')).toThrow(why);
  expect(() => imageIn('b', 'mine')).toThrow(why);
  const { uid } = server.put(daemonSet('images-fuse', 'registry/client')).metadata;
  server.put(volume('a', 'images', `images-fuse/${uid}/3/hash`));
  await until(() => watches.known.volume('a-images')?.fuse?.generation === 3, 'recorded');
  await until(() => watches.known.fuse('a', 'images-fuse')?.generation === 3, 'repaired');
  expect(both()).toEqual(REAL);
});
test('one that takes the name of the deleted one is not used', async () => {
  server.remove('DaemonSet', 'a', 'images-fuse');
  server.put(daemonSet('images-fuse', 'evil.example/agent'), 'sluice');
  const evil = () => JSON.stringify(watches.known.fuse('a', 'images-fuse') ?? '').includes('evil');
  await until(evil, 'seen');
  expect(() => imageIn('b', 'mine')).toThrow('was changed since');
});
test('a claim about sidecars in changed metadata is not believed', async () => {
  server.put(daemonSet('images-fuse', 'registry/client', { annotations: { [annotation.sidecar]: '{"caches":["m"]}' } }));
  server.put({
    ...volume('a', 'images', undefined),
    metadata: { ...server.get('PersistentVolume', undefined, 'a-images')!.metadata },
  } as KubeObject);
  expect(both()).toEqual(REAL);
});
test('and a Dataset whose volume names none has no sidecars', async () => {
  server.put(volume('a', 'images', undefined));
  await until(() => watches.known.volume('a-images')?.fuse === undefined, 'seen');
  expect(() => imageIn('b', 'mine')).toThrow('PersistentVolume a-images names no fuse DaemonSet that the controller has verified');
});
