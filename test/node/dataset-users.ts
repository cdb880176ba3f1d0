/** Users of datasets on a real node: pods and Jobs that read them, DataLoads; and what a dataset may not leave behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { BUSYBOX_IMAGE, FUSE_IMAGE } from '../../harness/index.ts';
import { createPod } from '../support/real-node.ts';
import { condition, eventually } from '../support/sluice.ts';
import type { AlluxioSpace } from './alluxio-space.ts';

/** For what hangs: a busy node is no failure. */
export const PATIENCE_S = 400;

export type Where = Pick<AlluxioSpace, 'cluster' | 'space'>;

export interface Reader {
  /** Runs a script; returns what it wrote. */
  sh(script: string): Promise<string>;
  /** Digest of a file, past the kernel's cache. */
  digest(path: string): Promise<string>;
}

const mounted = (claim: string) => ({
  container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] },
});

/** A pod that has the Dataset of a claim at /data, also what is mounted there later. */
export const followingPod = (name: string, claim: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: FUSE_IMAGE,
        command: ['tail', '-f', '/dev/null'],
        volumeMounts: [{ name: 'data', mountPath: '/data', mountPropagation: 'HostToContainer' }],
      },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
  },
});

/** A pod that has the dataset at /data for as long as it is there. */
export async function startReader({ cluster, space }: Where, name: string, claim: string): Promise<Reader> {
  const { namespace } = space;
  await createPod(cluster.plane, { name, namespace, image: BUSYBOX_IMAGE, script: 'exec tail -f /dev/null', ...mounted(claim) });
  await space.becomes('Pod', name, condition('Ready', { status: 'True' }), PATIENCE_S);
  const sh = (script: string) => cluster.plane.kubectl('exec', '-n', namespace, name, '--', 'sh', '-ec', script);
  return { sh, digest: (path) => sh(`dd if=${path} iflag=direct bs=128k 2>/dev/null | md5sum`) };
}

/** Runs a Job that has the dataset at /data, and may fail once; returns its status, and what it wrote. */
export async function runJob(where: Where, name: string, claim: string, script: string) {
  return runLabelledJob(where, name, claim, script, {});
}

/** The same, in a pod that gets a client of its own and needs no CSI plugin. */
export async function runServerlessJob(where: Where, name: string, claim: string, script: string) {
  return runLabelledJob(where, name, claim, script, { 'serverless.fluid.io/inject': 'true' });
}

async function runLabelledJob({ cluster, space }: Where, name: string, claim: string, script: string, labels: object) {
  const { container, spec } = mounted(claim);
  const containers = [{ name: 'main', image: BUSYBOX_IMAGE, command: ['sh', '-c', script], ...container }];
  const template = { metadata: { labels }, spec: { ...spec, restartPolicy: 'Never', containers } };
  const metadata = { name, namespace: space.namespace };
  await cluster.plane.kubectlApply(JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { backoffLimit: 1, template } }));
  const ended = {
    status: { conditions: expect.arrayContaining([expect.objectContaining({ type: expect.stringMatching(/^(Complete|Failed)$/) })]) },
  };
  const { status } = await space.becomes('Job', name, ended, PATIENCE_S);
  const { succeeded = 0, failed = 0 } = status as { readonly succeeded?: number; readonly failed?: number };
  const printed = await space.kubectl('logs', `job/${name}`, '-c', 'main');
  await space.delete('Job', name);
  await space.gone('Job', name);
  return { succeeded, failed, printed };
}

export const dataLoad = (name: string, dataset: string, path: string): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataLoad',
  metadata: { name },
  spec: { dataset: { name: dataset }, target: [{ path }] },
});

/** Blocks that workers keep on the node. */
export const cached = ({ cacheDir }: Pick<AlluxioSpace, 'cacheDir'>) =>
  readdirSync(cacheDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

/** Labels for Datasets of the namespace. */
export async function nodeLabels({ cluster, space }: Where): Promise<readonly string[]> {
  const node = await space.get('Node', cluster.node.name);
  return Object.keys(node.metadata.labels ?? {}).filter(
    (label) => /^fluid\.io\/(f|s)-/.test(label) && label.includes(`-${space.namespace}-`),
  );
}

/** Deletes the only Datasets that there are, one after the other, and waits until no trace of them is left. */
export async function deleteWhole(alluxio: AlluxioSpace, ...names: readonly string[]): Promise<void> {
  const { space } = alluxio;
  for (const name of names) {
    await space.delete('Dataset', name);
    await space.gone('Dataset', name, PATIENCE_S);
    await space.gone('AlluxioRuntime', name);
  }
  expect(cached(alluxio)).toEqual([]);
  await eventually(async () => {
    expect(await space.made()).toEqual([]);
    expect((await space.list('Pod')).map(({ metadata }) => metadata.name)).toEqual(['minio']);
    expect(await nodeLabels(alluxio)).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`/alluxio/${space.namespace}/`);
  }, PATIENCE_S);
}
