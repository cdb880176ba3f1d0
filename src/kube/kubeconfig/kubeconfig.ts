import type { ClusterConnection } from '../client/connection.ts';
import { proxyUrl } from '../client/proxy.ts';
import { reread } from '../client/reread.ts';
import { systemClock } from '../clock.ts';
import { credentialsOf, pem, type Times } from './credentials.ts';
import type { ExecEnvironment } from './exec-plugin.ts';
import { chooseContext, type KubeconfigEntry } from './files.ts';

export interface KubeconfigOptions {
  readonly context?: string | undefined;
  readonly times?: Times;
  readonly surroundings?: ExecEnvironment;
}

/**
 * The connection that a kubeconfig means, with the meaning that its fields have for kubectl
 * (kubernetes.io/docs/reference/config-api/kubeconfig.v1, client-go). A field without effect here is an error.
 *
 * @param files of KUBECONFIG, or one
 * @throws Error that names file and field
 */
export function connectionFromKubeconfig(files: readonly string[], options: KubeconfigOptions = {}): ClusterConnection {
  const { times = systemClock, surroundings = { env: process.env, isTerminal: process.stdin.isTTY } } = options;
  const { context, cluster, user, namespace } = chooseContext(files, options.context);
  const { fields } = cluster;
  const server = serverOf(cluster);
  const insecureSkipTlsVerify = fields.flag('insecure-skip-tls-verify');
  const authority = pem(cluster, 'certificate-authority');
  if (authority && insecureSkipTlsVerify)
    throw new Error(`${fields.where('insecure-skip-tls-verify')}: expected false beside a certificate-authority, found true`);
  const ca = authority && reread(authority, times.monotonic).value;
  const [tlsServerName, through] = [fields.text('tls-server-name'), fields.text('proxy-url')];
  const proxy = through === undefined ? undefined : proxyUrl(fields.where('proxy-url'), through);
  const told = {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': Buffer.from(ca()).toString('base64') }),
    ...(proxy && { 'proxy-url': proxy }),
    config:
      fields
        .objects('extensions')
        .find((each) => each.text('name') === 'client.authentication.k8s.io/exec')
        ?.value('extension') ?? null,
  };
  return {
    server,
    context,
    ...(ca && { ca }),
    ...(insecureSkipTlsVerify && { insecureSkipTlsVerify }),
    ...(tlsServerName && { tlsServerName }),
    ...(proxy && { proxy }),
    ...(namespace && { namespace }),
    ...(user && credentialsOf(user, told, times, surroundings)),
  };
}

function serverOf({ fields }: KubeconfigEntry): string {
  const server = fields.text('server') ?? '';
  const { protocol } = URL.parse(server) ?? {};
  if (protocol === 'https:' || protocol === 'http:') return server.replace(/\/$/, '');
  throw new Error(`${fields.where('server')}: expected a URL such as https://api.example.com:6443, found ${server || 'nothing'}`);
}
