import cache from '../../../runtimes/cache/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { plainfs } from '../../support/plainfs.ts';
import { given, plainClass } from './given.ts';

const keys = (secret: string) => [
  { name: 'access', valueFrom: { secretKeyRef: { name: secret, key: 'id' } } },
  { name: 'secret', valueFrom: { secretKeyRef: { name: secret, key: 'secret' } } },
];
const dataOperationSpecs = [{ name: 'DataLoad' as const, args: ['load'] }];
const { worker, client } = plainClass.topology ?? {};

conformance(cache, {
  minimal: given({ type: { dataOperationSpecs } }),
  'whole-class': given({ type: plainfs }),
  'keys-and-tiers': given({
    type: plainfs,
    mounts: [
      { mountPoint: 's3://bucket', name: 'data', encryptOptions: keys('minio'), options: { endpoint: 'http://minio:9000' } },
      { mountPoint: 's3://other', name: 'other', path: '/deep/other', encryptOptions: keys('other.keys'), readOnly: true },
    ],
    spec: {
      worker: {
        replicas: 3,
        resources: { limits: { memory: '1Gi' } },
        tieredStore: {
          levels: [
            { processMemory: { quota: '2Gi' }, high: '0.9', low: '0.5' },
            { emptyDir: { quota: '1Gi' } },
            { hostPath: { paths: ['/mnt/a', '/mnt/b'], quotas: ['10Gi', '20Gi'], type: 'DirectoryOrCreate' } },
          ],
        },
      },
      client: { tieredStore: { levels: [{ emptyDir: { quota: '1Gi', medium: 'Memory' } }] } },
    },
  }),
  'workers-alone': given({ type: { topology: worker ? { worker } : {}, dataOperationSpecs } }),
  'clients-alone': given({ type: { topology: client ? { client } : {} } }),
  everything: given({
    type: plainfs,
    dataset: { placement: 'Shared', accessModes: ['ReadWriteMany'], tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    spec: {
      options: { level: 'runtime' },
      podMetadata: { labels: { team: 'ml' }, annotations: { a: 'b' } },
      imagePullSecrets: [{ name: 'registry' }],
      volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      master: {
        replicas: 3,
        options: { journal: '/other' },
        runtimeVersion: { image: 'example.io/plainfs', imageTag: '2', imagePullPolicy: 'Never' },
        args: ['--master'],
        env: [{ name: 'M', value: '1' }],
        nodeSelector: { role: 'master' },
        tolerations: [{ operator: 'Exists' }],
      },
      worker: { podMetadata: { labels: { role: 'worker' } }, volumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }] },
      client: { nodeSelector: { zone: 'a' }, resources: { limits: { cpu: '1' } }, cleanPolicy: 'OnDemand' },
    },
  }),
});
