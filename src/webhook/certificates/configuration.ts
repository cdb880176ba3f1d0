import { webhookNames } from '../../api/webhook-names.ts';
import { type Clock, createSteadiness } from '../../kube/clock.ts';
import type { KubeClient } from '../../kube/contract.ts';
import { type Log, type ResourceType, resourceType } from '../../kube/types.ts';
import { reflect, type ReflectorStatus } from '../../kube/watch/reflector.ts';
import { bundlePatch, bundlesOf, entriesFor } from './ca-bundle.ts';

const ADMISSION = 'admissionregistration.k8s.io';
export const CONFIGURATION = resourceType(ADMISSION, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations', false);

/** A configuration of one of the two kinds. */
export interface WatchedConfiguration {
  readonly type: ResourceType;
  readonly name: string;
  /** The consequence for objects while none of its entries leads to this webhook. */
  readonly without: string;
}
/** The configuration for pods. */
export const POD_CONFIGURATION: WatchedConfiguration = {
  type: CONFIGURATION,
  name: webhookNames.configuration,
  without: 'pods that ask for sidecars start without them',
};
/** The configuration for objects of Sluice's kinds. */
export const VALIDATION_CONFIGURATION: WatchedConfiguration = {
  type: resourceType(ADMISSION, 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations', false),
  name: webhookNames.validation,
  without: 'Datasets, runtimes and operations are stored without being judged',
};

export interface ConfigurationOptions {
  readonly watched: WatchedConfiguration;
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
/** The configuration by which API servers ask this webhook, and trust it. */
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

export function watchConfiguration(options: ConfigurationOptions): Configuration {
  const { watched, client, namespace, signal, onChange, onEntries, log, clock } = options;
  const { type, name } = watched;
  const excess = createSteadiness<string>(clock);
  let entries: number | undefined;
  const watch = reflect(client, type, {
    fieldSelector: `metadata.name=${name}`,
    log,
    clock,
    onChange: changed,
    onSynced: changed,
  });
  const current = () => watch.get(undefined, name);

  /** A webhook that nobody asks can deny nothing: only the log and the metric tell that it is not asked. */
  function changed(): void {
    onChange();
    if (!watch.status.synced) return;
    const count = entriesFor(current(), namespace);
    if (count === entries) return;
    entries = count;
    onEntries(count);
    const fields = { configuration: name, entries: count };
    if (count > 0) log.info(fields, 'API servers ask this webhook');
    else log.warn(fields, `no entry of the ${type.kind} leads to this webhook: ${watched.without}`);
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
      await client.patch(type, { name }, patch, { type: 'json', signal, retries: 0 });
      log.info({ configuration: name, entries: patch.length / 2 }, 'wrote the CA bundle');
    },
    stop: watch.stop,
  };
}
