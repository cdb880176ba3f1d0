import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { ControlPlaneHandle } from '../control-plane/connect.ts';
import type { ProgramPod } from './pod-shape.ts';

/** Writes a kubeconfig with a token of the pod's account, which has no other rights than RBAC gives it. Returns its path. */
export async function accountKubeconfig(
  plane: Pick<ControlPlaneHandle, 'dir' | 'server'>,
  client: KubeClient,
  { metadata, spec: { serviceAccountName = 'default' } }: ProgramPod,
): Promise<string> {
  const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${serviceAccountName}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 36_000 } };
  // The cast: the answer to a TokenRequest.
  const {
    status: { token },
  } = (await client.raw('POST', path, { body: request })) as { readonly status: { readonly token: string } };
  const ca = readFileSync(join(plane.dir, 'pki/ca.crt')).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: plane.server, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const file = join(plane.dir, `${metadata.name}.kubeconfig`);
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
