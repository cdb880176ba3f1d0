import { admitted, readmitted } from '../admissions.ts';
import { A, B, CANARY, V } from '../scene.ts';
import { claimsIn, type Invariant } from './invariant.ts';
import { around } from './texts.ts';

/** No pod of the victim gets a container with a text of the attacker. */
export const victimsPodsAreTheirs: Invariant = (world) =>
  claimsIn(world, [V]).flatMap(({ metadata: { name } }) => {
    const pod = JSON.stringify(admitted(world, V, name) ?? '');
    return pod.includes(CANARY) ? [`a pod of ${V} that reads ${name} gets ${around(pod, CANARY)}`] : [];
  });

/** Admissions of the attacker's pods do no more work than they may, and fail in no way that is not a denial: they throw otherwise. */
export const admissionsAreBounded: Invariant = (world) => {
  const own = world.server.all('Pod').filter(({ metadata: { namespace } }) => namespace === A || namespace === B);
  for (const pod of own) readmitted(world, pod);
  return [];
};
