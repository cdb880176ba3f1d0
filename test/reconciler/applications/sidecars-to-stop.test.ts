import { describe, expect, test } from 'vitest';
import { type ApplicationSettings, sidecarsToStop } from '../../../src/reconciler/applications/sidecars-to-stop.ts';
import { unmountOf } from '../../../src/reconciler/applications/sidecars-to-stop.ts';
import { injectionOptionsOf } from '../../../src/webhook/injection-options.ts';
import { type PodOptions, podOf, preStop } from './pods.ts';

const stopped = (options?: PodOptions, settings?: ApplicationSettings) =>
  sidecarsToStop(podOf(options), settings).flatMap(({ container, isRunning }) => (isRunning ? container : []));

describe('the sidecars of a pod are stopped', () => {
  test('when everything else has ended', () => {
    expect(sidecarsToStop(podOf())).toEqual([
      {
        container: 'fluid-fuse-0',
        id: 'containerd://fluid-fuse-0-1',
        isRunning: true,
        hasOwnProcesses: true,
        unmount: ['sh', '-c', 'umount "/a b"; rmdir /c'],
      },
    ]);
  });
  test.each<[string, PodOptions]>([
    ['with any exit code under Never', { states: { 'fluid-fuse-0': 'running', main: 3 } }],
    ['with exit code 0 under OnFailure', { restartPolicy: 'OnFailure' }],
    ['on the platform unprivileged', { annotations: { 'serverless.fluid.io/platform': 'unprivileged' } }],
    [
      'with a policy of the container that starts it no more',
      { restartPolicy: 'OnFailure', states: { 'fluid-fuse-0': 'running', main: 1 }, fields: { main: { restartPolicy: 'Never' } } },
    ],
  ])('%s', (_, options) => {
    expect(stopped(options)).toEqual(['fluid-fuse-0']);
  });
  test.each<[string, PodOptions['labels']]>([
    ['the older label', { 'fuse.sidecar.fluid.io/inject': 'true' }],
    ['the platform label', { 'acme.io/platform': 'default' }],
    ['the label unprivileged', { 'serverless.fluid.io/inject': 'true', 'unprivileged.sidecar.fluid.io/inject': 'true' }],
  ])('with %s though an annotation, which the webhook passes over too, names another platform', (_, labels = {}) => {
    const annotations = { 'serverless.fluid.io/platform': 'acme' };
    expect(
      injectionOptionsOf({ metadata: { labels, annotations }, spec: { containers: [] } }, 'serverless', 'acme.io/platform'),
    ).toBeDefined();
    expect(stopped({ labels, annotations }, { platformLabel: 'acme.io/platform' })).toEqual(['fluid-fuse-0']);
  });
  test('all of them: clients, what belongs to a client, and the prefetcher', () => {
    const states = {
      'fluid-fuse-1': 'running',
      'fluid-fuse-0': 'running',
      'fluid-fuse-0-log': 'running',
      'fluid-file-prefetcher': 'running',
    } as const;
    expect(stopped({ states: { ...states, main: 0, second: 1 } })).toEqual(Object.keys(states));
  });
  test('the prefetcher of a pod without clients', () => {
    const labels = { 'dataset-name.sidecar.fluid.io/fluid-fuse-0': '', 'dataset-name.sidecar.fluid.io/fluid-fuse-1': '' };
    const states = { 'fluid-file-prefetcher': 'running', main: 0 } as const;
    expect(stopped({ labels: { ...labels, 'fuse.serverful.fluid.io/inject': 'true' }, states })).toEqual(['fluid-file-prefetcher']);
  });
  test('without one that has ended already', () => {
    expect(stopped({ states: { 'fluid-fuse-1': 0, 'fluid-fuse-0': 'running', main: 0 } })).toEqual(['fluid-fuse-0']);
  });
});

describe('no sidecar is stopped', () => {
  const rule = (action: string, operator: string, values: readonly number[]) => ({
    main: { restartPolicy: 'Never', restartPolicyRules: [{ action, exitCodes: { operator, values } }] },
  });
  test.each<[string, PodOptions, ApplicationSettings?]>([
    ['while another container runs', { states: { 'fluid-fuse-0': 'running', main: 0, second: 'running' } }],
    ['while another container has not started', { states: { 'fluid-fuse-0': 'running', main: 'waiting' } }],
    ['of a container that is restarted after a failure', { restartPolicy: 'OnFailure', states: { 'fluid-fuse-0': 'running', main: 1 } }],
    ['of a container that a rule restarts', { states: { 'fluid-fuse-0': 'running', main: 42 }, fields: rule('Restart', 'In', [42]) }],
    [
      'of a container that a negative rule restarts',
      { states: { 'fluid-fuse-0': 'running', main: 1 }, fields: rule('Restart', 'NotIn', [0]) },
    ],
    ['of a Deployment', { restartPolicy: 'Always' }],
    ['of a pod that is being deleted, whose containers the kubelet stops', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
    ['of a pod that has not started', { phase: 'Pending' }],
    ['of a pod that is over', { phase: 'Failed' }],
    ['of a pod that consists of sidecars', { states: { 'fluid-fuse-0': 'running' } }],
    ['of a pod without the label', { labels: { 'done.sidecar.fluid.io/inject': 'false' } }],
    ['of another platform', { annotations: { 'serverless.fluid.io/platform': 'acme' } }],
    ['of another platform, named by a label', { labels: { 'acme.com/platform': 'acme' } }, { platformLabel: 'acme.com/platform' }],
    ['of a pod with the label of KEY_DISABLE_APP_CONTROLLER', { labels: { 'acme.com/keep': '' } }, { exceptLabel: 'acme.com/keep' }],
    ['that a user named like a client', { states: { 'my-fluid-fuse': 'running', main: 0 } }],
    ['that a user named like a client that is not recorded', { states: { 'fluid-fuse-7': 'running', main: 0 } }],
    [
      'that a user named like the prefetcher',
      { states: { 'fluid-file-prefetcher': 'running', main: 0 }, annotations: { 'file-prefetcher.fluid.io/inject-done': 'false' } },
    ],
  ])('%s', (_, options, settings) => {
    expect(stopped(options, settings)).toEqual([]);
  });
  test('while it waits for its restart, though it has not ended', () => {
    const pod = podOf({ restartPolicy: 'OnFailure', states: { 'fluid-fuse-0': 1, main: 0 } });
    expect(sidecarsToStop(pod)).toMatchObject([{ container: 'fluid-fuse-0', isRunning: false }]);
  });
});

describe('a client is unmounted', () => {
  const container = (fields: object) => ({ name: 'fluid-fuse-0', ...fields });
  const mounts = (name: string) => ({
    volumeMounts: [
      { name: 'other', mountPath: '/x' },
      { name, mountPath: '/runtime-mnt/a', mountPropagation: 'Bidirectional' },
    ],
  });
  test('by its own preStop, as it is written: no guard refuses it', () => {
    expect(unmountOf(container(preStop('sh', '-c', 'a && b; $(c) | d')))).toEqual(['sh', '-c', 'a && b; $(c) | d']);
  });
  test('else at FLUID_FUSE_MOUNTPOINT', () => {
    const env = [{ name: 'FLUID_FUSE_MOUNTPOINT', value: '/jfs/jindofs-fuse' }];
    expect(unmountOf(container({ env, ...mounts('a') }))).toEqual(['umount', '/jfs/jindofs-fuse']);
  });
  test.each([
    ['juicefs-fuse-mount-0', '/runtime-mnt/a/juicefs-fuse'],
    ['fluid-abc-alluxio-fuse-mount-1', '/runtime-mnt/a/alluxio-fuse'],
    ['mine', '/runtime-mnt/a'],
  ])('else in the directory of its volume %s', (name, path) => {
    expect(unmountOf(container(mounts(name)))).toEqual(['umount', path]);
  });
  test('by nothing, if it mounts nowhere', () => {
    expect(unmountOf(container({}))).toBeUndefined();
  });
});
