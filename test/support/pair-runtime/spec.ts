import { type CustomResource, nameRule, runtimeStatus, t } from '../../../src/api/index.ts';

export const pairRuntimeSpec = t.Object({
  image: t.Optional(t.String()),
  /** A ConfigMap of the user, whose files the pods mount. */
  hadoopConfig: t.Optional(t.String()),
  masters: t.Optional(t.Integer({ minimum: 1, maximum: 3, default: 3 })),
  replicas: t.Optional(t.Integer({ minimum: 0, default: 1 })),
});
export type PairRuntimeSpec = t.Static<typeof pairRuntimeSpec>;

export const PairRuntime = {
  kind: 'PairRuntime',
  plural: 'pairruntimes',
  namespaced: true,
  description: 'A file system that does not exist, in two generations.',
  scale: { selector: true },
  statusSubresource: true,
  spec: pairRuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule],
} as const satisfies CustomResource;
