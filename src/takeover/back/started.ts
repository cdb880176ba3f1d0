import type { FluidDeployment } from '../fluid/installation.ts';
import { some } from '../../planning/some.ts';
import type { Contribution } from '../go/step.ts';
import { STARTS_MS } from '../waits.ts';

/** Scales these up to what they had. More, as Fluid itself scales its controllers, is left. */
export function started(deployments: readonly FluidDeployment[], wanted: (name: string) => number): Contribution | undefined {
  const low = deployments.filter(({ name, replicas }) => replicas < wanted(name));
  if (low.length > 0) return { actions: low.map(({ name }) => ({ do: 'scale', deployment: name, replicas: wanted(name) })) };
  const late = deployments.filter(({ name, pods }) => pods.filter(({ isReady }) => isReady).length < wanted(name));
  return late.length > 0 ? { waitsFor: `${some(late.map(({ name }) => name))} ready`, withinMs: STARTS_MS } : undefined;
}
