/** A small cdk8s app: a dataset, the cache that serves it, and a Deployment that reads it. `cdk8s synth` writes it to dist/. */
import { App, Chart } from 'cdk8s';
import { Deployment } from 'cdk8s-plus-27';
import { Dataset, JuiceFSRuntime } from '../src/cdk8s.ts';

const app = new App();
const chart = new Chart(app, 'training', { namespace: 'ml' });

const dataset = new Dataset(chart, 'images', {
  metadata: { name: 'images' },
  spec: {
    mounts: [
      {
        mountPoint: 'juicefs:///',
        name: 'images',
        options: { storage: 'minio', bucket: 'http://minio.ml:9000/images' },
        encryptOptions: [
          { name: 'metaurl', valueFrom: { secretKeyRef: { name: 'juicefs', key: 'metaurl' } } },
          { name: 'access-key', valueFrom: { secretKeyRef: { name: 'juicefs', key: 'access-key' } } },
          { name: 'secret-key', valueFrom: { secretKeyRef: { name: 'juicefs', key: 'secret-key' } } },
        ],
      },
    ],
  },
});

new JuiceFSRuntime(chart, 'cache', {
  metadata: { name: dataset.name },
  spec: { replicas: 2, tieredstore: { levels: [{ mediumtype: 'SSD', path: '/var/cache/juicefs', quota: '40Gi', low: '0.1' }] } },
});

const training = new Deployment(chart, 'training', { containers: [{ image: 'registry.example/train:1' }] });
training.containers[0]?.mount('/data', dataset.volume, { readOnly: true });

app.synth();
