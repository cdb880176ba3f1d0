import { webhookNames } from '../../api/webhook-names.ts';
import { type Clock, createSteadiness } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { type Log, resourceType } from '../../kube/types.ts';
import { reflect, type ReflectorStatus } from '../../kube/watch/reflector.ts';
import { bundlePatch, bundlesOf, entriesFor } from './ca-bundle.ts';

const ADMISSION = 'admissionregistration.k8s.io';
export const CONFIGURATION = resourceType(ADMISSION, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false);

export interface ConfigurationOptions {
  readonly client: KubeClient;
  /** The namespace of the Service. */
  readonly namespace: string;
  /** Ends requests. */
  readonly signal: AbortSignal;
  /** Called for each change, and when it is known whether the configuration exists. */
  readonly onChange: () => void;
  /** Called with the number of entries by which API servers ask this webhook: when it is known, and when it is another one. */
  readonly onEntries: (count: number) => void;
  readonly log: Log;
  readonly clock: Clock;
}
/** The MutatingWebhookConfiguration by which API servers ask this webhook, and trust it. */
export interface Configuration {
  readonly status: ReflectorStatus;
  /** Whether API servers trust one of these authorities, in PEM. Without a configuration they do not call this process. */
  trusts(authorities: readonly string[]): boolean;
  /** The JSON Patch that gives it these authorities; empty: it has them, or has others too and not for long. */
  patchFor(authorities: readonly string[]): readonly object[];
  patch(patch: readonly object[]): Promise<void>;
  stop(): void;
}

/** Authorities that the bundle does not need are removed after this time. Replicas whose clocks differ disagree about that. */
const EXCESS_MS = 3600_000;

export function watchConfiguration({ client, namespace, signal, onChange, onEntries, log, clock }: ConfigurationOptions): Configuration {
  const excess = createSteadiness<string>(clock);
  let entries: number | undefined;
  const watch = reflect(client, CONFIGURATION, {
    fieldSelector: `metadata.name=${webhookNames.configuration}`,
    log,
    clock,
    onChange: changed,
    onSynced: changed,
  });
  const current = () => watch.get(undefined, webhookNames.configuration);

  /** A webhook that nobody asks can deny nothing: only the log and the metric tell that pods start without their sidecars. */
  function changed(): void {
    onChange();
    if (!watch.status.synced) return;
    const count = entriesFor(current(), namespace);
    if (count === entries) return;
    entries = count;
    onEntries(count);
    const fields = { configuration: webhookNames.configuration, entries: count };
    if (count > 0) log.info(fields, 'API servers ask this webhook');
    else
      log.warn(fields, 'no entry of the MutatingWebhookConfiguration leads to this webhook: pods that ask for sidecars start without them');
  }

  return {
    get status() {
      return watch.status;
    },
    trusts(authorities) {
      const configuration = current();
      if (!configuration) return true;
      return bundlesOf(configuration, namespace).every((bundle) => authorities.some((each) => bundle.includes(each)));
    },
    patchFor(authorities) {
      const configuration = current();
      if (!configuration) return [];
      const bundle = Buffer.from(authorities.join('')).toString('base64');
      const patch = bundlePatch(configuration, namespace, bundle);
      if (patch.length === 0) return [];
      const hasAll = bundlesOf(configuration, namespace).every((each) => authorities.every((authority) => each.includes(authority)));
      if (hasAll && excess.ofMs(bundle) < EXCESS_MS) return [];
      excess.forget();
      return patch;
    },
    async patch(patch) {
      const options = { type: 'json', signal, retries: 0 } as const;
      await client.patch(CONFIGURATION, { name: webhookNames.configuration }, patch, options);
      log.info({ configuration: webhookNames.configuration, entries: patch.length / 2 }, 'wrote the CA bundle');
    },
    stop: watch.stop,
  };
}
