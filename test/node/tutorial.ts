/** docs/adding-a-runtime.md in a cluster: its runtime in an image, and what the page then says to type, up to a pod that reads. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { FUSE_IMAGE, MINIO_IMAGE } from '../../harness/index.ts';
import { nodeTools } from '../../harness/tools/tools.ts';
import { blocks, TUTORIAL } from '../docs/pages.ts';
import { createPod } from '../support/real-node.ts';
import { eventually } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { PATIENCE_S } from './dataset-users.ts';
import { type Installed, tagImage } from './installed.ts';
import { vendorPackage } from './vendor-package.ts';

const page = blocks.filter((block) => block.page === TUTORIAL);
const textOf = (file: string): string => page.find((block) => block.file === file)?.text ?? '';
const IMAGE = /--image (\S+)/.exec(page.map(({ text }) => text).join(''))?.[1] ?? '';
/** The page's commands after the manifests are applied. */
const typed = page
  .flatMap(({ language, text }) => (language === 'sh' ? text.split('\n') : []))
  .filter((line) => line.startsWith('kubectl ') && !line.startsWith('kubectl apply --server-side '));
/** Those that the page names. */
const IMAGES = [`docker.io/rclone/rclone:${/'(1\.\d+)'/.exec(textOf('src/plan.ts'))?.[1]}`, 'docker.io/library/busybox:1'];
const PHOTO = 'a photo\n';

/** Needs MinIO's image and that with FUSE clients on the node. In `folder` the package of Sluice is installed. */
export async function followsTheTutorial(cluster: Installed, folder: string): Promise<void> {
  const vendor = vendorPackage(folder, 'rclone', (own) => {
    for (const { file, text } of page) {
      if (!file) continue;
      mkdirSync(dirname(join(own, file)), { recursive: true });
      writeFileSync(join(own, file), text);
    }
  });
  const type = (line: string) =>
    step(line, () => {
      const words = line.split(' ').map((word) => (word.endsWith('.yaml') ? join(vendor.folder, word) : word.replaceAll("'", '')));
      return cluster.plane.kubectl(...words.slice(1));
    });
  for (const image of IMAGES) await tagImage(cluster.node, FUSE_IMAGE, image);
  await step('sluice image, sluice install', () => vendor.install(cluster, IMAGE));
  let said = '';
  for (const line of typed) {
    said = await type(line);
    if (line.startsWith('kubectl create namespace')) await step('the bucket of the page', () => startBucket(cluster));
  }
  expect(said).toMatch(/ 8 .* photo\n$/);
  await cluster.plane.kubectl('delete', '-n', 'ml', 'pod/reader', 'dataset/images');
  await eventually(async () => {
    expect(await cluster.plane.kubectl('get', '-n', 'ml', 'daemonset,pvc,rcloneruntime', '-o', 'name')).toBe('');
  }, PATIENCE_S);
}

/** A bucket with the endpoint, the user and the password of the page's images.yaml, with one file. */
async function startBucket({ plane, node }: Installed): Promise<void> {
  const env = [
    { name: 'MINIO_ROOT_USER', value: 'minio' },
    { name: 'MINIO_ROOT_PASSWORD', value: 'minio123' },
  ];
  const readinessProbe = { httpGet: { path: '/minio/health/ready', port: 9000 }, periodSeconds: 1 };
  const script = 'exec minio server /data --address :9000';
  await createPod(plane, { name: 'minio', namespace: 'ml', image: MINIO_IMAGE, script, container: { env, readinessProbe } });
  const spec = { selector: { app: 'minio' }, ports: [{ port: 9000 }] };
  await plane.create('/api/v1/namespaces/ml/services', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'minio' }, spec });
  await plane.kubectl('wait', '-n', 'ml', '--for=condition=Ready', 'pod/minio', `--timeout=${PATIENCE_S}s`);
  const address = await plane.kubectl('get', '-n', 'ml', 'pod/minio', '-o', 'jsonpath={.status.podIP}');
  const photo = join(node.dir, 'photo');
  writeFileSync(photo, PHOTO);
  const store = `:s3,provider=Minio,endpoint="http://${address}:9000",access_key_id=minio,secret_access_key=minio123:images/train`;
  await promisify(execFile)(nodeTools().rclone, ['--config', '/dev/null', 'copy', photo, store]);
}
