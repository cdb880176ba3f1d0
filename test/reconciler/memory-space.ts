/** A namespace and its user, as tests on a real API server have them, beside the controller on the API server in memory. */
import { createSpace, PROFILE, profile, type Space, type Wait } from '../support/sluice.ts';
import { type Harness, type HarnessOptions, harness } from './harness.ts';

export interface MemorySpace extends Space {
  readonly at: Harness;
  /** Time goes on, half a second after each try. */
  readonly eventually: Wait;
}

/** A controller that leads, and a user. There is no kubectl. */
export async function memorySpace(options: HarnessOptions = {}): Promise<MemorySpace> {
  const at = await harness(options);
  at.put(profile(PROFILE));
  at.start();
  return spaceOf(at, 'memory');
}

/** Another namespace beside that of `memorySpace`. */
export async function spaceOf(at: Harness, namespace: string): Promise<MemorySpace> {
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
  return {
    ...space,
    at,
    eventually,
    events: async (name) =>
      at.events
        .filter(({ regarding }) => regarding.name === name && regarding.namespace === namespace)
        .map(({ type, reason, note }) => `${type} ${reason}: ${note}`),
  };
}
