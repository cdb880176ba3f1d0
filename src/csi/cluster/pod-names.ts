/**
 * Which pods this node has: the kubelet keeps a directory for the logs of each, named after it. By name a pod can be asked for; to ask
 * which pods a node has takes the right to list them, which is that of all nodes.
 */
import { readdirSync } from 'node:fs';
import type { PodName } from './node-cluster.ts';

export interface PodOfNode extends PodName {
  readonly uid: string;
}

/** Pods of this node whose containers are being made or were: `<namespace>_<name>_<uid>`. None where the directory cannot be read. */
export function podsOfNode(podLogsDir: string): readonly PodOfNode[] {
  return namesIn(podLogsDir).flatMap((directory) => {
    const [namespace, name, uid, ...more] = directory.split('_');
    return namespace && name && uid && more.length === 0 ? [{ namespace, name, uid }] : [];
  });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
