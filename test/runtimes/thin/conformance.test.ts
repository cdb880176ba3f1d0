import thin from '../../../runtimes/thin/index.ts';
import { base64 } from '../../../src/constructs/index.ts';
import { conformance } from '../../../src/testing/index.ts';
import { claim, given, secretOption } from './given.ts';

conformance(thin, {
  minimal: given(),
  full: given({
    annotations: { 'runtime.fluid.io/fuse.hostpid': 'true' },
    dataset: {
      accessModes: ['ReadWriteMany'],
      placement: 'Shared',
      sharedOptions: { region: 'eu' },
      sharedEncryptOptions: [secretOption('token', 'shared', 'token')],
      tolerations: [{ key: 'gpu', operator: 'Exists' }],
    },
    mounts: [
      { mountPoint: 's3://a', name: 'a', path: '/a', readOnly: true, options: { 'fluid.fuse.hostvolume': '/data:/cache' } },
      { mountPoint: 's3://b', name: 'b', shared: true, encryptOptions: [secretOption('key', 'own.with.dots', 'key')] },
    ],
    profile: {
      fileSystemType: 'fuse.s3fs',
      imagePullSecrets: [{ name: 'of-profile' }],
      fuse: {
        image: 'example.io/s3fs',
        imageTag: 'v1',
        imagePullPolicy: 'Always',
        args: ['--profile'],
        env: [
          { name: 'A', value: 'profile' },
          { name: 'B', value: 'profile' },
        ],
        ports: [{ name: 'metrics', containerPort: 9000 }],
        nodeSelector: { zone: 'profile', disk: 'ssd' },
        options: { allow_other: '', level: 'profile' },
        podMetadata: { labels: { team: 'profile' }, annotations: { note: 'profile' } },
        resources: { limits: { cpu: '2', memory: '1.5Gi' } },
        readinessProbe: { tcpSocket: { port: 9000 } },
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      },
      volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1024Mi' } }],
      worker: { image: 'example.io/cache', imageTag: 'v1', nodeSelector: { disk: 'ssd' } },
    },
    spec: {
      replicas: 2,
      imagePullSecrets: [{ name: 'of-runtime' }],
      tieredstore: { levels: [{ mediumtype: 'MEM', path: '/dev/shm', quota: '2Gi' }] },
      management: { metadataSyncPolicy: { autoSync: true } },
      volumes: [{ name: 'conf', configMap: { name: 'conf' } }],
      fuse: {
        imageTag: 'v2',
        env: [{ name: 'B', value: 'runtime' }],
        ports: [{ name: 'debug', containerPort: 9001 }],
        nodeSelector: { zone: 'runtime' },
        options: { level: 'runtime' },
        podMetadata: { labels: { team: 'runtime' } },
        resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } },
        lifecycle: { preStop: { exec: { command: ['fusermount', '-u', '/mnt'] } } },
        livenessProbe: { exec: { command: ['true'] } },
        volumeMounts: [{ name: 'conf', mountPath: '/etc/conf' }],
      },
      worker: { enabled: true, env: [{ name: 'W', value: '1' }], ports: [{ name: 'rpc', containerPort: 7000 }] },
    },
  }),
  'secret-storage': given({
    settings: { env: { THIN_FUSE_CONFIG_STORAGE: 'secret' } },
    mounts: [{ mountPoint: 's3://a', name: 'a', encryptOptions: [secretOption('key', 'keys', 'access')] }],
    facts: { secrets: { keys: { access: base64('päss') } } },
  }),
  'mount-template': given({
    settings: { image: 'example.io/sluice:v1' },
    profileAnnotations: {
      'data.fluid.io/mount-template':
        'program: s3fs\nargs: ["${mount.bucket}", "${targetPath}", -f]\nenv: { AWS_ACCESS_KEY_ID: "${secret.key}" }\n',
    },
    mounts: [{ mountPoint: 's3://a', name: 'a', encryptOptions: [secretOption('key', 'keys', 'access')] }],
  }),
  'mount-template-watched': given({
    settings: { image: 'example.io/sluice:v1' },
    profileAnnotations: {
      'data.fluid.io/mount-template': 'program: sshfs\neach: mounts\nonChange: remount\nargs: ["${mount.source}", "${mount.target}", -f]\n',
    },
    mounts: [
      { mountPoint: 'host:/a', name: 'a' },
      { mountPoint: 'host:/b', name: 'b' },
    ],
  }),
  'claim-copied-secret': given({
    mounts: [{ mountPoint: 'pvc://source', name: 'p' }],
    profile: {
      fileSystemType: 'alifuse.nas',
      fuse: { image: 'example.io/nas', networkMode: 'ContainerNetwork' },
      nodePublishSecretPolicy: 'CopyNodePublishSecretAndMountIfNotExists',
    },
    facts: {
      claims: { source: claim({ name: 'publish', namespace: 'storage' }) },
      secrets: { 'storage/publish': { key: base64('value') } },
    },
  }),
});
