/** The CA bundle of the MutatingWebhookConfiguration: pure. */
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

/** Whether every entry of this webhook has all of these authorities, in PEM; it may have others. */
export const hasAll = (configuration: KubeObject, namespace: string, authorities: readonly string[]): boolean =>
  entriesOf(configuration)
    .filter((entry) => isOurs(entry, namespace))
    .every(({ clientConfig }) => {
      const bundle = certificatesIn(Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString('utf8'));
      return authorities.every((authority) => bundle.includes(authority));
    });

/** Whether API servers that read this configuration trust one of these authorities, in PEM, for every entry of this webhook. */
export const isTrusted = (configuration: KubeObject, namespace: string, authorities: readonly string[]): boolean =>
  entriesOf(configuration)
    .filter((entry) => isOurs(entry, namespace))
    .every(({ clientConfig }) => {
      const bundle = certificatesIn(Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString('utf8'));
      return authorities.some((authority) => bundle.includes(authority));
    });

const entriesOf = (configuration: KubeObject) => (configuration['webhooks'] ?? []) as readonly Entry[];

const isOurs = ({ clientConfig: { url, service } = {} }: Entry, namespace: string): boolean =>
  url !== undefined || (service?.namespace === namespace && service.name === webhookNames.service);
