/** A namespace and its user, as tests on a real API server have them, beside the controller on the API server in memory. */
import { expect, onTestFinished } from 'vitest';
import type { KubeObject } from '../../src/kube/types.ts';
import { type MemoryExec, memoryExec } from '../support/memory-exec.ts';
import { createSpace, PROFILE, profile, removeSpaces, type Space, type Wait } from '../support/sluice.ts';
import { type Harness, type HarnessOptions, harness } from './harness.ts';

export interface MemorySpace extends Space {
  readonly at: Harness;
  /** Answers of pods to commands. */
  readonly exec: MemoryExec;
  /** Time goes on, half a second after each try. */
  readonly eventually: Wait;
  /** Labels of nodes that name the namespace. */
  nodeLabels(): Promise<Readonly<Record<string, string>>>;
  /** Deletes the Dataset, with which everything goes that was made for it. */
  leavesNothing(name?: string): Promise<void>;
}

type MemoryOptions = Omit<HarnessOptions, 'exec'> & { readonly exec?: MemoryExec };

/** A controller that leads, and a user. There is no kubectl. At the end of the test the controller lets every object go. */
export async function memorySpace({ exec = memoryExec(), ...options }: MemoryOptions = {}): Promise<MemorySpace> {
  const at = await harness({ ...options, exec: exec.exec });
  at.put(profile(PROFILE));
  at.start();
  return spaceOf({ at, exec }, 'memory');
}

/** Another namespace beside that of `memorySpace`. */
export async function spaceOf({ at, exec }: Pick<MemorySpace, 'at' | 'exec'>, namespace: string): Promise<MemorySpace> {
  const eventually: Wait = async (check, seconds = 30) => {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      try {
        await at.settle();
        return await check();
      } catch (error) {
        if (Date.now() >= end) throw error;
        await at.advance(500);
      }
    }
  };
  const client = at.server.client({ fieldManager: 'sluice-tests' });
  const noKubectl = { kubectl: () => Promise.reject(new Error('expected no call of kubectl: the API server is in memory')) };
  const space = await createSpace(noKubectl, client, namespace, true, eventually);
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') await removeSpaces(client, [space], eventually);
  });
  const nodeLabels = async () =>
    Object.fromEntries(
      (await space.list('Node')).flatMap(({ metadata }) =>
        Object.entries(metadata.labels ?? {}).filter(([key]) => key.includes(`-${namespace}-`)),
      ),
    );
  return {
    ...space,
    at,
    exec,
    eventually,
    nodeLabels,
    async leavesNothing(name = 'demo') {
      await space.delete('Dataset', name);
      await space.gone('Dataset', name);
      await eventually(async () => expect(await space.made()).toEqual([]));
      await eventually(async () => expect(await nodeLabels()).toEqual({}));
    },
    events: async (name) =>
      at.events
        .filter(({ regarding }) => regarding.name === name && regarding.namespace === namespace)
        .map(({ type, reason, note }) => `${type} ${reason}: ${note}`),
  };
}

/** An operation on Dataset `demo`. */
export const operation = (kind: 'DataLoad' | 'DataProcess', name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind,
  metadata: { name },
  spec: { dataset: { name: 'demo', ...(kind === 'DataProcess' && { mountPath: '/data' }) }, ...spec },
});
