import type { EncryptOption, ThinRuntimeProfileSpec, ThinRuntimeSpec } from '../../../src/api/index.ts';
import type { ClaimFact, RuntimeInput } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

export const profileSpec: ThinRuntimeProfileSpec = { fileSystemType: 'fuse.s3fs', fuse: { image: 'example.io/s3fs', imageTag: 'v1' } };

/** A ThinRuntime with a profile `p`, which may be given as well. */
export function given({
  profile = profileSpec,
  profileAnnotations,
  facts,
  spec,
  ...rest
}: Given<ThinRuntimeSpec> & {
  readonly profile?: ThinRuntimeProfileSpec;
  readonly profileAnnotations?: Readonly<Record<string, string>>;
} = {}): RuntimeInput<ThinRuntimeSpec> {
  const metadata = { name: 'p', ...(profileAnnotations && { annotations: profileAnnotations }) };
  const found = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'ThinRuntimeProfile', metadata, spec: profile };
  return planInput({ ...rest, spec: { profileName: 'p', ...spec }, facts: { ...facts, objects: { 'ThinRuntimeProfile/p': found } } });
}

export const secretOption = (name: string, secret: string, key: string): EncryptOption => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
});

/** A bound claim of a CSI volume that needs a Secret on the node. */
export const claim = (nodePublishSecretRef?: { readonly name: string; readonly namespace: string }): ClaimFact => ({
  uid: 'uid-of-claim',
  volume: 'pv-of-claim',
  mountOptions: ['vers=4'],
  csi: { driver: 'nas.csi.example', volumeHandle: 'h1', ...(nodePublishSecretRef && { nodePublishSecretRef }) },
});
