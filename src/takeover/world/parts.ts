import type { Manifest } from '../../api/index.ts';
import { webhookNames } from '../../api/webhook-names.ts';

/** The manifests of Sluice in the order in which a take-over needs them. */
export const PARTS = [
  'crds',
  /** The node plugin: beside another one, it waits. */
  'nodePlugin',
  'controller',
  /** The CSIDriver, which Fluid's plugin uses too. */
  'driver',
  'webhook',
  /** Objects that lead the API server to the webhook. */
  'entry',
  /** Roles of users, daemons of runtimes. */
  'rest',
] as const;
export type PartName = (typeof PARTS)[number];

/** Parts with workloads whose pods the API server refuses, and its answers. */
export type RefusedPods = ReadonlyMap<PartName, string>;

export const PART_WORDS: Readonly<Record<PartName, string>> = {
  crds: 'the custom resources',
  nodePlugin: "Sluice's node plugin",
  controller: "Sluice's controller",
  driver: 'the CSIDriver',
  webhook: "Sluice's webhook",
  entry: "the webhook's Service and configuration",
  rest: 'the rest',
};

/** Each part's manifests, in the order of the installation. */
export function partsOf(manifests: readonly Manifest[]): ReadonlyMap<PartName, readonly Manifest[]> {
  const namespace = manifests.find(({ kind }) => kind === 'Namespace')?.metadata.name;
  return new Map(PARTS.map((part) => [part, manifests.filter((manifest) => partOf(manifest, namespace) === part)]));
}

const ENTRY: ReadonlySet<string> = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
const COMPONENTS: Readonly<Record<string, PartName>> = { controller: 'controller', csi: 'nodePlugin', webhook: 'webhook' };

function partOf({ kind, metadata: { name, namespace, labels } }: Manifest, installed: string | undefined): PartName {
  if (kind === 'CustomResourceDefinition') return 'crds';
  if (kind === 'CSIDriver') return 'driver';
  if (ENTRY.has(kind) || (kind === 'Service' && name === webhookNames.service)) return 'entry';
  const component = COMPONENTS[labels?.['app.kubernetes.io/component'] ?? ''];
  if (component) return component;
  // Pods of the node plugin need both: the namespace, and the quota for their priority class.
  const isFirst = (kind === 'Namespace' && name === installed) || (kind === 'ResourceQuota' && namespace === installed);
  return isFirst ? 'nodePlugin' : 'rest';
}
