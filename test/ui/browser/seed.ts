/** A small company's caches: Datasets of several kinds that work, that wait, and whose pods crash. */
import type { KubeObject } from '../../../src/kube/types.ts';
import { alluxioRuntime, datasetObject, jfsDataset, jfsRuntime, jfsSecret, openDataset, reader } from '../../support/objects.ts';
import type { Space } from '../../support/sluice.ts';
import type { World } from './world.ts';

const operation = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name },
  spec: spec as Record<string, unknown>,
});
const load = (name: string, dataset: string, namespace: string, more: object = {}): KubeObject =>
  operation('DataLoad', name, { dataset: { name: dataset, namespace }, ...more });

const alluxio = (name: string): readonly KubeObject[] => [
  openDataset(name, { placement: 'Shared', mounts: [{ mountPoint: `s3://lake/${name}`, name: 'data' }] }),
  alluxioRuntime(name, { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/cache', quota: '4Gi' }] } }),
];
const juicefs = (name: string, replicas = 2): readonly KubeObject[] => [jfsDataset(name), jfsRuntime(name, { replicas })];

/** Fills the world. @returns the spaces by the names of their namespaces */
export async function seed(world: World): Promise<Readonly<Record<'vision' | 'speech' | 'ranking', Space>>> {
  const [vision, speech, ranking] = await Promise.all([world.space('vision'), world.space('speech'), world.space('ranking')]);
  await vision.create(jfsSecret(), ...juicefs('imagenet'), ...juicefs('laion-art', 3), ...alluxio('satellite'));
  await speech.create(jfsSecret(), ...alluxio('librispeech'), ...juicefs('common-voice'), ...juicefs('podcasts', 1));
  // No Secret, a Dataset without a runtime, and one whose mount no runtime can serve.
  await ranking.create(
    ...juicefs('clicks'),
    openDataset('features'),
    datasetObject('archive', { mounts: [{ mountPoint: 'local:///mnt/archive', name: 'archive' }] }),
  );
  await Promise.all([
    vision.bound('JuiceFSRuntime', 'imagenet'),
    vision.bound('JuiceFSRuntime', 'laion-art'),
    speech.bound('AlluxioRuntime', 'librispeech'),
  ]);
  await vision.create(...Array.from({ length: 4 }, (_, i) => reader(`train-resnet-${i}`, 'imagenet')));
  await speech.create(reader('transcribe-0', 'librispeech'));
  await vision.create(
    load('warm', 'imagenet', 'vision'),
    operation('DataProcess', 'resize', {
      dataset: { name: 'imagenet', namespace: 'vision', mountPath: '/data' },
      processor: { script: { image: 'registry.example/tools', imageTag: '1', source: 'resize /data' } },
      runAfter: { kind: 'DataLoad', name: 'warm', namespace: 'vision' },
    }),
    load('nightly', 'imagenet', 'vision', { policy: 'Cron', schedule: '0 3 * * *' }),
  );
  await speech.create(load('warm-once', 'librispeech', 'speech', { loadMetadata: true }));
  return { vision, speech, ranking };
}

/** The state of a pod that the kubelet starts again and again, as the kubelet reports it. */
export async function crash(space: Space, pod: string, message: string): Promise<void> {
  const found = await space.get('Pod', pod);
  const { containers = [] } = found['spec'] as { containers?: readonly { readonly name: string; readonly image: string }[] };
  const finishedAt = new Date().toISOString();
  const containerStatuses = containers.map(({ name, image }) => ({
    name,
    image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 6,
    state: { waiting: { reason: 'CrashLoopBackOff', message: `back-off 2m40s restarting failed container=${name}` } },
    lastState: { terminated: { exitCode: 1, reason: 'Error', message, startedAt: finishedAt, finishedAt } },
  }));
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({
    type,
    status: 'False',
    reason: 'ContainersNotReady',
    lastTransitionTime: finishedAt,
  }));
  await space.patch('Pod', pod, { status: { containerStatuses, conditions } }, 'status');
}
