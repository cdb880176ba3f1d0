/** Alluxio in pods on a real node, from hand-written manifests, with a bucket that holds `numbers`: for its test and its recorded outputs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  alluxioImage,
  type ControlPlane,
  fuseImage,
  minioImage,
  type RealNode,
  startControlPlane,
  startNode,
} from '../../harness/index.ts';

export const OPTIONS: Readonly<Record<string, string>> = {
  's3a.accessKeyId': 'accesskey',
  's3a.secretKey': 'secretkey',
  'alluxio.underfs.s3.endpoint': 'http://minio.default:9000',
  'alluxio.underfs.s3.disable.dns.buckets': 'true',
  'alluxio.underfs.s3.inherit.acl': 'false',
};

/** The file `bucket/numbers`: the numbers to 300,000, a line each. */
export const NUMBERS = { bytes: 1_988_895, md5: 'daef482d6c698625ab13d987d14e8781' };

export interface AlluxioPods {
  readonly plane: ControlPlane;
  readonly node: RealNode;
  /** Runs a command in a container; returns what it wrote. */
  exec(pod: string, container: string, ...command: readonly string[]): Promise<string>;
  /** The answer of a pod's port, parsed. The path may have a query. */
  ask(pod: string, port: number, path: string, body?: object): Promise<unknown>;
  /** Logs of the pods, for the search for a cause. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** Everything is ready when it returns; the bucket is not mounted in Alluxio yet. */
export async function startAlluxio(onProgress: (what: string) => void = () => {}): Promise<AlluxioPods> {
  const plane = await startControlPlane({ nodes: 0 });
  const stops: (() => Promise<void>)[] = [() => plane.stop()];
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    const node = await startNode(plane, { images: [fuseImage(), minioImage()] });
    stops.push(() => node.stop());
    onProgress('node');
    await node.addImage(alluxioImage());
    onProgress('image');
    const pods: AlluxioPods = {
      plane,
      node,
      exec: (pod, container, ...command) => plane.kubectl('exec', pod, '-c', container, '--', ...command),
      ask: async (pod, port, path, body) => {
        const address = await plane.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
        const headers = { 'content-type': 'application/json' };
        const request = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
        const response = await fetch(`http://${address}:${port}${path}`, request);
        const text = await response.text();
        if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
        return text === '' ? undefined : JSON.parse(text);
      },
      logs: async () => {
        const tail = ['--all-containers', '--prefix', '--tail=20'];
        const said = await plane.kubectl('logs', '-l', 'app=alluxio', ...tail).catch(String);
        return [await plane.kubectl('get', 'pods,events').catch(String), said, node.logs()].join('\n');
      },
      stop,
    };
    await plane.kubectlApply(readFileSync(join(import.meta.dirname, 'alluxio.yaml'), 'utf8').replaceAll('$MOUNTS', node.mountRoot));
    await plane.kubectl('wait', '--for=condition=Ready', 'pod', '--all', '--timeout=200s').catch(async (error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : error}\n${await pods.logs()}`, { cause: error });
    });
    onProgress('pods');
    await pods.exec('minio', 'client', 'sh', '-ec', 'seq 1 300000 > /tmp/numbers; rclone copy /tmp/numbers store:bucket');
    return pods;
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Bytes that the worker has read, by its own counters: from its cache, and from the bucket. The master's sums may lack some: what a
 * worker reports to it about the first reads is not always in them.
 */
export async function bytesRead({ ask }: AlluxioPods): Promise<{ readonly cache: number; readonly ufs: number }> {
  // The format of Dropwizard's metrics; the names end with the worker's address, those of the bucket with the bucket before that.
  const { counters } = (await ask('demo-worker-0', 30000, '/metrics/json/')) as {
    readonly counters: Record<string, { readonly count: number }>;
  };
  const sum = (prefix: string) =>
    Object.entries(counters)
      .filter(([name]) => name.startsWith(prefix))
      .reduce((total, [, { count }]) => total + count, 0);
  return { cache: sum('Worker.BytesReadCache'), ufs: sum('Worker.BytesReadPerUfs') };
}
