import { some } from '../../planning/some.ts';
import { STARTS_MS } from '../steps/waits.ts';
import { hasWebhook } from './controllers.ts';
import { living, waitingFor } from '../steps/pieces.ts';
import { undoers } from '../world/fluid-deployments.ts';
import { applied } from '../world/pieces.ts';
import type { Step } from '../steps/step.ts';
import type { World } from '../world/world.ts';

export const webhookReady: Step<World> = {
  title: "Sluice's webhook is ready",
  does: "Apply Sluice's webhook beside Fluid's, and wait until its pods are ready.",
  of(world) {
    if (!hasWebhook(world)) return undefined;
    const pods = living(world.sluice.webhook);
    const isReady = pods.length > 0 && pods.every((pod) => pod.isReady);
    return applied(world, 'webhook') ?? (isReady ? undefined : waitingFor('the pods of sluice-webhook are ready', STARTS_MS, pods));
  },
};

/** Fluid's pods answer until the Service leads to none of them. */
export const webhookEntered: Step<World> = {
  title: "The API server asks Sluice's webhook",
  does: "Apply Service and configuration of the webhook, which then lead to Sluice's pods.",
  of(world) {
    if (!hasWebhook(world)) return undefined;
    const { webhook, endpoints } = world.sluice;
    const own = new Set(webhook.map(({ name }) => name));
    const others = endpoints?.filter((pod) => !own.has(pod)) ?? [];
    const isLed = endpoints === undefined || (endpoints.length > 0 && others.length === 0);
    const elsewhere = others.length > 0 ? `, and no longer to ${some(others)}` : '';
    return (
      applied(world, 'entry') ??
      (isLed ? undefined : { waitsFor: `the Service leads to pods of sluice-webhook${elsewhere}`, withinMs: 30_000 })
    );
  },
  undoneBy: (world) => undoers(world, []),
};
