/** Logs of simulated pods: files, so that any process of a run may write them. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface ContainerName {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** The file that the API server shows as this container's log, once it exists. Its folder does. */
export function podLog(dir: string, container: ContainerName): string {
  const file = fileOf(dir, container);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

const PATH = /^\/containerLogs\/([a-z0-9.-]+)\/([a-z0-9.-]+)\/([a-z0-9-]+)$/;

/** The file for a kubelet's path `/containerLogs/<namespace>/<pod>/<container>`; undefined for any other. */
export function logAsked(dir: string, path: string): string | undefined {
  const [, namespace = '', pod = '', container] = PATH.exec(path) ?? [];
  return container === undefined ? undefined : fileOf(dir, { namespace, pod, container });
}

const fileOf = (dir: string, { namespace, pod, container }: ContainerName): string =>
  join(dir, 'pod-logs', `${namespace}_${pod}`, `${container}.log`);
