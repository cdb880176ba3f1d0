import { webhookNames } from '../../api/webhook-names.ts';
import { labels as labelsOf } from '../../install/labels.ts';
import type { KubeObject } from '../../kube/types.ts';
import { ownedKinds, Secret } from '../../planning/kinds.ts';
import { MutatingWebhookConfiguration } from '../fluid/names.ts';
import { isSluices } from '../world/pieces.ts';
import type { Action, Contribution, Step } from '../steps/step.ts';
import { partRemoved } from './removed.ts';
import { started, stopped, webhooksOf } from '../world/fluid-deployments.ts';
import type { BackWorld } from './world.ts';

/**
 * Fluid's webhook makes an authority of its own when it starts, unless the certificate is valid for half a year, and has API servers trust
 * that alone, while the Service leads to Sluice's pods. It renews nothing while it runs. Sluice's pods take what the Secret has.
 */
export const certificateLasts: Step<BackWorld> = {
  title: "The webhook's certificate lasts without Sluice",
  does: "Write a certificate for ten years into the webhook's Secret if the one there ends within two, and wait until the API server trusts it.",
  of(world) {
    const { service } = world.fluid.webhook;
    const webhooks = webhooksOf(world);
    // Fluid's webhook serves by now, with what it has read.
    if (webhooks.length === 0 || !service || !isSluices(service)) return undefined;
    const { lasting, isTrusted } = world.certificate;
    if (lasting) return stopped(webhooks) ?? { actions: [{ do: 'restore', type: Secret, object: lasting }] };
    const waitsFor = `${webhookNames.configuration} has the authority of the certificate`;
    // Without a webhook of Sluice, nobody but Fluid's would write it.
    return isTrusted ? undefined : { waitsFor, withinMs: 60_000, isOptional: true };
  },
};

export const fluidWebhookReady: Step<BackWorld> = {
  title: "Fluid's webhook is ready",
  does: "Scale Fluid's webhook to the replicas that it had, and wait until its pods are ready, beside Sluice's.",
  of: (world) => started(webhooksOf(world), (name) => world.record.replicas[name] ?? 0),
};

/**
 * Sluice's pods answer until the Service leads to none of them. Its configuration asks for another port than Fluid's. The Service has both
 * ports, since Sluice's was applied over Fluid's, until that is restored: so the configuration goes first, with a reading in between.
 */
export const entryRestored: Step<BackWorld> = {
  title: "The API server asks Fluid's webhook",
  does: 'Restore the recorded configuration and Service of the webhook.',
  of({ record: { objects }, fluid, sluice }) {
    const { service, configuration } = fluid.webhook;
    const asks: readonly Action[] =
      objects.configuration && configuration && isSluices(configuration)
        ? [{ do: 'restore', type: MutatingWebhookConfiguration, object: trusting(objects.configuration, configuration) }]
        : [];
    const leads: readonly Action[] =
      objects.service && service && isSluices(service) ? [{ do: 'restore', type: ownedKinds.Service, object: objects.service }] : [];
    if (asks.length > 0) return { actions: hasPorts(service, objects.configuration) ? asks : [...leads, ...asks] };
    if (leads.length > 0) return { actions: leads };
    const own = new Set(sluice.webhook.map(({ name }) => name));
    const isLed = !objects.service || sluice.endpoints?.every((pod) => !own.has(pod)) !== false;
    return isLed ? undefined : { waitsFor: 'the Service leads to no pod of sluice-webhook', withinMs: 30_000 };
  },
};

/** Whether a Service has each port for which a configuration asks; without one there, that is 443. */
function hasPorts(service: KubeObject | undefined, configuration: KubeObject | undefined): boolean {
  const { ports = [] } = (service?.['spec'] ?? {}) as { readonly ports?: readonly { readonly port: number }[] };
  const { webhooks = [] } = (configuration ?? {}) as unknown as Entries;
  return webhooks.every(({ clientConfig }) => ports.some(({ port }) => port === (clientConfig?.service?.port ?? 443)));
}

interface Entries {
  readonly webhooks?: readonly { readonly clientConfig?: { readonly caBundle?: string; readonly service?: { readonly port?: number } } }[];
}

/** The recorded configuration with the CA bundle of now, which Fluid's webhook has written since. */
function trusting(recorded: KubeObject, live: KubeObject): KubeObject {
  const bundle = ((live as unknown as Entries).webhooks ?? [])
    .map(({ clientConfig }) => clientConfig?.caBundle)
    .find((each) => each !== undefined);
  const { webhooks = [] } = recorded as unknown as Entries;
  if (bundle === undefined) return recorded;
  return { ...recorded, webhooks: webhooks.map((entry) => ({ ...entry, clientConfig: { ...entry.clientConfig, caBundle: bundle } })) };
}

export const sluiceWebhookGone: Step<BackWorld> = {
  title: "Sluice's webhook is gone",
  does: "Delete Sluice's webhook, and what else leads to it.",
  of: (world) => partRemoved(world, 'entry', []) ?? partRemoved(world, 'webhook', world.sluice.webhook) ?? unlabelled(world),
};

/** Removes Sluice's labels from the Secret, by which `sluice uninstall` would delete it. */
function unlabelled({ fluid: { namespace, webhook } }: BackWorld): Contribution | undefined {
  const { labels = {} } = webhook.secret?.metadata ?? {};
  const own = Object.keys(labels).filter((key) => key in OWN);
  if (own.length === 0) return undefined;
  const patch = { metadata: { labels: Object.fromEntries(own.map((key) => [key, null])) } };
  const object = { type: Secret, namespace, name: webhookNames.secret };
  return { actions: [{ do: 'patch', object, patch, says: "remove Sluice's labels of …" }] };
}
const OWN = labelsOf('webhook');
