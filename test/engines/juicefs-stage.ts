/** JuiceFS on a real node, with a metadata engine and a store that can be taken away, and Datasets of their volumes. */
import { join } from 'node:path';
import { BUSYBOX_IMAGE, FUSE_IMAGE, fuseImage, JUICEFS_IMAGE, juicefsImage, MINIO_IMAGE, minioImage } from '../../harness/index.ts';
import type { JuiceFSRuntimeSpec } from '../../runtimes/juicefs/spec.ts';
import type { DatasetSpec } from '../../src/api/index.ts';
import { createClient } from '../../src/kube/client/kube-client.ts';
import { connectionFromKubeconfig } from '../../src/kube/kubeconfig/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { type Installed, startInstalled } from '../node/installed.ts';
import { datasetObject, jfsRuntime, secret } from '../support/objects.ts';
import { createPod } from '../support/real-node.ts';
import { condition, createSpace, type Space } from '../support/sluice.ts';
import { PATIENCE_S } from '../node/dataset-users.ts';

const [IMAGE = '', IMAGE_TAG = ''] = JUICEFS_IMAGE.split(':');
const KEYS = { user: 'minioadmin', password: 'minioadmin' };
const PASSWORD = 'pass';

export type Server = 'redis' | 'minio';
export type Role = 'worker' | 'fuse';

export interface Stage {
  readonly cluster: Installed;
  readonly space: Space;
  /** Address of a metadata engine, which has sixteen. */
  metaurl(database: number, password?: string): string;
  /** URL of a bucket. */
  bucket(name: string): string;
  /** A Dataset of the volume that its mount names, its runtime, and a Secret `<name>-keys`. */
  dataset(name: string, how: Volume): readonly KubeObject[];
  /** Ends a server, and keeps it away until `up`. Its address stays. */
  down(server: Server): Promise<void>;
  up(server: Server): Promise<void>;
  /** Name of the only pod of a role; undefined while there is none. */
  podOf(role: Role, dataset: string): Promise<string | undefined>;
  /** Runs a script in that pod; returns what it wrote. */
  inPod(role: Role, dataset: string, script: string): Promise<string>;
  /** In a pod by name. */
  exec(pod: string, ...argv: readonly string[]): Promise<string>;
  mountPath(dataset: string): string;
  /** A counter of a client: `juicefs_<name>` of `.stats`. */
  counter(dataset: string, name: string, role?: Role): Promise<number>;
  /** A folder of the node for the cache of `dataset`. */
  cacheDir(dataset: string): string;
  /** The output of `sluice explain`. */
  explain(dataset: string): Promise<string>;
  /** Creates what a Dataset needs, and waits until it is served. */
  serve(name: string, how: Volume): Promise<void>;
  /** Creates a pod that sleeps, with the claim at /data. */
  pod(name: string, claim: string, mount?: object): Promise<void>;
  stop(): Promise<void>;
}

/** The differences between Datasets of a test. */
export interface Volume {
  /** Default 1. */
  readonly database?: number;
  /** The mount's name, which is the volume's. Default `files`. */
  readonly volume?: string;
  /** Default `juicefs:///`. */
  readonly mountPoint?: string;
  /** Options of the mount, beside storage and bucket. */
  readonly options?: Readonly<Record<string, string>>;
  /** Values of the Secret: `metaurl`, `access-key`, `secret-key`. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly spec?: DatasetSpec;
  readonly runtime?: JuiceFSRuntimeSpec;
}

const untilDown = (start: string) => `while :; do while [ -e /down ]; do sleep 0.2; done; ${start}; done`;

/** Ready for Datasets when it returns. */
export async function startStage(hint: string): Promise<Stage> {
  const cluster = await startInstalled({
    images: [juicefsImage(), minioImage(), fuseImage()],
    flags: ['--values', join(import.meta.dirname, '../node/quick-probes.yaml')],
  });
  const client = createClient(connectionFromKubeconfig([cluster.plane.kubeconfig]), { fieldManager: 'sluice-tests' });
  const stop = async () => {
    await client.close();
    await cluster.stop();
  };
  try {
    return await stageOn(cluster, await createSpace(cluster.plane, client, hint), stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stageOn(cluster: Installed, space: Space, stop: () => Promise<void>): Promise<Stage> {
  const { namespace } = space;
  async function service(name: Server, image: string, start: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const env = Object.entries(variables).map(([key, value]) => ({ name: key, value }));
    await createPod(cluster.plane, { name, namespace, image, script: untilDown(start), container: { env } });
    await space.becomes('Pod', name, condition('Ready', { status: 'True' }), PATIENCE_S);
    return space.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.podIP}');
  }
  const [redis, minio] = await Promise.all([
    service('redis', JUICEFS_IMAGE, `redis-server --requirepass ${PASSWORD} --save "" --appendonly yes --dir /tmp`),
    service('minio', MINIO_IMAGE, 'minio server /data --address :9000', { MINIO_ROOT_USER: KEYS.user, MINIO_ROOT_PASSWORD: KEYS.password }),
  ]);
  const exec = (pod: string, ...argv: readonly string[]) => cluster.plane.kubectl('exec', '-n', namespace, pod, '--', ...argv);
  const podOf = async (role: Role, dataset: string) =>
    (await space.list('Pod')).find(
      ({ metadata: { labels, deletionTimestamp } }) =>
        labels?.['role'] === `juicefs-${role}` && labels['release'] === dataset && !deletionTimestamp,
    )?.metadata.name;
  const stage: Stage = {
    cluster,
    space,
    exec,
    podOf,
    stop,
    metaurl: (database, password = PASSWORD) => `redis://default:${password}@${redis}:6379/${database}`,
    bucket: (name) => `http://${minio}:9000/${name}`,
    mountPath: (dataset) => `${cluster.node.mountRoot}/juicefs/${namespace}/${dataset}/juicefs-fuse`,
    cacheDir: (dataset) => join(cluster.node.dir, 'caches', dataset),
    dataset: (name, { database = 1, volume = 'files', mountPoint = 'juicefs:///', options, keys, spec, runtime }) => {
      const all = { metaurl: stage.metaurl(database), 'access-key': KEYS.user, 'secret-key': KEYS.password, ...keys };
      const encryptOptions = Object.keys(all).map((key) => ({ name: key, valueFrom: { secretKeyRef: { name: `${name}-keys`, key } } }));
      const mount = { mountPoint, name: volume, options: { storage: 'minio', bucket: stage.bucket('bucket'), ...options }, encryptOptions };
      const levels = [{ mediumtype: 'SSD' as const, path: stage.cacheDir(name), quota: '1Gi', low: '0.1' }];
      return [
        secret(`${name}-keys`, all),
        datasetObject(name, { accessModes: ['ReadWriteMany'], placement: 'Shared', mounts: [mount], ...spec }),
        jfsRuntime(name, {
          juicefsVersion: { image: IMAGE, imageTag: IMAGE_TAG },
          tieredstore: { levels },
          ...runtime,
          fuse: { image: IMAGE, imageTag: IMAGE_TAG, ...runtime?.fuse },
        }),
      ];
    },
    async down(server) {
      await exec(server, 'touch', '/down');
      const end = { redis: `redis-cli -a ${PASSWORD} shutdown`, minio: 'kill $(pidof minio)' }[server];
      await exec(server, 'sh', '-c', `${end} 2> /dev/null; :`);
    },
    async up(server) {
      await exec(server, 'rm', '/down');
    },
    async inPod(role, dataset, script) {
      const pod = await podOf(role, dataset);
      return exec(pod ?? '', 'sh', '-ec', script);
    },
    async counter(dataset, name, role = 'fuse') {
      const said = await stage.inPod(role, dataset, `grep -a '^juicefs_${name} ' ${stage.mountPath(dataset)}/.stats`);
      return Number(said.trim().split(' ').at(-1));
    },
    async explain(dataset) {
      const { stdout, stderr } = await cluster.sluice('explain', dataset, '-n', namespace);
      return `${stdout}${stderr}`;
    },
    async serve(name, how) {
      await space.create(...stage.dataset(name, how));
      await space.bound('JuiceFSRuntime', name, PATIENCE_S);
    },
    async pod(name, claim, mount = {}) {
      const container = { volumeMounts: [{ name: 'data', mountPath: '/data', ...mount }] };
      const spec = { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] };
      await createPod(cluster.plane, { name, namespace, image: BUSYBOX_IMAGE, script: 'exec tail -f /dev/null', container, spec });
      await space.becomes('Pod', name, condition('Ready', { status: 'True' }), PATIENCE_S);
    },
  };
  return stage;
}

/** A way to read: by a descriptor that was opened at the start, or by opening the file anew. */
export type Way = 'held' | 'opened';
export interface Sight {
  readonly way: Way;
  /** `ok`, or the name of an error: `ENOTCONN`. */
  readonly said: string;
  /** Seconds. */
  readonly took: number;
}
export interface Watcher {
  /** News since the last call: each change, and each read that took more than half a second. */
  news(): Promise<readonly Sight[]>;
  /** The last result of each way. */
  now(): Promise<Readonly<Record<Way, string>>>;
}

/** Reads past the kernel's cache ten times a second, in both ways at the same time. */
const WATCH = `import errno, json, os, sys, threading, time
path = sys.argv[1]
def read(descriptor): os.pread(descriptor, 4096, 0)
def opened():
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try: read(descriptor)
    finally: os.close(descriptor)
held = os.open(path, os.O_RDONLY | os.O_DIRECT)
def watch(way, look):
    last = None
    while True:
        at = time.monotonic()
        try:
            look()
            said = 'ok'
        except OSError as error: said = errno.errorcode.get(error.errno, str(error.errno))
        took = round(time.monotonic() - at, 2)
        if said != last or took > 0.5: print(json.dumps({'way': way, 'said': said, 'took': took}), flush=True)
        last = said
        time.sleep(0.1)
threading.Thread(target=watch, args=('opened', opened)).start()
watch('held', lambda: read(held))`;

/** A pod that reads a file of the claim in both ways. */
export async function startWatcher(
  { cluster, space }: Stage,
  name: string,
  claim: string,
  path: string,
  mount: object = {},
): Promise<Watcher> {
  const { namespace } = space;
  await createPod(cluster.plane, {
    name,
    namespace,
    image: FUSE_IMAGE,
    script: '',
    container: { command: ['python3', '-c', WATCH, path], volumeMounts: [{ name: 'data', mountPath: '/data', ...mount }] },
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] },
  });
  await space.becomes('Pod', name, condition('Ready', { status: 'True' }), PATIENCE_S);
  let told = 0;
  const sights = async () => {
    const lines = (await space.kubectl('logs', name)).split('\n').filter(Boolean);
    // The program's own.
    return lines.map((line) => JSON.parse(line) as Sight);
  };
  return {
    async news() {
      const fresh = (await sights()).slice(told);
      told += fresh.length;
      return fresh;
    },
    async now() {
      const all = await sights();
      const last = (way: Way) => all.findLast((sight) => sight.way === way)?.said ?? '';
      return { held: last('held'), opened: last('opened') };
    },
  };
}
