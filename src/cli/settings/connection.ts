import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Command } from 'commander';
import { type ClusterConnection, inClusterConnection } from '../../kube/client/connection.ts';
import { proxyFromEnvironment } from '../../kube/client/proxy.ts';
import { connectionFromKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import type { Environment } from './config.ts';
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
export async function connect({ kubeconfig, context }: ConnectionFlags, env: Environment): Promise<ClusterConnection> {
  const listed = env['KUBECONFIG']?.split(delimiter).filter(Boolean) ?? [];
  if (kubeconfig === undefined && listed.length === 0 && !context && env['KUBERNETES_SERVICE_HOST'])
    return throughProxy(inClusterConnection(), env);
  const files = kubeconfig !== undefined ? [kubeconfig] : listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
  if (!files.some((file) => existsSync(file)))
    throw new Refused(`no cluster is configured: expected a kubeconfig at ${files.join(' or ')}; name one with --kubeconfig or KUBECONFIG`);
  const surroundings = { env, isTerminal: process.stdin.isTTY };
  return throughProxy(
    refused('kubeconfig ', () => connectionFromKubeconfig(files, { context, surroundings })),
    env,
  );
}

/** `proxy-url` of a kubeconfig holds before the environment. */
function throughProxy(connection: ClusterConnection, env: Environment): ClusterConnection {
  const proxy = connection.proxy ?? refused('', () => proxyFromEnvironment(connection.server, env));
  return { ...connection, ...(proxy !== undefined && { proxy }) };
}

/** The user can mend what is wrong: it is no defect. */
function refused<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Refused(`${what}${messageOf(error)}`, { cause: error });
  }
}
