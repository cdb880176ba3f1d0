import efc from '../../../runtimes/efc/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { given, workers } from './given.ts';

conformance(efc, {
  minimal: given(),
  'memory-of-nodes': given({
    facts: { pods: { worker: workers('10.0.0.1', '10.0.0.2') } },
    spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] } },
  }),
  cpfs: given({
    mounts: [{ mountPoint: 'cpfs://cpfs-0a-0b.cn-hangzhou.cpfs.aliyuncs.com:/share/images', name: 'images' }],
    dataset: { placement: 'Shared', accessModes: ['ReadWriteMany'], tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    spec: { replicas: 1 },
  }),
  'clients-alone': given({ spec: { master: { disabled: true }, worker: { disabled: true } } }),
  everything: given({
    facts: { ports: {} },
    settings: { imagePullSecrets: ['registry'] },
    spec: {
      replicas: 1,
      podMetadata: { labels: { team: 'ml' } },
      cleanCachePolicy: { gracePeriodSeconds: 30, maxRetryAttempts: 2 },
      master: {
        replicas: 2,
        version: { image: 'example.io/master', imageTag: 'v2', imagePullPolicy: 'Always' },
        properties: { m: '1' },
        networkMode: 'ContainerNetwork',
        nodeSelector: { role: 'master' },
        resources: { limits: { cpu: '1' } },
      },
      worker: {
        version: { imageTag: 'v2' },
        properties: { w: '1' },
        networkMode: 'ContainerNetwork',
        podMetadata: { annotations: { a: 'b' } },
      },
      fuse: {
        properties: { g_tier_EnableClusterCachePrefetch: 'false' },
        networkMode: 'ContainerNetwork',
        nodeSelector: { zone: 'a' },
        cleanPolicy: 'OnDemand',
      },
      tieredstore: { levels: [{ mediumtype: 'SSD', path: '/mnt/a', quota: '20Gi', volumeType: 'emptyDir' }] },
    },
  }),
});
