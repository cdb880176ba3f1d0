import type { PodSpec } from '../../../src/api/index.ts';
import { datasetUsage } from '../../../src/webhook/plugins/dataset-usage.ts';
import { fuseSidecar } from '../../../src/webhook/plugins/fuse-sidecar.ts';
import { type AdmissionContext, mutate } from '../../../src/webhook/mutate.ts';
import type { Pod } from '../../../src/webhook/pod.ts';
import { type Cluster, knownOf } from '../known.ts';

/** A Dataset `ml/<name>` of JuiceFS, as Sluice sets it up. */
export const images = (name = 'images', fuse: Partial<PodSpec> = {}, sidecar = { caches: ['cache-dir-0'] }): Required<Cluster> => ({
  claims: { [`ml/${name}`]: { dataset: name } },
  datasets: {
    [`ml/${name}`]: {
      identity: { namespace: 'ml', name, uid: `uid-${name}`, collides: false },
      phase: 'Bound',
      runtime: { type: 'juicefs', namespace: 'ml', name },
    },
  },
  runtimes: { [`juicefs/ml/${name}`]: { cacheAffinity: [], scrapesSidecars: false } },
  volumes: {
    [`ml-${name}`]: {
      path: `/runtime-mnt/juicefs/ml/${name}/juicefs-fuse`,
      mountType: 'JuiceFS',
      subPath: '',
      claim: { namespace: 'ml', name },
    },
  },
  fuses: {
    [`ml/${name}`]: {
      sidecar,
      template: {
        spec: {
          hostNetwork: true,
          containers: [
            {
              name: 'juicefs-fuse',
              image: 'juicedata/mount:ce-v1.3.0',
              command: ['sh', '/root/script/script.sh'],
              ports: [{ name: 'metrics', containerPort: 14_002, hostPort: 14_002 }],
              lifecycle: { preStop: { exec: { command: ['sh', '-c', `umount /runtime-mnt/juicefs/ml/${name}/juicefs-fuse`] } } },
              securityContext: { privileged: true, runAsUser: 0 },
              volumeMounts: [
                { name: 'juicefs-fuse-mount', mountPath: `/runtime-mnt/juicefs/ml/${name}`, mountPropagation: 'Bidirectional' },
                { name: 'script', mountPath: '/root/script' },
                { name: 'cache-dir-0', mountPath: '/var/jfsCache' },
              ],
            },
          ],
          volumes: [
            { name: 'juicefs-fuse-mount', hostPath: { path: `/runtime-mnt/juicefs/ml/${name}`, type: 'DirectoryOrCreate' } },
            { name: 'script', configMap: { name: `${name}-fuse-script` } },
            { name: 'cache-dir-0', hostPath: { path: '/var/jfsCache' } },
            { name: 'unused', emptyDir: {} },
          ],
          ...fuse,
        },
      },
    },
  },
});

export const joined = (...clusters: readonly Required<Cluster>[]): Required<Cluster> => ({
  claims: Object.assign({}, ...clusters.map(({ claims }) => claims)),
  datasets: Object.assign({}, ...clusters.map(({ datasets }) => datasets)),
  runtimes: Object.assign({}, ...clusters.map(({ runtimes }) => runtimes)),
  fuses: Object.assign({}, ...clusters.map(({ fuses }) => fuses)),
  volumes: Object.assign({}, ...clusters.map(({ volumes }) => volumes)),
});

/** A pod that reads these claims at `/<claim>` and asks for sidecars. */
export const reader = (claims: readonly string[], more: Partial<PodSpec> = {}, metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'app', ...metadata, labels: { 'serverless.fluid.io/inject': 'true', ...metadata.labels } },
  spec: {
    containers: [{ name: 'main', image: 'busybox', volumeMounts: claims.map((claim) => ({ name: claim, mountPath: `/${claim}` })) }],
    volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    ...more,
  },
});

/** 0…, 1…: another each time. */
export function inject(pod: Pod, cluster: Cluster, settings: Partial<AdmissionContext['settings']> = {}): Pod {
  let drawn = 0;
  const chain = [fuseSidecar.configure(undefined), datasetUsage.configure(undefined)];
  return mutate(
    { pod, namespace: 'ml' },
    {
      known: knownOf(cluster),
      settings: { disabled: false, nativeSidecars: true, prefetcher: { image: 'sluice', isOurs: true }, ...settings },
      profile: {
        serverful: { withDataset: [], withoutDataset: [] },
        serverless: { withDataset: chain, withoutDataset: [] },
      },
      random: () => String(drawn++).repeat(12),
      warn: () => {},
    },
  );
}
