/** Profiles of clients that `npm test` does not build: pods read and write, read on after the client was killed, and nothing is left. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { FUSE_IMAGE, fakeGcsImage, fuseImage, GCSFUSE_IMAGE, gcsfuseImage, minioImage } from '../../harness/index.ts';
import { followingPod } from '../node/dataset-users.ts';
import { type FileSystem, s3 } from '../node/file-systems.ts';
import { type Installed, startInstalled } from '../node/installed.ts';
import { objectsIn } from '../support/objects.ts';
import { profileText } from '../support/profiles.ts';
import { canHaveNode } from '../support/real-node.ts';
import { eventually as within } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { clientsAt, killClient, mountTable } from './clients.ts';
import { ASKED, googleStorage } from './google-storage.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 400_000;

interface Engine {
  readonly image: string;
  readonly system: FileSystem;
  /** A text that no argument of a process and no log may hold. */
  readonly secret: string;
}

const gcs = googleStorage('gcsfuse');
/** By the name of the profile, which is that of the program. */
const ENGINES: Readonly<Record<string, Engine>> = {
  rclone: { image: FUSE_IMAGE, system: s3('rclone', FUSE_IMAGE), secret: 'minioadmin' },
  gcsfuse: { image: GCSFUSE_IMAGE, system: gcs, secret: 'PRIVATE KEY' },
};

describe.skipIf(!canHaveNode)('profiles of engines', { timeout: LIMIT }, () => {
  let cluster: Installed;
  const kubectl = (...args: readonly string[]) => cluster.plane.kubectl(...args);
  const apply = (...objects: readonly object[]) => cluster.plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
  const eventually = <T>(check: () => T | Promise<T>) => within(check, 120);
  beforeAll(async () => {
    cluster = await startInstalled({ images: [fuseImage(), minioImage(), gcsfuseImage(), fakeGcsImage()] });
    await apply(...Object.values(ENGINES).flatMap(({ system: { server, secrets = [] } }) => [...server, ...secrets]));
  }, LIMIT);
  afterAll(() => cluster?.stop());

  test.concurrent.for(Object.entries(ENGINES))('%s', async ([name, { image, system, secret }], context) => {
    const logs = () => kubectl('logs', '-l', `release=${name}-demo`, '--all-containers', '--prefix', '--tail=60');
    const inServer = (...argv: readonly string[]) => kubectl('exec', `${name}-server`, '-c', 'main', '--', ...argv);
    const inReader = (script: string) => kubectl('exec', name, '--', 'sh', '-ec', script);
    const path = `/thin/default/${name}-demo/thin-fuse`;
    context.onTestFailed(async () => {
      const said = [logs(), kubectl('logs', `${name}-server`, '--all-containers', '--tail=40'), kubectl('describe', 'pod', name)];
      console.error([await cluster.logs(), ...(await Promise.all(said.map((each) => each.catch(String))))].join('\n'));
    });

    await step('a pod reads what the store has, and the store has what the pod writes', async () => {
      await kubectl('wait', '--for=condition=Ready', `pod/${name}-server`, '--timeout=120s');
      const [repository = '', tag = ''] = image.split(':');
      const profile = profileText(name, 'profile.yaml')
        .replace(/image: \S+/, `image: ${repository}`)
        .replace(/imageTag: \S+/, `imageTag: '${tag}'`);
      await apply(...objectsIn(profile), ...objectsIn(profileText(name, 'dataset.yaml')), followingPod(name, `${name}-demo`));
      await eventually(async () => expect(await inReader('cat /data/file')).toBe(`${name}\n`));
      await inReader('echo written > /data/new; mkdir /data/more; seq 300000 > /data/more/numbers');
      await eventually(async () => expect(await inServer(...system.reading)).toBe('written\n'));
      expect(await inReader('cat /data/new; md5sum < /data/more/numbers')).toBe(`written\n${NUMBERS}  -\n`);
    });
    await step('its secrets are in no argument and in no log', async () => {
      expect(JSON.stringify(clientsAt(name, path))).not.toContain(secret);
      expect(await logs()).not.toContain(secret);
    });
    await step('the client is killed: the same pod reads and writes on, past what the kernel has cached', async () => {
      killClient(name, path);
      await eventually(async () => {
        const events = await kubectl('get', 'events', '--field-selector', `involvedObject.name=${name}-demo`);
        expect(events).toContain('FuseRecoverSucceed');
      });
      await eventually(async () => expect(await inReader('cat /data/file')).toBe(`${name}\n`));
      await eventually(async () => expect(await inReader('md5sum < /data/more/numbers')).toBe(`${NUMBERS}  -\n`));
      await inReader('echo again > /data/new');
      await eventually(async () => expect(await inServer(...system.reading)).toBe('again\n'));
    });
    await step('a Dataset that is read-only cannot be written', async () => {
      const [dataset, runtime] = objectsIn(profileText(name, 'dataset.yaml').replaceAll(`${name}-demo`, `${name}-read`));
      const spec = dataset?.['spec'] as { readonly mounts: readonly object[] };
      const mounts = spec.mounts.map((mount) => ({ ...mount, readOnly: true }));
      await apply(
        { ...dataset, spec: { ...spec, accessModes: ['ReadOnlyMany'], mounts } },
        runtime ?? {},
        followingPod(`${name}-read`, `${name}-read`),
      );
      const there = (script: string) => kubectl('exec', `${name}-read`, '--', 'sh', '-ec', script);
      await eventually(async () => expect(await there('cat /data/file')).toBe(`${name}\n`));
      expect(await there('echo no > /data/no').catch(String)).toContain('Read-only file system');
      expect(mountTable()).toMatch(new RegExp(`/thin/default/${name}-read/thin-fuse ro,.* - fuse\\.${name} `));
    });
    await step('deleted, they leave no mount, process, pod or label', async () => {
      await kubectl('delete', 'pod', name, `${name}-read`);
      await kubectl('delete', 'dataset', `${name}-demo`, `${name}-read`, '--timeout=60s');
      await eventually(async () => {
        expect(mountTable()).not.toContain(`/thin/default/${name}-`);
        expect(clientsAt(name, '/thin-fuse')).toEqual([]);
        expect(await kubectl('get', 'pods', '-l', `release in (${name}-demo, ${name}-read)`, '-o', 'name')).toBe('');
        expect(await kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.labels}')).not.toContain(`default-${name}-`);
      });
    });
  });

  test('gcsfuse asks for its tokens with the key of the Secret', async () => {
    const asked = await kubectl('exec', 'gcsfuse-server', '-c', 'tokens', '--', ...ASKED);
    expect(gcs.signer(asked)).toBe('reader@tests.example');
  });
});

/** The MD5 of the numbers to 300,000, a line each. */
const NUMBERS = 'daef482d6c698625ab13d987d14e8781';
