/** The CA bundle of a webhook configuration: pure. */
import { webhookNames } from '../../api/webhook-names.ts';
import type { KubeObject } from '../../kube/types.ts';
import { certificatesIn } from './material.ts';

interface Entry {
  readonly name?: string;
  readonly clientConfig?: {
    readonly caBundle?: string;
    readonly url?: string;
    readonly service?: { readonly namespace?: string; readonly name?: string };
  };
}

/**
 * The JSON Patch that gives every entry of this webhook the bundle; empty if they have it. An entry of another namespace's Service is that
 * of another installation, which keeps a bundle of its own.
 */
export const bundlePatch = (configuration: KubeObject, namespace: string, bundle: string): readonly object[] =>
  entriesOf(configuration).flatMap((entry, i) =>
    !isOurs(entry, namespace) || entry.clientConfig?.caBundle === bundle
      ? []
      : [
          // The list may have changed since it was read.
          { op: 'test', path: `/webhooks/${i}/name`, value: entry.name },
          { op: 'add', path: `/webhooks/${i}/clientConfig/caBundle`, value: bundle },
        ],
  );

/** How many of its entries make API servers ask this webhook. */
export const entriesFor = (configuration: KubeObject | undefined, namespace: string): number =>
  configuration ? entriesOf(configuration).filter((entry) => isOurs(entry, namespace)).length : 0;

/** The authorities of each entry of this webhook, in PEM. */
export const bundlesOf = (configuration: KubeObject, namespace: string): readonly (readonly string[])[] =>
  entriesOf(configuration)
    .filter((entry) => isOurs(entry, namespace))
    .map(({ clientConfig }) => certificatesIn(Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString('utf8')));

const entriesOf = (configuration: KubeObject) => (configuration['webhooks'] ?? []) as readonly Entry[];

const isOurs = ({ clientConfig: { url, service } = {} }: Entry, namespace: string): boolean =>
  url !== undefined || (service?.namespace === namespace && service.name === webhookNames.service);
