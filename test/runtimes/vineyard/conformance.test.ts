import vineyard from '../../../runtimes/vineyard/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { given, memory, podNetwork } from './given.ts';

conformance(vineyard, {
  minimal: given(),
  'etcd-of-three': given({ spec: { master: { replicas: 3 } } }),
  'external-etcd': given({
    facts: { ports: { rpc: 32003 } },
    spec: { master: { endpoint: { uri: 'http://etcd-0.etcd:2379,https://10.0.0.7:2379' } } },
  }),
  everything: given({
    facts: { ports: {} },
    dataset: {
      placement: 'Shared',
      accessModes: ['ReadWriteMany'],
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' }] }] } },
    },
    spec: {
      replicas: 3,
      podMetadata: { labels: { team: 'ml' } },
      master: {
        ...podNetwork,
        image: 'example.io/etcd',
        imageTag: '3.5',
        env: { ETCD_SNAPSHOT_COUNT: '5000' },
        ports: { client: 12379, peer: 12380 },
        nodeSelector: { disk: 'ssd' },
        volumeMounts: [{ name: 'etcd', mountPath: '/etcd-data' }],
        resources: { limits: { cpu: '1' } },
      },
      worker: {
        ...podNetwork,
        imageTag: 'v0.24.2',
        imagePullPolicy: 'Always',
        env: { GLOG_v: '1' },
        options: { 'vineyardd.reserve.memory': 'false', 'etcd.prefix': '/ml', 'wait.etcd.timeout': '60' },
        ports: { rpc: 9700 },
        podMetadata: { labels: { team: 'ml-workers' } },
        volumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
        resources: { requests: { cpu: '2' } },
      },
      fuse: {
        ...podNetwork,
        imageTag: 'v0.24.2',
        env: { F: '1' },
        options: { size: '1Gi', spill_path: '/tmp' },
        resources: { limits: { memory: '2Gi' } },
        podMetadata: { annotations: { a: 'b' } },
        cleanPolicy: 'OnDemand',
      },
      tieredstore: {
        levels: [
          { mediumtype: 'MEM', quota: '2Gi', high: '0.9', low: '0.5' },
          { mediumtype: 'SSD', path: '/mnt/spill', quota: '10Gi' },
        ],
      },
      volumes: [
        { name: 'etcd', persistentVolumeClaim: { claimName: 'etcd' } },
        { name: 'ca', configMap: { name: 'ca' } },
      ],
    },
  }),
  'spill-in-pod': given({
    spec: {
      tieredstore: { levels: [...memory.levels, { mediumtype: 'HDD', volumeType: 'emptyDir', path: '/spill', quota: '1Gi', high: '0.7' }] },
    },
  }),
});
