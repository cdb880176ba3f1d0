/** docs/thin-runtime.md as a reader would type it, on a real node; and what else ThinRuntimes do there. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { FUSE_IMAGE, fuseImage, type ImageDefinition, MINIO_IMAGE, minioImage } from '../../src/testing/index.ts';
import { root } from '../cli/run.ts';
import { blocksOf } from '../support/page.ts';
import { canHaveNode } from '../support/node.ts';
import { type Installed, startInstalled } from './installed.ts';

const blocks = blocksOf('docs/thin-runtime.md');
const SCRIPT_IMAGE = 'localhost/fluid-minio-s3fs:demo';
/** What images of the page are called here. */
const IMAGES: Readonly<Record<string, string>> = {
  'minio/minio': MINIO_IMAGE,
  'rclone/rclone': FUSE_IMAGE,
  busybox: FUSE_IMAGE,
  'example.io/s3fs': FUSE_IMAGE.replace(/:.*/, ''),
  'example.io/fluid-minio-s3fs': SCRIPT_IMAGE.replace(/:.*/, ''),
};

describe.skipIf(!canHaveNode)('the walk-through of ThinRuntimes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-thin-'));
  let cluster: Installed;
  beforeAll(async () => {
    cluster = await startInstalled({ images: [fuseImage(), minioImage(), scriptImage()] });
    mkdirSync(join(folder, 'bin'));
    symlinkSync(cluster.plane.kubectlPath, join(folder, 'bin/kubectl'));
    const sluice = `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'src/cli/main.ts')}" "$@"\n`;
    writeFileSync(join(folder, 'bin/sluice'), sluice, { mode: 0o755 });
  }, 240_000);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const showLogs = () => onTestFailed(async () => console.error(await cluster.logs()));

  const typed = async (commands: string): Promise<string> => {
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, KUBECONFIG: cluster.plane.kubeconfig };
    return (await promisify(execFile)('sh', ['-ec', commands], { cwd: folder, env })).stdout;
  };
  /** There is no DNS on the node: pods of its network know MinIO by its hosts file. */
  const nameMinio = async () => {
    const address = await cluster.plane.kubectl('get', 'pod', '-l', 'app=minio', '-o', 'jsonpath={.items[0].status.podIP}');
    const hosts = join(cluster.node.dir, 'hosts');
    writeFileSync(hosts, `127.0.0.1 localhost\n${address} minio\n`);
    await cluster.node.run('mount', '--bind', hosts, '/etc/hosts');
  };

  test('works as it is written', { timeout: 300_000 }, async () => {
    showLogs();
    for (const { file, text } of blocks.filter((block) => block.file)) writeFileSync(join(folder, file ?? ''), withLocalImages(text));
    const [config = ''] = blocks.filter(({ language }) => language === 'json').map(({ text }) => text);
    writeFileSync(join(folder, 'config.json'), config);
    for (const [i, { language, text }] of blocks.entries()) {
      if (language !== 'sh') continue;
      const printed = await typed(text);
      if (text.includes('rollout status deployment/minio')) await nameMinio();
      const next = blocks[i + 1];
      if (next?.language === 'text' && !next.text.startsWith('export ')) expect(printed, text).toContain(next.text);
    }
  });
});

function withLocalImages(text: string): string {
  return text
    .replace(/^( +image: )(\S+)$/gm, (_line, key: string, image: string) => `${key}${IMAGES[image] ?? image}`)
    .replace('imageTag: v1', `imageTag: "${FUSE_IMAGE.split(':')[1] ?? ''}"`);
}

/** As the page's Dockerfile makes it. */
function scriptImage(): ImageDefinition {
  const text = blocks.find(({ file }) => file === 'fluid-config-parse.py')?.text ?? '';
  const { files, ...fuse } = fuseImage();
  return { ...fuse, name: SCRIPT_IMAGE, files: { ...files, '/fluid-config-parse.py': { text } } };
}
