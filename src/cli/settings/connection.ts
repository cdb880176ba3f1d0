import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { type ClusterConnection, inClusterConnection } from '../../kube/client/connection.ts';
import { connectionFromKubeconfig } from '../../reconciler/kubernetes/kubeconfig.ts';
import type { Env } from './config.ts';
import { messageOf, Refused } from '../errors.ts';

export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export const connectionOptions = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig of the cluster (default: KUBECONFIG; in a pod its service account; else ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)');

/** The connection by flags, environment, or service account. Throws Refused when none of them leads to a cluster. */
export async function connect({ kubeconfig, context }: ConnectionFlags, env: Env): Promise<ClusterConnection> {
  const path = kubeconfig ?? env['KUBECONFIG'];
  if (!path && !context && env['KUBERNETES_SERVICE_HOST']) return inClusterConnection();
  const file = path || join(homedir(), '.kube', 'config');
  const isOne = !file.includes(delimiter);
  if (isOne && !existsSync(file))
    throw new Refused(`no cluster is configured: expected a kubeconfig at ${file}; name one with --kubeconfig or KUBECONFIG`);
  try {
    return (isOne && plainConnection(file, context)) || (await connectionFromKubeconfig(kubeconfig, context));
  } catch (error) {
    const said = messageOf(error).split('\n')[0] ?? '';
    throw new Refused(said.includes(file) ? said : `kubeconfig ${file}: ${said}`, { cause: error });
  }
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly {
    readonly name: string;
    readonly context: { readonly cluster?: string; readonly user?: string; readonly namespace?: string };
  }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster: Readonly<Record<string, string | boolean | undefined>> }[];
  readonly users?: readonly { readonly name: string; readonly user: Readonly<Record<string, string | undefined>> }[];
}
const CLUSTER_FIELDS = new Set(['server', 'certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify', 'extensions']);
const USER_FIELDS = new Set(['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token']);

/**
 * The connection of a kubeconfig with a certificate or a fixed token, as most have it. Undefined for all others, which Kubernetes' own
 * client reads: loading that client takes 60 MB, for as long as the controller runs.
 */
function plainConnection(file: string, wanted: string | undefined): ClusterConnection | undefined {
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig | null;
  const context = config?.contexts?.find(({ name }) => name === (wanted ?? config['current-context']))?.context;
  const cluster = config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config?.users?.find(({ name }) => name === context?.user)?.user;
  if (
    !cluster ||
    !user ||
    !Object.keys(cluster).every((key) => CLUSTER_FIELDS.has(key)) ||
    !Object.keys(user).every((key) => USER_FIELDS.has(key))
  )
    return undefined;
  const { server, 'insecure-skip-tls-verify': insecure } = cluster;
  const pem = (fields: Readonly<Record<string, string | boolean | undefined>>, name: string): string | undefined => {
    const [data, path] = [fields[`${name}-data`], fields[name]];
    if (data) return Buffer.from(String(data), 'base64').toString('utf8');
    return path ? readFileSync(resolve(dirname(file), String(path)), 'utf8') : undefined;
  };
  const { token } = user;
  return {
    server: String(server),
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    ...(insecure === true && { insecureSkipTlsVerify: true }),
    ...(token && { token: () => token }),
    ...(context?.namespace && { namespace: context.namespace }),
  };
}
