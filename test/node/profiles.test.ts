/** Profiles of examples/profiles on a real node, with servers of their file systems: a pod reads what the server has, and writes. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { FILE_SYSTEMS_IMAGE, fileSystemsImage, minioImage, whyNoFileSystems } from '../../harness/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { canRun } from '../support/can-run.ts';
import { objectsIn } from '../support/objects.ts';
import { profileText } from '../support/profiles.ts';
import { canHaveNode } from '../support/real-node.ts';
import { eventually as within } from '../support/sluice.ts';
import { type FileSystem, fileSystems } from './file-systems.ts';
import { type Installed, startInstalled } from './installed.ts';

/** For what hangs: a busy node is no failure. */
const LIMIT = 300_000;
const [IMAGE = '', TAG = ''] = FILE_SYSTEMS_IMAGE.split(':');

describe.skipIf(!canHaveNode || !canRun('file systems on a real node', whyNoFileSystems()))('profiles', { timeout: LIMIT }, () => {
  // Made only where they run: what makes keys may be missing elsewhere.
  let systems: Readonly<Record<string, FileSystem>>;
  let cluster: Installed;
  const kubectl = (...args: readonly string[]) => cluster.plane.kubectl(...args);
  const apply = (...objects: readonly object[]) => cluster.plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
  beforeAll(async () => {
    systems = Object.fromEntries(Object.entries(fileSystems).map(([name, make]) => [name, make()]));
    cluster = await startInstalled({ images: [fileSystemsImage(), minioImage()] });
    await apply(...Object.values(systems).flatMap(({ server, secrets = [] }) => [...server, ...secrets]));
  }, LIMIT);
  afterAll(() => cluster?.stop());

  test.concurrent.for(Object.keys(fileSystems))('%s', async (name, context) => {
    const { server = [], reading = [], edited = (text: string) => text } = systems[name] ?? {};
    context.onTestFailed(async () => {
      const selector = `release=${name}-demo`;
      const fuse = await kubectl('logs', '-l', selector, '--all-containers', '--prefix', '--tail=40').catch(String);
      console.error(
        [await cluster.logs(), fuse, await kubectl('logs', `${name}-server`, '--all-containers', '--tail=40').catch(String)].join('\n'),
      );
    });
    expect(server[0]?.metadata.name).toBe(`${name}-server`);
    await kubectl('wait', '--for=condition=Ready', `pod/${name}-server`, '--timeout=120s');
    const profile = profileText(name, 'profile.yaml')
      .replace(/image: \S+/, `image: ${IMAGE}`)
      .replace(/imageTag: \S+/, `imageTag: '${TAG}'`);
    await apply(...objectsIn(profile), ...objectsIn(edited(profileText(name, 'dataset.yaml'))), pod(name));
    await within(async () => expect(await kubectl('logs', name)).toBe(`${name}\nwritten\n`), 120);
    await within(async () => expect(await kubectl('exec', `${name}-server`, '-c', 'main', '--', ...reading)).toBe('written\n'));
    await kubectl('delete', 'pod', name);
    await kubectl('delete', 'dataset', `${name}-demo`, '--timeout=60s');
    const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8');
    await within(() => expect(mounts()).not.toContain(`/thin/default/${name}-demo`));
  });
});

/** Reads and writes once it has the Dataset. */
const pod = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'main',
        image: FILE_SYSTEMS_IMAGE,
        command: ['sh', '-ec', 'cat /data/file; echo written > /data/new; cat /data/new'],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `${name}-demo` } }],
  },
});
