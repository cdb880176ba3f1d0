/** A user's cluster behind the interface of ours, as far as that makes sense: nothing simulated, nothing to restart. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, kubectlOf } from './control-plane/connect.ts';
import { kubeconfigText } from './control-plane/kubeconfig.ts';
import { createRequest } from './control-plane/pki.ts';
import { DIR_PREFIX } from './control-plane/stale.ts';
import { until } from './control-plane/until.ts';
import { tools } from './tools/tools.ts';

export interface ExistingCluster extends Cluster, AsyncDisposable {
  /** Forgets the users' kubeconfig files; the cluster stays as it is. */
  stop(): Promise<void>;
}

interface MinifiedConfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string } }];
}

/** The cluster of this kubeconfig's current context; the identity in it must be an administrator's. */
export async function useExistingCluster(kubeconfig: string): Promise<ExistingCluster> {
  const dir = mkdtempSync(join(tmpdir(), DIR_PREFIX));
  writeFileSync(join(dir, 'owner.pid'), String(process.pid));
  mkdirSync(join(dir, 'users'));
  const kubectlPath = tools().kubectl;
  const { kubectl, kubectlApply, run } = kubectlOf({ kubectlPath, kubeconfig, dir });
  // kubectl resolves what a kubeconfig may leave to files and defaults.
  const config = JSON.parse(await kubectl('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json')) as MinifiedConfig;
  const { server, 'certificate-authority-data': ca = '' } = config.clusters[0].cluster;
  const stop = async () => rmSync(dir, { recursive: true, force: true });
  return {
    server,
    kubeconfig,
    dir,
    kubectlPath,
    kubectl,
    kubectlApply,
    get: async (path) => JSON.parse(await kubectl('get', '--raw', path)) as unknown,
    create: async (path, object) => JSON.parse(await run(['create', '--raw', path, '-f', '-'], JSON.stringify(object))) as unknown,
    delete: async (path) => JSON.parse(await kubectl('delete', '--raw', path)) as unknown,
    kubeconfigFor: async (user, groups = []) => {
      const { request, key } = await createRequest({ user, groups });
      const certificate = await signed({ kubectl, kubectlApply }, request);
      const path = join(dir, 'users', `${process.hrtime.bigint()}.kubeconfig`);
      const text = kubeconfigText({ server, ca: Buffer.from(ca, 'base64').toString('utf8'), user, credentials: { certificate, key } });
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The cluster's own signer makes the certificate; the request does not stay behind. */
async function signed({ kubectl, kubectlApply }: Pick<Cluster, 'kubectl' | 'kubectlApply'>, request: string): Promise<string> {
  const name = `sluice-test-${process.hrtime.bigint()}`;
  const spec = {
    request: Buffer.from(request).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
    expirationSeconds: 3600,
  };
  await kubectlApply(JSON.stringify({ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name }, spec }));
  try {
    await kubectl('certificate', 'approve', name);
    const certificate = await until(`the certificate ${name}`, 20, () =>
      kubectl('get', 'csr', name, '-o', 'jsonpath={.status.certificate}').then((text) => text || undefined),
    );
    return Buffer.from(certificate, 'base64').toString('utf8');
  } finally {
    await kubectl('delete', 'csr', name);
  }
}
