/** Profiles of examples/profiles on a real node, with servers of their file systems. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { FILE_SYSTEMS_IMAGE } from '../../harness/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { objectsIn } from '../support/objects.ts';
import { profileText } from '../support/profiles.ts';
import { eventually as within } from '../support/sluice.ts';
import type { FileSystem } from './file-systems.ts';
import type { Installed } from './installed.ts';

const [IMAGE = '', TAG = ''] = FILE_SYSTEMS_IMAGE.split(':');

/** A pod reads what the server has, and writes. */
export async function profileServes({ plane }: Installed, name: string, system: FileSystem): Promise<void> {
  const { server, secrets = [], reading, edited = (text: string) => text } = system;
  const { kubectl } = plane;
  const apply = (...objects: readonly object[]) => plane.kubectlApply(objects.map((object) => stringify(object)).join('---\n'));
  expect(server[0]?.metadata.name).toBe(`${name}-server`);
  await apply(...server, ...secrets);
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
}

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
