import juicefs from '../../../runtimes/juicefs/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { community, enterprise, secret } from './given.ts';

conformance(juicefs, {
  minimal: community(),
  'community-tier': community({
    annotations: { 'runtime.fluid.io/fuse.hostpid': 'true' },
    dataset: {
      sharedOptions: { 'attr-cache': '600' },
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }] } },
    },
    mount: {
      mountPoint: 'juicefs:///team a',
      options: { storage: 's3', bucket: 'http://minio:9000/data?a=1&b=2', quota: '10Gi' },
      encryptOptions: ['metaurl', 'access-key', 'secret-key', 'encrypt-rsa-key'].map((name) => secret(name)),
    },
    spec: {
      replicas: 2,
      juicefsVersion: { image: 'juicedata/juicefs-fuse', imageTag: 'ce-v1.1.1', imagePullPolicy: 'Always' },
      imagePullSecrets: [{ name: 'registry' }],
      configs: ["trash-days=0 it's quoted"],
      tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm/a:/dev/shm/b', quota: '4Gi', low: '0.1' }] },
      podMetadata: { labels: { team: 'ml' }, annotations: { note: 'runtime' } },
      volumes: [{ name: 'conf', configMap: { name: 'conf' } }],
      worker: {
        env: [{ name: 'W', value: '1' }],
        nodeSelector: { disk: 'ssd' },
        options: { writeback: '' },
        resources: { limits: { memory: '6144Mi' } },
        volumeMounts: [{ name: 'conf', mountPath: '/etc/conf' }],
      },
      fuse: {
        cleanPolicy: 'OnFuseChanged',
        nodeSelector: { zone: 'a' },
        options: { 'buffer-size': '300', debug: '' },
        podMetadata: { annotations: { note: 'fuse' } },
      },
    },
  }),
  'community-empty-dir': community({
    dataset: { placement: 'Shared', accessModes: ['ReadWriteMany'] },
    spec: {
      replicas: 1,
      tieredstore: {
        levels: [
          { mediumtype: 'SSD', path: '/cache', quota: '10Gi', volumeType: 'emptyDir', volumeSource: { emptyDir: { sizeLimit: '10Gi' } } },
        ],
      },
    },
  }),
  'community-container-network': community({
    facts: { ports: {} },
    spec: { replicas: 1, worker: { networkMode: 'ContainerNetwork' }, fuse: { networkMode: 'ContainerNetwork' } },
  }),
  'community-claims': community({
    spec: {
      replicas: 3,
      volumeClaimTemplates: [
        { metadata: { name: 'disk' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Gi' } } } },
      ],
      worker: { volumeMounts: [{ name: 'disk', mountPath: '/var/jfsCache' }] },
    },
  }),
  'enterprise-token': enterprise({
    mount: {
      options: { bucket: 'http://minio:9000/test' },
      encryptOptions: ['token', 'access-key', 'secret-key'].map((name) => secret(name)),
    },
    spec: {
      replicas: 2,
      configs: ['no-update=false', 'console-url=http://console'],
      tieredstore: { levels: [{ mediumtype: 'SSD', path: '/data/jfs', quota: '20Gi', low: '0.2' }] },
    },
  }),
});
