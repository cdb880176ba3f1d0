import { clientsOf, mountScript, parseFuseConfig, parseMountTemplate, realigningScript } from '../../src/fuse/index.ts';

/** config.json of the walk-through: one bucket, two options that are kept in a Secret. */
export const minio = {
  mounts: [
    {
      mountPoint: 'minio://my-first-bucket',
      options: {
        'minio-access-key': '/etc/fluid/secrets/minio-secret/minio-access-key',
        'minio-access-secret': '/etc/fluid/secrets/minio-secret/minio-access-secret',
        'minio-url': 'http://minio:9000',
      },
      name: 'minio',
    },
  ],
  targetPath: '/runtime-mnt/thin/default/minio-demo/thin-fuse',
};

export const config = (value: object) => parseFuseConfig(JSON.stringify(value));
export const template = (value: object) => parseMountTemplate(JSON.stringify({ program: 'client', ...value }));

/** One mount with these options on a directory; what a template makes of it. */
export const withOptions = (options: Readonly<Record<string, string>>, more: object = {}) =>
  config({ mounts: [{ mountPoint: 's3://bucket', name: 'a', options }], targetPath: '/mnt', ...more });
export const clients = (of: object, value: object) => clientsOf(template(of), config(value));
export const script = (of: object, value: object, directory?: string) => mountScript(clients(of, value), directory);
export const realigning = (of: object, value: object, directory: string) => realigningScript(clients(of, value), directory);
