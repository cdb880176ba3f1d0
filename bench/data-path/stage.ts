/** The set-up of the node before a measurement: the store, the Dataset, the bare client, and the pod that reads in both mounts. */
import { join } from 'node:path';
import type { Installed } from '../../test/node/installed.ts';
import { say, until } from '../lab.ts';
import { type Engine, NAME } from './engines.ts';
import { MOST_COLD, type Operation } from './operations.ts';
import { READER_IMAGE } from './reader-image.ts';
import { storeObjects } from './store.ts';

export interface Stage {
  readonly cluster: Installed;
  readonly engine: Engine;
  /** The folder of the caches on the node. */
  readonly cache: string;
  apply(...objects: readonly object[]): Promise<void>;
  /** So many pairs of seconds, from the `first` on; `amount` in the unit of the operation. */
  pairs(operation: Operation, amount: number, first: number, count: number): Promise<readonly (readonly [bare: number, claim: number])[]>;
}

export const CLAIM = '/claim';
export const IDLE = 'exec tail -f /dev/null';

export async function setUp(cluster: Installed, engine: Engine, quick: boolean): Promise<Stage> {
  const { plane, node } = cluster;
  const cache = join(node.dir, 'cache');
  const root = join(node.mountRoot, 'bare');
  const bare = join(root, NAME);
  const apply = async (...objects: readonly object[]) =>
    void (await plane.kubectlApply(objects.map((object) => JSON.stringify(object)).join('\n---\n')));
  const ready = (pod: string) => plane.kubectl('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=600s');

  say('filling the store');
  await apply(...storeObjects(engine.store, READER_IMAGE, quick ? 20 : 2 * MOST_COLD));
  await ready('store');
  say('Dataset and bare client');
  await apply(...engine.objects(cache));
  await plane.kubectl('wait', '--for=jsonpath={.status.phase}=Bound', `dataset/${NAME}`, '--timeout=600s');
  await apply(clientPod('bare', engine.bare(bare, cache), root, cache));
  await until('the bare client has mounted', 120, () => node.run('findmnt', '-no', 'FSTYPE', bare).catch(() => undefined));
  // The bare client's mount is a folder of the node, for who comes after it.
  const volumes = [{ name: 'bare', hostPath: { path: bare, type: 'Directory' } }];
  await apply(claimPod('reader', IDLE, { volumes, volumeMounts: [{ name: 'bare', mountPath: bare }] }));
  await ready('reader');
  return {
    cluster,
    engine,
    cache,
    apply,
    async pairs(operation, amount, first, count) {
      const argv = ['python3', '/reader.py', operation, `${amount}`, `${first}`, `${count}`, bare, CLAIM];
      // As reader.py prints them.
      return JSON.parse(await plane.kubectl('exec', 'reader', '--', ...argv)) as [number, number][];
    },
  };
}

export const pod = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 0, ...spec },
});

/** One that has the claim, as any pod has it. */
export const claimPod = (
  name: string,
  script: string,
  more: Readonly<Record<'volumes' | 'volumeMounts', readonly object[]>> = { volumes: [], volumeMounts: [] },
): object => {
  const volumeMounts = [{ name: 'claim', mountPath: CLAIM }, ...more.volumeMounts];
  return pod(name, {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: READER_IMAGE, command: ['bash', '-c', script], volumeMounts }],
    volumes: [{ name: 'claim', persistentVolumeClaim: { claimName: NAME } }, ...more.volumes],
  });
};

/** A client in the network of its node, as fuse pods are; others see what it mounts below `root`. */
function clientPod(name: string, container: object, root: string, cache: string): object {
  const shared = { name: 'root', mountPath: root, mountPropagation: 'Bidirectional' };
  const volumes = { root: [root, 'DirectoryOrCreate'], cache: [cache, 'DirectoryOrCreate'], fuse: ['/dev/fuse', 'CharDevice'] };
  const volumeMounts = [shared, { name: 'cache', mountPath: cache }, { name: 'fuse', mountPath: '/dev/fuse' }];
  return pod(name, {
    hostNetwork: true,
    dnsPolicy: 'ClusterFirstWithHostNet',
    containers: [{ name: 'main', securityContext: { privileged: true }, volumeMounts, ...container }],
    volumes: Object.entries(volumes).map(([volume, [path, type]]) => ({ name: volume, hostPath: { path, type } })),
  });
}
