import { type CustomResource, nameRule, runtimeStatus, t, tieredStore } from '../../../src/api/index.ts';

export const exampleRuntimeSpec = t.Object({
  image: t.Optional(t.String()),
  /** One, or three that elect a leader. */
  masters: t.Optional(t.Integer({ minimum: 1, maximum: 3, default: 1 })),
  replicas: t.Optional(t.Integer({ minimum: 0, default: 1 })),
  tieredstore: t.Optional(tieredStore),
});
export type ExampleRuntimeSpec = t.Static<typeof exampleRuntimeSpec>;

export const ExampleRuntime = {
  kind: 'ExampleRuntime',
  plural: 'exampleruntimes',
  namespaced: true,
  description: 'A file system that does not exist.',
  scale: { selector: true },
  statusSubresource: true,
  spec: exampleRuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule],
} as const satisfies CustomResource;
