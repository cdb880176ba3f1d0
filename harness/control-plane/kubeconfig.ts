/** Kubeconfig files with everything embedded, so that a copy works anywhere on this machine. */
import type { KeyPair } from './pki.ts';

export function kubeconfigText({ server, ca, user, pair }: { server: string; ca: string; user: string; pair: KeyPair }): string {
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'sluice-test', cluster: { server, 'certificate-authority-data': base64(ca) } }],
      users: [{ name: user, user: { 'client-certificate-data': base64(pair.certificate), 'client-key-data': base64(pair.key) } }],
      contexts: [{ name: 'sluice-test', context: { cluster: 'sluice-test', user } }],
      'current-context': 'sluice-test',
    },
    null,
    2,
  );
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
