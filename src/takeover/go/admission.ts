import type { Step } from '../steps/step.ts';
import { accountsOf, hasAccount } from '../world/admission.ts';
import type { World } from '../world/world.ts';

/** While Fluid's controllers still run: a pod that is refused later would leave the cluster without a controller. */
export const podsAdmitted: Step<World> = {
  title: "The API server admits Sluice's pods",
  does: 'Apply the ServiceAccounts of controller and webhook, then create a pod of each as a dry run.',
  of({ target, sluice, refused, fluid }) {
    // Once they are stopped, a step that needs a refused pod reports the refusal.
    if (fluid.deployments.every(({ role, replicas }) => role === 'webhook' || replicas === 0)) return undefined;
    const manifests = accountsOf(target).filter(({ metadata: { name } }) => !hasAccount(sluice, name));
    if (manifests.length > 0) return { actions: [{ do: 'apply', part: 'accounts', says: 'the ServiceAccounts', manifests }] };
    return refused.size > 0 ? { refusal: [...refused.values()] } : undefined;
  },
};
