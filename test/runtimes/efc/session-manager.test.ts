/** The daemon that clients of EFC need on their nodes. */
import { expect, test } from 'vitest';
import efc from '../../../runtimes/efc/index.ts';
import type { Manifest } from '../../../src/api/index.ts';

const installed = { namespace: 'fluid-system', mountRoot: '/mnt/fuse', kubeletDir: '/var/lib/kubelet', imagePullSecrets: [], env: {} };
const daemon = (env: Readonly<Record<string, string>> = {}) =>
  efc.install({ ...installed, daemons: ['efc'], env }).find(({ kind }) => kind === 'DaemonSet') as Manifest;

test('is printed only for an installation that asks for it, with its namespace first', () => {
  expect(efc.install({ ...installed, daemons: ['other'] })).toEqual([]);
  expect(efc.install({ ...installed, daemons: ['efc'] }).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Namespace efc-system',
    'DaemonSet efc-sessmgr',
  ]);
});
test('has the name, the selector and the node label of Fluid’s, so that it continues where that one stopped', () =>
  expect(daemon()).toMatchObject({
    metadata: { name: 'efc-sessmgr', namespace: 'efc-system' },
    spec: {
      selector: { matchLabels: { app: 'efc-sessmgr' } },
      template: { metadata: { labels: { app: 'efc-sessmgr' } }, spec: { nodeSelector: { 'fluid.io/efc-sessmgr': 'true' } } },
    },
  }));
test('has its socket where volumes and clients look for it, and only the container that prepares the node is privileged', () =>
  expect(daemon()).toMatchObject({
    spec: {
      template: {
        spec: {
          hostNetwork: true,
          priorityClassName: 'system-node-critical',
          initContainers: [{ name: 'init-fuse', args: ['init_fuse', 'false', 'none'], securityContext: { privileged: true } }],
          containers: [
            {
              name: 'sessmgr',
              args: ['sessmgr'],
              securityContext: { privileged: false },
              volumeMounts: [{ name: 'efc-sock', mountPath: '/var/run/efc' }],
            },
          ],
          volumes: [{ name: 'efc-sock', hostPath: { path: '/mnt/fuse/efc-sock', type: 'DirectoryOrCreate' } }],
        },
      },
    },
  }));
test('has the images and the update strategy of the controller’s environment', () => {
  expect(daemon()).toMatchObject({
    spec: {
      updateStrategy: { type: 'RollingUpdate' },
      template: {
        spec: {
          initContainers: [{ image: 'registry.cn-zhangjiakou.aliyuncs.com/nascache/init-alifuse:v1.2.2-19dcee9' }],
          containers: [{ image: 'registry.cn-zhangjiakou.aliyuncs.com/nascache/efc-fuse:v1.2.2-19dcee9' }],
        },
      },
    },
  });
  const env = {
    EFC_SESSMGR_IMAGE_ENV: 'example.io/s:1',
    EFC_INIT_FUSE_IMAGE_ENV: 'example.io/i:2',
    EFC_SESSMGR_UPDATE_STRATEGY_ENV: 'OnDelete',
  };
  expect(daemon(env)).toMatchObject({
    spec: {
      updateStrategy: { type: 'OnDelete' },
      template: { spec: { initContainers: [{ image: 'example.io/i:2' }], containers: [{ image: 'example.io/s:1' }] } },
    },
  });
});
test('has the pull secrets of the installation, also if it is one', () => {
  const podOf = (imagePullSecrets: readonly { readonly name: string }[]) =>
    efc.install({ ...installed, daemons: ['efc'], imagePullSecrets }).find(({ kind }) => kind === 'DaemonSet');
  expect(podOf([{ name: 'one' }])).toMatchObject({ spec: { template: { spec: { imagePullSecrets: [{ name: 'one' }] } } } });
  expect(podOf([])).not.toHaveProperty('spec.template.spec.imagePullSecrets');
});
