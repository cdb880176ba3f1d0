import type { KubeConfig } from '@kubernetes/client-node';
import type { ClusterConnection } from '../../kube/client/connection.ts';

type RequestOptions = Parameters<KubeConfig['applyToHTTPSOptions']>[0];

/** How often credentials are read again, in ms: tokens of exec plugins and files expire. */
const REFRESH_MS = 60_000;

/** The cluster of a kubeconfig, with every way to log in that kubectl supports. Throws an Error that names the fault of the file. */
export async function connectionFromKubeconfig(path?: string, context?: string): Promise<ClusterConnection> {
  // Loaded only here: a controller in a cluster needs no kubeconfig, and the library is large.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (path) config.loadFromFile(path);
  else config.loadFromDefault();
  if (context) {
    if (!config.getContextObject(context))
      throw new Error(
        `kubeconfig: expected a context named ${context}, found ${
          config
            .getContexts()
            .map(({ name }) => name)
            .join(', ') || 'none'
        }`,
      );
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`kubeconfig${path ? ` ${path}` : ''}: expected a current context with a cluster, found none`);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const text = (value: unknown) => (value === undefined ? undefined : String(value));
  const [ca, cert, key] = [text(options.ca), text(options.cert), text(options.key)];
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace;
  return {
    server: cluster.server,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(cluster.skipTLSVerify && { insecureSkipTlsVerify: true }),
    ...(namespace && { namespace }),
    ...(!cert && { token: bearer(config) }),
  };
}

function bearer(config: { applyToHTTPSOptions(options: RequestOptions): Promise<void> }): () => Promise<string | undefined> {
  let known: { token: string | undefined; at: number } | undefined;
  return async () => {
    if (known && Date.now() - known.at < REFRESH_MS) return known.token;
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    // As the library writes it.
    const { Authorization: header } = (options.headers ?? {}) as { readonly Authorization?: string };
    const token = header?.replace(/^Bearer /, '');
    known = { token, at: Date.now() };
    return token;
  };
}
