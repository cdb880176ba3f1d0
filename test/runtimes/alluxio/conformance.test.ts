import alluxio from '../../../runtimes/alluxio/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { bucket, given, secret } from './given.ts';

conformance(alluxio, {
  minimal: given(),
  'tiers-and-mounts': given({
    mounts: [
      { ...bucket, readOnly: true, encryptOptions: [secret('s3a.secretKey')] },
      { mountPoint: 'local:///mnt/disk', name: 'disk' },
      { mountPoint: 'pvc://home/models', name: 'models', readOnly: true },
    ],
    dataset: {
      sharedOptions: { 'alluxio.underfs.s3.endpoint': 'http://minio:9000' },
      sharedEncryptOptions: [secret('s3a.accessKeyId')],
      placement: 'Shared',
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }] } },
    },
    spec: {
      replicas: 2,
      tieredstore: {
        levels: [
          { mediumtype: 'SSD', path: '/mnt/a,/mnt/b', quotaList: '10Gi,20Gi', high: '0.9', low: '0.5' },
          { mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' },
        ],
      },
    },
  }),
  everything: given({
    dataset: {
      accessModes: ['ReadWriteMany'],
      owner: { uid: 1005, gid: 1006, user: 'du', group: 'dg' },
      dataRestoreLocation: { path: 'pvc://backups/alluxio' },
    },
    mounts: [{ ...bucket, path: '/', encryptOptions: [secret('s3a.secretKey')] }],
    facts: { configMaps: { hadoop: ['core-site.xml', 'other'] } },
    spec: {
      replicas: 1,
      alluxioVersion: { image: 'example.io/alluxio', imageTag: 'v9', imagePullPolicy: 'Always' },
      properties: { 'alluxio.user.block.size.bytes.default': '64MB' },
      jvmOptions: ['-Xss1m'],
      apiGateway: { enabled: true, resources: { limits: { cpu: '1' } }, properties: { 'alluxio.web.cors.enabled': 'true' } },
      master: {
        env: { M: '1' },
        properties: { 'alluxio.master.metastore': 'HEAP' },
        jvmOptions: ['-Xmx1G'],
        nodeSelector: { role: 'master' },
      },
      jobMaster: { resources: { requests: { cpu: '100m' } }, env: { J: '1' } },
      worker: {
        env: { W: '1' },
        jvmOptions: ['-Xmx1G'],
        resources: { limits: { memory: '8Gi' } },
        volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
      },
      jobWorker: { jvmOptions: ['-Xmx512m'] },
      fuse: {
        imageTag: '2.9.4',
        env: { F: '1' },
        resources: { limits: { memory: '4Gi' } },
        cleanPolicy: 'OnDemand',
        nodeSelector: { zone: 'a' },
      },
      tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi', volumeType: 'emptyDir' }] },
      volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      runAs: { uid: 1000, gid: 1001, user: 'ru', group: 'rg' },
      data: { replicas: 2 },
      disablePrometheus: true,
      hadoopConfig: 'hadoop',
      podMetadata: { labels: { team: 'ml' } },
      imagePullSecrets: [{ name: 'registry' }],
    },
  }),
  'three-masters': given({
    spec: { replicas: 1, master: { replicas: 3 }, apiGateway: { enabled: true } },
  }),
  'container-network': given({
    facts: { ports: {} },
    spec: { replicas: 1, master: { networkMode: 'ContainerNetwork' }, worker: { networkMode: 'ContainerNetwork' } },
  }),
});
