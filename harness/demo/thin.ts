/** docs/thin-runtime.md: a FUSE client that starts where a pod reads, and ends with the last one. */
import { join } from 'node:path';
import { until } from './steps.ts';
import { assertUnlabelled, hasRun, ours, PODS, type Stage, type Status, statusOf, timeline } from './stage.ts';

export async function read(stage: Stage): Promise<void> {
  const { plane, folder, progress, signal } = stage;
  progress.heading('kubectl apply -f profile.yaml -f dataset.yaml; kubectl apply -f pod.yaml   (docs/thin-runtime.md)');
  const apply = (...files: readonly string[]) => plane.kubectl('apply', ...files.flatMap((file) => ['-f', join(folder, file)]));
  const { print, reached } = timeline(stage);
  await apply('profile.yaml', 'dataset.yaml');
  print('ThinRuntimeProfile, Dataset and ThinRuntime are applied');
  await reached('Dataset minio-demo is Bound', async () => (await statusOf(stage, ours('datasets', 'minio-demo'))).phase === 'Bound');
  await apply('pod.yaml');
  print('pod test-minio, which reads, is applied');
  const marks: [string, number][] = [];
  const runsFuse = async () => {
    const { items } = (await plane.get(`${PODS}?labelSelector=release%3Dminio-demo`)) as {
      readonly items: readonly { readonly status: Status }[];
    };
    return items.some((pod) => hasRun(pod.status));
  };
  const runsPod = async () => hasRun(await statusOf(stage, `${PODS}/test-minio`));
  await until(signal, runsFuse, 'the fuse pod runs');
  marks.push(['the fuse pod runs on the node of pod test-minio (reported by the kubelet)', Date.now()]);
  await until(signal, runsPod, 'pod test-minio runs');
  marks.push(['pod test-minio runs (reported by the kubelet)', Date.now()]);
  await plane.kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/test-minio', '--timeout=60s');
  const [at = '', ...text] = (await plane.kubectl('logs', '--timestamps', 'test-minio')).trim().split(' ');
  marks.push([`pod test-minio has read: ${text.join(' ')}`, Date.parse(at)]);
  // The kubelet may report that a pod runs after it has done its work.
  for (const mark of marks.toSorted(([, a], [, b]) => a - b)) print(...mark);
}

export async function removeThin(stage: Stage): Promise<void> {
  const { kubectl } = stage.plane;
  stage.progress.heading('kubectl delete pod test-minio; kubectl delete dataset minio-demo');
  await stage.progress.step('removal', async (say) => {
    await kubectl('delete', 'pod', 'test-minio');
    say('waiting until the fuse pod is deleted after the last pod that reads');
    await kubectl('wait', '--for=delete', 'pod', '-l', 'release=minio-demo', '--timeout=60s');
    await kubectl('delete', 'dataset', 'minio-demo', '--timeout=60s');
    await assertUnlabelled(stage);
    return 'the fuse pod, the volume and the label of the node are deleted';
  });
}
