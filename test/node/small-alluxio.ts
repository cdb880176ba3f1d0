/** An Alluxio for which a test's node has room, and what its worker says of itself. */
import type { KubeObject } from '../../src/kube/types.ts';
import { ALLUXIO_IMAGE } from '../../harness/index.ts';
import { alluxioRuntime } from '../support/objects.ts';

const [IMAGE = '', IMAGE_TAG = ''] = ALLUXIO_IMAGE.split(':');

export interface SmallAlluxio {
  readonly networkMode?: 'HostNetwork' | 'ContainerNetwork';
  /** Quota of the cache. */
  readonly quota?: string;
  /** Options of the FUSE client, in place of the usual ones. */
  readonly fuseOptions?: string;
}

/** Most of what its processes do is to start: code is compiled once and not well, and not verified, since the jars are those of a hash. */
const JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:+UnlockDiagnosticVMOptions', '-XX:-BytecodeVerificationRemote'];

export const smallAlluxio = (
  name: string,
  cache: string,
  { networkMode = 'HostNetwork', quota = '64Mi', fuseOptions }: SmallAlluxio = {},
): KubeObject =>
  alluxioRuntime(name, {
    replicas: 1,
    alluxioVersion: { image: IMAGE, imageTag: IMAGE_TAG },
    jvmOptions: JVM,
    master: { networkMode, jvmOptions: ['-Xmx256m'] },
    jobMaster: { jvmOptions: ['-Xmx128m'] },
    worker: { networkMode, jvmOptions: ['-Xmx256m'] },
    jobWorker: { jvmOptions: ['-Xmx128m'] },
    fuse: {
      image: IMAGE,
      imageTag: IMAGE_TAG,
      networkMode,
      jvmOptions: ['-Xmx128m'],
      ...(fuseOptions !== undefined && { args: ['fuse', `--fuse-opts=${fuseOptions}`] }),
    },
    tieredstore: { levels: [{ mediumtype: 'SSD', path: cache, quota }] },
  });

/** Options of a Dataset with buckets of MinIO. */
export const minioOptions = (endpoint: string): Readonly<Record<string, string>> => ({
  'alluxio.underfs.s3.endpoint': endpoint,
  'alluxio.underfs.s3.disable.dns.buckets': 'true',
  'alluxio.underfs.s3.inherit.acl': 'false',
});

/** An option of a Dataset from a Secret. */
export const encrypted = (name: string, secret: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: secret, key } } });

/** Host ports by name. */
export function portsOf({ metadata }: KubeObject): Readonly<Record<string, number>> {
  // Sluice's own, with a port for each name.
  return (JSON.parse(metadata.annotations?.['data.fluid.io/ports'] ?? '') as { readonly ports: Readonly<Record<string, number>> }).ports;
}

export interface BytesRead {
  readonly cache: number;
  readonly ufs: number;
}

/** Bytes that the runtime's worker on the node with this address has read, by its own counters: from its cache, and from buckets. */
export async function bytesRead(address: string, runtime: KubeObject): Promise<BytesRead> {
  // The format of Dropwizard's metrics; the names end with the worker's address, those of a bucket with the bucket before that.
  const answer = await fetch(`http://${address}:${portsOf(runtime)['workerWeb']}/metrics/json/`);
  const { counters } = (await answer.json()) as { readonly counters: Record<string, { readonly count: number }> };
  const sum = (prefix: string) =>
    Object.entries(counters).reduce((total, [name, { count }]) => total + (name.startsWith(prefix) ? count : 0), 0);
  return { cache: sum('Worker.BytesReadCache'), ufs: sum('Worker.BytesReadPerUfs') };
}
