/** Which container of which pod says how a Job ended. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../src/kube/types.ts';
import type { ClusterContext } from '../../../src/reconciler/kubernetes/cluster-context.ts';
import { lastPod } from '../../../src/reconciler/operations/job-pods.ts';

/** An exit code, and the minute in which the container ended; undefined if it has not. */
type End = readonly [exitCode: number, minute: number] | undefined;

const statusesOf = (ends: Readonly<Record<string, End>>) =>
  Object.entries(ends).map(([name, end]) => ({
    name,
    state: end
      ? { terminated: { exitCode: end[0], message: `end of ${name}`, finishedAt: `2026-01-01T00:${String(end[1]).padStart(2, '0')}:00Z` } }
      : { waiting: { reason: 'PodInitializing' } },
  }));
const pod = (
  name: string,
  containers: Readonly<Record<string, End>>,
  initContainers: Readonly<Record<string, End>> = {},
  sidecars: readonly string[] = [],
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ml' },
  spec: {
    nodeName: 'node-1',
    containers: Object.keys(containers).map((each) => ({ name: each })),
    initContainers: Object.keys(initContainers).map((each) => ({
      name: each,
      ...(sidecars.includes(each) && { restartPolicy: 'Always' }),
    })),
  },
  // The kubelet lists the statuses of containers by name.
  status: {
    containerStatuses: statusesOf(containers).toSorted((a, b) => a.name.localeCompare(b.name)),
    initContainerStatuses: statusesOf(initContainers),
  },
});

async function last(...items: readonly KubeObject[]) {
  // The cast: it asks for nothing else.
  const context = { client: { list: async () => ({ items }) }, store: { node: () => undefined } } as unknown as ClusterContext;
  const found = await lastPod(context, { namespace: 'ml' }, { uid: 'u' });
  return found && [found.name, found.exitCode, found.message];
}

test.each<[string, readonly KubeObject[], unknown]>([
  ['an init container that failed', [pod('p', { main: undefined }, { 'login-to': [1, 1] })], ['p', 1, 'end of login-to']],
  ['the container that failed, although another ended later', [pod('p', { main: [3, 1], other: [0, 2] })], ['p', 3, 'end of main']],
  ['of several that failed, the one that failed first', [pod('p', { main: [3, 2], other: [4, 1] })], ['p', 4, 'end of other']],
  ['the first container if all succeeded', [pod('p', { work: [0, 1], after: [0, 2] }, { login: [0, 0] })], ['p', 0, 'end of work']],
  [
    'the first container, although a sidecar was killed at the end',
    [pod('p', { main: [0, 1] }, { mesh: [143, 2] }, ['mesh'])],
    ['p', 0, 'end of main'],
  ],
  [
    'the last of several pods, although only an earlier one failed',
    [pod('old', { main: [3, 1] }), pod('new', { main: [0, 5] }), pod('middle', { main: [4, 3] })],
    ['new', 0, 'end of main'],
  ],
  [
    'a pod that has ended rather than one that has only logged in',
    [pod('old', { main: [3, 1] }), pod('new', { main: undefined }, { login: [0, 4] })],
    ['old', 3, 'end of main'],
  ],
  ['nothing while no container has ended', [pod('p', { main: undefined })], undefined],
])('what a Job ended with is that of %s', async (_, pods, expected) => expect(await last(...pods)).toEqual(expected));
