import jindo from '../../../runtimes/jindo/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { bucket, fsx, given, keys, secret } from './given.ts';

const levels = [{ mediumtype: 'SSD' as const, path: '/mnt/a,/mnt/b', quotaList: '10Gi,20Gi', high: '0.9', low: '0.5' }];

conformance(jindo, {
  minimal: given(),
  'keys-and-tiers': given({
    mounts: [
      { ...bucket, encryptOptions: keys },
      {
        mountPoint: 'oss://other/',
        name: 'other',
        options: { 'fs.oss.endpoint': 'oss2.example', metaPolicy: 'ALWAYS' },
        encryptOptions: keys,
      },
    ],
    spec: { replicas: 2, tieredstore: { levels } },
  }),
  'many-stores': given({
    mounts: [
      {
        mountPoint: 's3://bucket/a',
        name: 's3',
        options: { 'fs.s3.endpoint': 'e', 'fs.s3.region': 'r', 'fs.s3.accessKeyId': 'i', 'fs.s3.accessKeySecret': 's' },
      },
      { mountPoint: 'cos://bucket/a', name: 'cos', options: { 'fs.cos.endpoint': 'e' } },
      { mountPoint: 'obs://bucket/a', name: 'obs', options: { 'fs.obs.endpoint': 'e' } },
      { mountPoint: 'hdfs://cluster/a', name: 'hdfs', options: { 'fs.hdfs.nameservices': 'cluster' } },
      { mountPoint: 'local:///mnt/disk', name: 'disk' },
      { mountPoint: 'pvc://home/models', name: 'models', readOnly: true },
    ],
    dataset: { placement: 'Shared', accessModes: ['ReadWriteMany'], tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    facts: { configMaps: { hadoop: ['hdfs-site.xml', 'core-site.xml'] } },
    spec: { replicas: 1, hadoopConfig: 'hadoop' },
  }),
  'three-masters': given({ spec: { replicas: 1, master: { replicas: 3 }, worker: { podMetadata: { labels: { team: 'ml' } } } } }),
  'clients-alone': given({ spec: { master: { disabled: true }, worker: { disabled: true } } }),
  everything: given({
    annotations: { 'fluid.io/runtime-rpc-protocol': 'rdma' },
    settings: {
      env: { JINDO_DNS_SERVER_ENV: '10.0.0.53', USE_DEFAULT_MEM_LIMIT: 'true', QUERY_UFS_TOTAL: 'true', INIT_PORT_CHECK_ENABLED: 'true' },
    },
    spec: {
      replicas: 1,
      jindoVersion: { image: 'example.io/smartdata', imageTag: '6.7.0', imagePullPolicy: 'IfNotPresent' },
      user: 'hdfs',
      secret: 'store',
      labels: { team: 'ml' },
      imagePullSecrets: [{ name: 'registry' }],
      logConfig: { 'logger.level': '3' },
      master: {
        env: { M: '1' },
        properties: { 'namespace.x': 'm' },
        nodeSelector: { role: 'master' },
        tolerations: [{ operator: 'Exists' }],
      },
      worker: { env: { W: '1' }, resources: { limits: { memory: '200Gi' } }, volumeMounts: [{ name: 'ca', mountPath: '/ca' }] },
      fuse: {
        imageTag: '6.2.0',
        env: { F: '1' },
        metrics: { enabled: true, scrapeTarget: 'All' },
        logConfig: { 'logger.level': '3' },
        properties: { 'fs.x': 'f' },
        nodeSelector: { zone: 'a' },
        resources: { limits: { cpu: '1' } },
      },
      tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm,/dev/shm2', quotaList: '60Gi,60Gi' }] },
      volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    },
  }),
  'pod-network': given({
    facts: { ports: {} },
    spec: {
      replicas: 1,
      networkmode: 'ContainerNetwork',
      fuse: { metrics: { enabled: true } },
      tieredstore: { levels: [{ mediumtype: 'MEM', path: '/cache', quota: '500Mi', volumeType: 'emptyDir' }] },
    },
  }),
  jindofsx: fsx({
    mounts: [{ ...bucket, encryptOptions: keys }],
    spec: { replicas: 1, tieredstore: { levels } },
  }),
  'jindofsx-before-files': fsx({
    mounts: [{ ...bucket, encryptOptions: [secret('fs.oss.accessKeyId', 'id'), secret('fs.oss.accessKeySecret', 'secret')] }],
    facts: { secrets: { oss: { id: 'aWQ=', secret: 'a2V5' } } },
    spec: { replicas: 1, jindoVersion: { imageTag: '4.5.1' }, tieredstore: { levels } },
  }),
});
