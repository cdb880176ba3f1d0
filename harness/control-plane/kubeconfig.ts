/** Kubeconfig files with everything embedded, so that a copy works anywhere on this machine. */
import type { KeyPair } from './pki.ts';

interface Access {
  readonly server: string;
  readonly ca: string;
  readonly user: string;
  readonly credentials: KeyPair | { readonly token: string };
}

export function kubeconfigText({ server, ca, user, credentials }: Access): string {
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'sluice-test', cluster: { server, 'certificate-authority-data': base64(ca) } }],
      users: [{ name: user, user: authenticating(credentials) }],
      contexts: [{ name: 'sluice-test', context: { cluster: 'sluice-test', user } }],
      'current-context': 'sluice-test',
    },
    null,
    2,
  );
}

const authenticating = (credentials: Access['credentials']): object =>
  'token' in credentials
    ? { token: credentials.token }
    : { 'client-certificate-data': base64(credentials.certificate), 'client-key-data': base64(credentials.key) };

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
