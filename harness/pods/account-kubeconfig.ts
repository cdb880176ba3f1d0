import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SharedControlPlane } from '../control-plane/connect.ts';
import { kubeconfigText } from '../control-plane/kubeconfig.ts';

const SECONDS = 36_000;

/** Writes a kubeconfig with a token of a ServiceAccount, which has no other rights than RBAC gives it. Returns its path. */
export async function accountKubeconfig(
  { dir, server, create }: Pick<SharedControlPlane, 'dir' | 'server' | 'create'>,
  { namespace, account }: { readonly namespace: string; readonly account: string },
): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: SECONDS } };
  // The cast: the answer to a TokenRequest.
  const answer = (await create(`/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, request)) as {
    readonly status: { readonly token: string };
  };
  const ca = readFileSync(join(dir, 'pki/ca.crt'), 'utf8');
  const file = join(dir, `${namespace}-${account}.kubeconfig`);
  writeFileSync(file, kubeconfigText({ server, ca, user: account, credentials: answer.status }), { mode: 0o600 });
  return file;
}
