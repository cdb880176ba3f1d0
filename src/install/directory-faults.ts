import { normalize } from 'node:path/posix';
import type { InstallOptions } from './options.ts';

/** Directories of the system. */
const SYSTEM = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib64', '/proc', '/sbin', '/sys', '/usr'];
/** The node plugin's own container has these, which would hide the node's; directories below it are mounted beside that. */
const CONTAINER = ['/run', '/tmp', '/var/run'];

/**
 * Faults of the directories of an installation. Each is mounted into the node plugin by its path on the host, so none may be, or
 * lie above or below, another one or a directory of the system. The kubelet's directories may lie where the node has them.
 */
export function directoryFaults({
  mountRoot = '/runtime-mnt',
  kubeletDir = '/var/lib/kubelet',
  podLogsDir = '/var/log/pods',
}: Pick<InstallOptions, 'mountRoot' | 'kubeletDir' | 'podLogsDir'>): readonly string[] {
  const system = SYSTEM.map((path) => ['a directory of the system', path] as const);
  const others = {
    mountRoot: [['kubeletDir', kubeletDir], ['podLogsDir', podLogsDir], ...system],
    kubeletDir: [['podLogsDir', podLogsDir], ...system],
    podLogsDir: system,
  } as const;
  return Object.entries({ mountRoot, kubeletDir, podLogsDir }).flatMap(([option, text]) => {
    const path = normalize(text);
    const taken = CONTAINER.filter((other) => isWithin(other, path)).map((other) => ["the node plugin's own", other] as const);
    const near = [...others[option as keyof typeof others], ...taken].find(([, other]) => isNear(path, normalize(other)));
    return near
      ? [`${option}: expected a directory apart from ${near[1]} (${near[0]}), found ${text}, ${relation(path, normalize(near[1]))}`]
      : [];
  });
}

const relation = (path: string, other: string): string =>
  path === other ? 'which is the same' : isWithin(path, other) ? 'which lies in it' : 'which contains it';
const isWithin = (path: string, directory: string): boolean => `${path}/`.startsWith(`${directory}/`);
const isNear = (a: string, b: string): boolean => isWithin(a, b) || isWithin(b, a);
