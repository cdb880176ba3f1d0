import { absolutePath, cleanPath, type Mounted, mountedAt, must, type PlanInput } from '../../src/constructs/index.ts';
import type { AlluxioRuntimeSpec } from './spec.ts';

const ADDRESS = 'alluxio.worker.data.server.domain.socket.address';
const AS_UUID = 'alluxio.worker.data.server.domain.socket.as.uuid';

/** Longest path of a UNIX domain socket in Linux, without the NUL at its end. */
const LONGEST = 107;
const UUID_LENGTH = 36;

/**
 * The directory of the node in which a worker has its UNIX domain socket, if the user's properties name one. Clients on that node read
 * through it. Nothing where the user's own volumes are there already.
 */
export function socketOf({ name, namespace, spec }: PlanInput<AlluxioRuntimeSpec>): readonly Mounted[] {
  const { worker, fuse } = spec;
  const field = `spec.${worker?.properties?.[ADDRESS] === undefined ? '' : 'worker.'}properties[${ADDRESS}]`;
  const of = (key: string) => worker?.properties?.[key] ?? spec.properties?.[key];
  const address = of(ADDRESS);
  if (!address) return [];
  const isDirectory = of(AS_UUID) === 'true';
  const path = cleanPath(absolutePath(address, field));
  const directory = isDirectory ? path : path.slice(0, path.lastIndexOf('/'));
  must(
    /^(\/[\w-][\w.-]*)+$/.test(directory),
    field,
    `${isDirectory ? 'a directory' : 'a path in a directory'} that worker and client mount from the node`,
    address,
  );
  const length = path.length + (isDirectory ? UUID_LENGTH + 1 : 0);
  must(length <= LONGEST, field, `at most ${LONGEST} characters in the path of the socket`, length);
  const [ofWorker, ofClient] = [worker, fuse].map((part) => part?.volumeMounts?.some(({ mountPath }) => isWithin(directory, mountPath)));
  must(
    !ofWorker === !ofClient,
    field,
    `a volume at ${directory} in spec.worker.volumeMounts and spec.fuse.volumeMounts, or in neither`,
    address,
  );
  if (ofWorker) return [];
  return [mountedAt(directory, 'alluxio-domain', { hostPath: { path: `${directory}/${namespace}/${name}`, type: 'DirectoryOrCreate' } })];
}

const isWithin = (directory: string, mountPath: string): boolean => `${directory}/`.startsWith(`${cleanPath(mountPath)}/`);
