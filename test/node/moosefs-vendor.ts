/** examples/vendor-moosefs on a node on which Sluice is installed: in an image, to the last trace, and upgraded while pods read. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BUSYBOX_IMAGE, MOOSEFS_IMAGE } from '../../harness/index.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { root } from '../cli/run.ts';
import { kinds } from '../support/kinds.ts';
import { objectsIn } from '../support/objects.ts';
import { condition, eventually, type Space, says } from '../support/sluice.ts';
import { step } from '../support/step.ts';
import { nodeLabels, PATIENCE_S, type Reader, runServerlessJob, startReader } from './dataset-users.ts';
import type { Installed } from './installed.ts';
import { vendorPackage } from './vendor-package.ts';
import { NUMBERS, startFiles } from './web-files.ts';

const EXAMPLE = 'examples/vendor-moosefs';
const KIND = 'MooseFSRuntime';
const NAME = 'moosedemo';
const ZONE = 'topology.kubernetes.io/zone';
const PROBES = ['--values', join(import.meta.dirname, 'quick-probes.yaml')];
const READY = condition('Ready', { status: 'True' });

interface Given {
  readonly cluster: Installed;
  /** Empty, and of this test alone. */
  readonly space: Space;
  readonly client: KubeClient;
  /** In which the package of Sluice is installed. */
  readonly folder: string;
}

export async function servesAndIsUpgraded({ cluster, space, client, folder }: Given): Promise<void> {
  const vendor = vendorPackage(folder, 'moosefs', (own) => cpSync(join(root, EXAMPLE), own, { recursive: true }));
  const { namespace } = space;
  const dataDir = join(cluster.node.dir, 'moosefs');
  const [image, imageTag] = MOOSEFS_IMAGE.split(':') as [string, string];
  const [dataset, runtime, load] = objectsIn(readFileSync(join(root, EXAMPLE, 'dataset.yaml'), 'utf8')) as [
    KubeObject,
    KubeObject,
    KubeObject,
  ];
  const file = '/data/files/numbers';
  let reader: Reader;

  await step("an image with the vendor's runtime is installed", async () => {
    await vendor.install(cluster, 'localhost/sluice-moosefs:1.0.0', ...PROBES);
    await space.kubectl('wait', '--for=condition=Established', 'crd/moosefsruntimes.data.fluid.io', '--timeout=60s');
  });
  await step('the Dataset is bound, by a master and two chunk servers', async () => {
    await startFiles(cluster, space);
    await space.kubectl('label', 'node', cluster.node.name, `${ZONE}=z1`);
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['z1'] }] }] };
    await space.create(withSpec(dataset, { nodeAffinity: { required } }), withSpec(runtime, { version: { image, imageTag }, dataDir }));
    await space.bound(KIND, NAME, PATIENCE_S);
    await space.becomes(KIND, NAME, { status: { masterPhase: 'Ready', workerPhase: 'Ready', workerNumberReady: 2 } }, PATIENCE_S);
  });
  await step('a DataLoad copies what its mount serves; a pod reads it', async () => {
    await space.create(load);
    reader = await startReader({ cluster, space }, 'reader', NAME);
    await space.becomes('DataLoad', load.metadata.name, { status: { phase: 'Complete' } }, PATIENCE_S);
    expect(await reader.sh('cd /data/files; ls -R; cat more/*')).toBe('.:\nmore\nnumbers\n\n./more:\na note\nnew\n');
    expect(await reader.digest(file)).toContain(NUMBERS.md5);
  });
  await step('its probe says how much the chunk servers hold', async () => {
    await space.becomes('Dataset', NAME, { status: { cacheStates: { cached: says('MiB') } } }, PATIENCE_S);
  });
  await step('the webhook draws pods to its chunk servers and their zone, and gives a pod a client of its own', async () => {
    await eventually(async () => {
      const { spec } = await client.create(kinds.Pod, userOf(NAME, namespace), { dryRun: true });
      const weights = (spec as { readonly affinity?: Affinity }).affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
      expect(weights?.map(({ weight, preference }) => [weight, preference.matchExpressions[0]?.key])).toEqual([
        [100, `fluid.io/s-${namespace}-${NAME}`],
        [50, ZONE],
      ]);
    }, PATIENCE_S);
    const { succeeded, printed } = await runServerlessJob({ cluster, space }, 'serverless', NAME, `md5sum ${file}`);
    expect({ succeeded, printed }).toEqual({ succeeded: 1, printed: says(NUMBERS.md5) });
  });
  await step(
    'a new version of the package, in a new image, lets pods run and read, and names those that lack what it changes',
    async () => {
      const before = await running(space);
      expect(before.map(([pod]) => pod.replace(/-fuse-\w+$/, '-fuse'))).toEqual(
        ['fuse', 'master-0', 'worker-0', 'worker-1'].map((role) => `${NAME}-${role}`),
      );
      const digests = reader.sh(
        `rm -f /tmp/stop; until [ -e /tmp/stop ]; do dd if=${file} iflag=direct bs=128k 2>/dev/null | md5sum; sleep 0.1; done | sort | uniq -c`,
      );
      // A default that changes, and a field that users did not have.
      vendor.edit('package.json', '"1.0.0"', '"1.1.0"');
      vendor.edit('src/plan.ts', '${TEST_INTERVAL}', '${spec.testInterval ?? TEST_INTERVAL}');
      vendor.edit('src/plan.ts', 'const TEST_INTERVAL = 10', 'const TEST_INTERVAL = 20');
      vendor.edit(
        'src/spec.ts',
        'dataDir: opt(',
        "testInterval: opt(t.Integer({ description: 'Seconds between checks.' })),\n    dataDir: opt(",
      );
      await vendor.install(cluster, 'localhost/sluice-moosefs:1.1.0', ...PROBES);
      await space.becomes(KIND, NAME, condition('PodsOutdated', { status: 'True', message: says('worker-0', 'worker-1') }), PATIENCE_S);
      expect(await running(space)).toEqual(before);
      await reader.sh('touch /tmp/stop');
      expect((await digests).trim()).toMatch(new RegExp(`^\\d+ ${NUMBERS.md5} +-$`));
      expect(await inWorker(0)).toContain('HDD_TEST_FREQ = 10\n');
    },
  );
  await step('a pod that is deleted comes back with what the new version says, and with the new field', async () => {
    await space.delete('Pod', `${NAME}-worker-0`);
    await eventually(async () => expect(await inWorker(0)).toContain('HDD_TEST_FREQ = 20\n'), PATIENCE_S);
    await space.becomes('Pod', `${NAME}-worker-0`, READY, PATIENCE_S);
    await space.replace(KIND, NAME, '/spec', { ...(await specOf()), testInterval: 30 });
    await eventually(async () => expect(JSON.stringify(await space.get('StatefulSet', `${NAME}-worker`))).toContain('HDD_TEST_FREQ = 30'));
    for (const worker of [0, 1]) {
      await space.delete('Pod', `${NAME}-worker-${worker}`);
      await eventually(async () => expect(await inWorker(worker)).toContain('HDD_TEST_FREQ = 30\n'), PATIENCE_S);
      await space.becomes('Pod', `${NAME}-worker-${worker}`, READY, PATIENCE_S);
      expect(await reader.digest(file)).toContain(NUMBERS.md5);
    }
    await eventually(async () => {
      const { status } = await space.get(KIND, NAME);
      expect(JSON.stringify(status)).not.toContain('PodsOutdated');
    }, PATIENCE_S);
  });
  await step('deleted, it leaves no pod, object, label, mount or file', async () => {
    expect(existsSync(join(dataDir, namespace, NAME))).toBe(true);
    await space.kubectl('delete', 'pod', 'reader', 'files');
    await space.delete('Dataset', NAME);
    await space.gone('Dataset', NAME, PATIENCE_S);
    await space.gone(KIND, NAME);
    await eventually(async () => {
      expect(await space.made()).toEqual([]);
      expect(await space.list('Pod')).toEqual([]);
      expect(await nodeLabels({ cluster, space })).toEqual([]);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`/moosefs/${namespace}/`);
      expect(existsSync(join(dataDir, namespace, NAME))).toBe(false);
    }, PATIENCE_S);
  });

  async function specOf(): Promise<object> {
    return (await space.get(KIND, NAME))['spec'] as object;
  }
  function inWorker(worker: number): Promise<string> {
    return cluster.plane.kubectl('exec', '-n', namespace, `${NAME}-worker-${worker}`, '--', 'cat', '/tmp/moosefs.cfg');
  }
}

const withSpec = (object: KubeObject, more: object): KubeObject => ({ ...object, spec: { ...(object['spec'] as object), ...more } });

/** Pods of the runtime with their UIDs and restarts. */
async function running(space: Space) {
  const pods = (await space.list('Pod')).filter(({ metadata }) => /-(master|worker|fuse)-/.test(metadata.name));
  return pods
    .map(({ metadata, status }) => {
      const { containerStatuses = [] } = status as { readonly containerStatuses?: readonly { readonly restartCount: number }[] };
      return [metadata.name, metadata.uid, containerStatuses.map(({ restartCount }) => restartCount)] as const;
    })
    .toSorted(([a], [b]) => a.localeCompare(b));
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: { readonly matchExpressions: readonly { readonly key: string }[] };
    }[];
  };
}

/** A pod that leaves it to the webhook where it runs. */
const userOf = (claim: string, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'tried', namespace, labels: { 'fuse.serverful.fluid.io/inject': 'true' } },
  spec: {
    containers: [{ name: 'main', image: BUSYBOX_IMAGE, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
  },
});
