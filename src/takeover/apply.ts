import type { Manifest } from '../api/index.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { KubeObject } from '../kube/types.ts';
import { typeOfManifest } from '../planning/kinds.ts';

/**
 * The field manager of manifests: that of `kubectl apply --server-side`, by which they are applied again at the next upgrade. Under another
 * one, each field that an upgrade changes would be a conflict.
 */
const MANAGER = 'kubectl';

/** Applies manifests in their order: a namespace before what is in it. */
export async function applyAll(client: KubeClient, manifests: readonly (Manifest | KubeObject)[]): Promise<void> {
  // The casts: a manifest is an object whose shape the API server knows.
  for (const manifest of manifests)
    await client.apply(typeOfManifest(manifest as Manifest), manifest as KubeObject, { force: true, fieldManager: MANAGER });
}
