import { describe, expect, test } from 'vitest';
import { additionsIn } from '../../../src/planning/diff/additions.ts';

const rendered = {
  hostNetwork: true,
  serviceAccountName: 'loader',
  containers: [
    {
      name: 'fuse',
      image: 'fuse:1',
      command: ['mount'],
      env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      ports: [{ name: 'metrics', containerPort: 9100 }],
      readinessProbe: { httpGet: { port: 9100 } },
      volumeMounts: [{ name: 'config', mountPath: '/config' }],
    },
  ],
  volumes: [
    { name: 'config', configMap: { name: 'config' } },
    { name: 'scratch', emptyDir: {} },
    { name: 'host', hostPath: { path: '/mnt' } },
  ],
};
/** As the API server stores it. */
const stored = {
  ...rendered,
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  securityContext: {},
  serviceAccount: 'loader',
  containers: [
    {
      ...rendered.containers[0]!,
      imagePullPolicy: 'IfNotPresent',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      env: [{ name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } }],
      ports: [{ name: 'metrics', containerPort: 9100, hostPort: 9100, protocol: 'TCP' }],
      readinessProbe: {
        httpGet: { port: 9100, path: '/', scheme: 'HTTP' },
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    },
  ],
  volumes: [
    { name: 'config', configMap: { name: 'config', defaultMode: 420 } },
    { name: 'scratch', emptyDir: {} },
    { name: 'host', hostPath: { path: '/mnt', type: '' } },
  ],
};
const client = stored.containers[0]!;
const withClient = (more: object) => ({ ...stored, containers: [{ ...client, ...more }] });

test('a default of the API server is no addition', () => expect(additionsIn(rendered, stored)).toEqual([]));

describe('an addition is', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['nodeSelector.gpu', { ...stored, nodeSelector: { gpu: 'true' } }],
    ['securityContext.runAsUser', { ...stored, securityContext: { runAsUser: 0 } }],
    ['containers[fuse].restartPolicy', withClient({ restartPolicy: 'Always' })],
    ['containers[evil]', { ...stored, containers: [client, { name: 'evil', image: 'evil' }] }],
    ['initContainers[evil]', { ...stored, initContainers: [{ name: 'evil' }] }],
    ['containers[fuse].env[LD_PRELOAD]', withClient({ env: [...client.env, { name: 'LD_PRELOAD', value: '/x' }] })],
    ['containers[fuse].envFrom', withClient({ envFrom: [{ configMapRef: { name: 'x' } }] })],
    ['containers[fuse].args', withClient({ args: ['x'] })],
    ['containers[fuse].command', withClient({ command: ['mount', '&&'] })],
    ['containers[fuse].lifecycle.postStart.exec.command', withClient({ lifecycle: { postStart: { exec: { command: ['sh'] } } } })],
    ['containers[fuse].securityContext.privileged', withClient({ securityContext: { privileged: true } })],
    ['containers[fuse].volumeMounts[/x]', withClient({ volumeMounts: [...client.volumeMounts, { name: 'host', mountPath: '/x' }] })],
    [
      'containers[fuse].readinessProbe.exec.command',
      withClient({ readinessProbe: { ...client.readinessProbe, exec: { command: ['sh'] } } }),
    ],
    ['volumes[root]', { ...stored, volumes: [...stored.volumes, { name: 'root', hostPath: { path: '/' } }] }],
    ['volumes[config].configMap.items', { ...stored, volumes: [{ name: 'config', configMap: { name: 'config', items: [{ key: 'a' }] } }] }],
    ['imagePullSecrets[x]', { ...stored, imagePullSecrets: [{ name: 'x' }] }],
  ])('%s', (path, live) => expect(additionsIn(rendered, live)).toEqual([path]));
});

test('a field that sidecars do not get is no addition', () =>
  expect(additionsIn(rendered, { ...stored, hostPID: true, tolerations: [{ operator: 'Exists' }], priorityClassName: 'high' })).toEqual(
    [],
  ));
