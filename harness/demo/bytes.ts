/** Sluice installed in a cluster with a real node, MinIO, and pods that read what is in it: by a FUSE client, and by a cache. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Progress, secondsText } from './progress.ts';
import { alluxioImage, fuseImage, juicefsImage, minioImage } from '../../harness/index.ts';
import { type Installed, startInstalled } from '../../test/node/installed.ts';
import { writeFiles } from '../../test/node/walk-through.ts';
import { readTwice, removeAlluxio, whyWithoutAlluxio } from './alluxio.ts';
import { readTwiceByJuiceFS, removeJuiceFS, whyWithoutJuiceFS } from './juicefs.ts';
import type { Stage } from './stage.ts';
import { read, removeThin } from './thin.ts';

/** Returns the exit code. @param withAlluxio whether Alluxio, which takes a minute and 3 GiB, is shown too */
export async function showBytes(progress: Progress, signal: AbortSignal, withAlluxio: boolean): Promise<number> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
  const withoutAlluxio = withAlluxio ? whyWithoutAlluxio() : undefined;
  const showsAlluxio = withAlluxio && withoutAlluxio === undefined;
  const withoutJuiceFS = whyWithoutJuiceFS();
  let cluster: Installed | undefined;
  let problem: unknown;
  try {
    progress.heading('Now with data: a real node, on which Sluice is installed');
    await progress.step('cluster', async (say) => {
      const images = [
        fuseImage(),
        minioImage(),
        ...(withoutJuiceFS === undefined ? [juicefsImage()] : []),
        ...(showsAlluxio ? [alluxioImage()] : []),
      ];
      cluster = await startInstalled({ images, onProgress: say });
      return 'etcd, API server, kubelet and containerd; two controllers and the node plugin of Sluice';
    });
    writeFiles(folder);
    // The step has set it, which the compiler does not see.
    const { plane, node } = cluster as Installed;
    const stage: Stage = { plane, node, folder, progress, signal };
    const scenes = [
      store,
      read,
      removeThin,
      ...(withoutJuiceFS === undefined ? [readTwiceByJuiceFS, removeJuiceFS] : []),
      ...(showsAlluxio ? [readTwice, removeAlluxio] : []),
    ];
    for (const scene of scenes) {
      signal.throwIfAborted();
      await scene(stage);
    }
    if (withoutJuiceFS !== undefined) progress.line(`\nThe demo leaves out JuiceFS, a cache: ${withoutJuiceFS}.`);
    if (withoutAlluxio !== undefined) progress.line(`\nThe demo leaves out Alluxio, a cache: ${withoutAlluxio}.`);
  } catch (error) {
    problem = error;
  }
  // Also after an interrupt.
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
  if (problem !== undefined && !signal.aborted) console.error(`\ndemo: ${problem instanceof Error ? problem.message : problem}`);
  const verdict = signal.aborted ? 'Interrupted after' : problem === undefined ? 'This part took' : 'Failed after';
  progress.line(`\n${verdict} ${secondsText(performance.now() - began)}.`);
  return signal.aborted ? 130 : problem === undefined ? 0 : 1;
}

/** An object store with a file. */
async function store({ plane: { kubectl }, folder, progress: { heading, step } }: Stage): Promise<void> {
  heading('kubectl apply -f minio.yaml');
  await step('MinIO', async () => {
    await kubectl('apply', '-f', join(folder, 'minio.yaml'));
    await kubectl('rollout', 'status', 'deployment/minio', '--timeout=60s');
    const put = 'echo fluid-minio-test > testfile && rclone copy testfile store:my-first-bucket';
    await kubectl('exec', 'deployment/minio', '-c', 'client', '--', 'sh', '-c', put);
    const keys = ['minio-access-key', 'minio-access-secret'].map((key) => `--from-literal=${key}=minioadmin`);
    await kubectl('create', 'secret', 'generic', 'minio-secret', ...keys);
    return 'serves my-first-bucket with one file, testfile';
  });
}
