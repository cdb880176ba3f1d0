/** The private folder of a control plane, and what its programs read from it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUDIT_POLICY } from './components.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { kwokConfig } from './kwok.ts';
import { createCa, issue, type KeyPair, tokenKeys } from './pki.ts';
import { DIR_PREFIX } from './stale.ts';

export function createDir(): string {
  const dir = mkdtempSync(join(tmpdir(), DIR_PREFIX));
  writeFileSync(join(dir, 'owner.pid'), String(process.pid));
  for (const folder of ['pki', 'exec/answers', 'pod-rules']) mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'kwok.yaml'), kwokConfig());
  writeFileSync(join(dir, 'audit-policy.yaml'), AUDIT_POLICY);
  return dir;
}

/** Keys and certificates, and a kubeconfig for every program that needs one. */
export async function writePki(dir: string, server: string): Promise<Record<'ca' | 'admin' | 'kubelet', KeyPair>> {
  const now = new Date();
  const ca = await createCa(now);
  const services = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  const [tokens, apiserver, kubelet, kubeletClient, admin, kwok, controllerManager, scheduler] = await Promise.all([
    tokenKeys(),
    issue(ca, { user: 'kube-apiserver', hosts: ['localhost', '127.0.0.1', '10.96.0.1', ...services] }, now),
    issue(ca, { user: 'kubelet', hosts: ['localhost', '127.0.0.1'] }, now),
    issue(ca, { user: 'kube-apiserver-kubelet-client', groups: ['system:masters'] }, now),
    issue(ca, { user: 'admin', groups: ['system:masters'] }, now),
    issue(ca, { user: 'kwok', groups: ['system:masters'] }, now),
    issue(ca, { user: 'system:kube-controller-manager' }, now),
    issue(ca, { user: 'system:kube-scheduler' }, now),
  ]);
  const secret = (file: string, text: string) => writeFileSync(join(dir, file), text, { mode: 0o600 });
  for (const [name, pair] of Object.entries({ ca, apiserver, 'kubelet-client': kubeletClient, admin })) {
    secret(`pki/${name}.crt`, pair.certificate);
    secret(`pki/${name}.key`, pair.key);
  }
  secret('pki/sa.pub', tokens.publicKey);
  secret('pki/sa.key', tokens.privateKey);
  for (const [user, pair] of Object.entries({ admin, kwok, 'controller-manager': controllerManager, scheduler })) {
    secret(`${user}.kubeconfig`, kubeconfigText({ server, ca: ca.certificate, user, credentials: pair }));
  }
  return { ca, admin, kubelet };
}
