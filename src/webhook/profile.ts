import type { Mutation } from './admission.ts';

/** The chains of plugins, of the ConfigMap `webhook-plugins`. */
export interface Profile {
  readonly serverful: { readonly withDataset: readonly Mutation[]; readonly withoutDataset: readonly Mutation[] };
  readonly serverless: { readonly withDataset: readonly Mutation[]; readonly withoutDataset: readonly Mutation[] };
}
