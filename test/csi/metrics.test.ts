import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { CsiError, invalid, status, unavailable } from '../../src/csi/grpc/errors.ts';
import { createNodeMetrics, type NodeState } from '../../src/csi/metrics.ts';
import { seriesOf } from '../support/exposition.ts';
import { table } from './given.ts';

const KUBELET = '/var/lib/kubelet';
const HOUR_MS = 3_600_000;
const podMount = (uid: string, device: string, volume = 'ml-demo') => ({
  device,
  mountPoint: `${KUBELET}/pods/${uid}/volumes/kubernetes.io~csi/${volume}/mount`,
});
const fuseMount = (path: string, device: string) => ({ device, mountPoint: `/runtime-mnt/${path}` });

function given() {
  const clock = { now: 0, wall: () => 1_700_000_000_000, monotonic: () => clock.now };
  const registry = new Registry();
  const node: { state?: NodeState } = {};
  const metrics = createNodeMetrics(registry, { mountRoot: '/runtime-mnt', state: () => node.state, clock });
  const mounted = (silent: readonly string[], ...mounts: readonly { readonly device: string; readonly mountPoint: string }[]) => {
    node.state = { kubeletDir: KUBELET, mounts: table(...mounts), isSilent: (device) => silent.includes(device) };
  };
  /** The series of each Dataset, as `pods{ml/demo} 1`; of counters those that have counted. */
  const shown = async () => (await all()).filter((line) => !/_total\{.* 0$/.test(line));
  const all = async () =>
    seriesOf(await registry.metrics())
      .filter(({ labels }) => 'dataset' in labels)
      .map(({ name, labels: { namespace, dataset, ...more }, value }) => {
        const result = Object.values(more).map((each) => ` ${each}`);
        return `${name.replace('sluice_csi_dataset_', '')}{${namespace}/${dataset}${result.join('')}} ${value}`;
      });
  return { clock, registry, metrics, mounted, shown, all };
}

test('publish calls are counted by Dataset and result, with the time that pods waited', async () => {
  const { metrics, registry, shown } = given();
  metrics.published('/runtime-mnt/thin/ml/demo/thin-fuse', 0.5);
  metrics.published('/runtime-mnt/thin/ml/demo/thin-fuse', 20, unavailable('no mount'));
  metrics.published('/runtime-mnt/thin/ml/other/thin-fuse', 0.1, invalid('no path'));
  expect(await shown()).toEqual([
    'publishes_total{ml/demo published} 1',
    'publishes_total{ml/demo waits} 1',
    'publishes_total{ml/other refused} 1',
    'publish_seconds_total{ml/demo} 20.5',
    'publish_seconds_total{ml/other} 0.1',
  ]);
  expect(await registry.metrics()).toContain('sluice_csi_publish_duration_seconds_bucket{le="1",result="published"} 1');
});

test('recoveries are counted by result, and the last one that bound has its time', async () => {
  const { metrics, shown } = given();
  for (const result of ['bound', 'bound', 'unseen', 'failed'] as const) metrics.recovered('/runtime-mnt/thin/ml/demo/thin-fuse', result);
  metrics.recovered('/runtime-mnt/thin/ml/dead/thin-fuse', 'failed');
  expect(await shown()).toEqual([
    'recoveries_total{ml/demo bound} 2',
    'recoveries_total{ml/demo unseen} 1',
    'recoveries_total{ml/demo failed} 1',
    'recoveries_total{ml/dead failed} 1',
    'last_recovery_timestamp_seconds{ml/demo} 1700000000',
  ]);
});

test('the pods that mount a Dataset are those whose mounts show its file system, each once', async () => {
  const { mounted, shown } = given();
  const subPath = { device: '0:50', mountPoint: `${KUBELET}/pods/a/volume-subpaths/ml-demo/main/0` };
  mounted(
    [],
    fuseMount('juicefs/ml/demo/juicefs-fuse', '0:50'),
    fuseMount('juicefs/dev/idle/juicefs-fuse', '0:51'),
    podMount('a', '0:50'),
    subPath,
    podMount('b', '0:50'),
    // A client that has ended, and no client at all.
    podMount('c', '0:49'),
    { device: '0:50', mountPoint: '/somewhere' },
  );
  expect(await shown()).toEqual(['pods{ml/demo} 2', 'pods{dev/idle} 0', 'hanging{ml/demo} 0', 'hanging{dev/idle} 0']);
  mounted(['0:50'], fuseMount('juicefs/ml/demo/juicefs-fuse', '0:50'));
  expect(await shown()).toEqual(['pods{ml/demo} 0', 'hanging{ml/demo} 1']);
  mounted([]);
  expect(await shown()).toEqual([]);
});

test('the counters of a Dataset end an hour after the node has shown it last', async () => {
  const { clock, metrics, mounted, shown, all } = given();
  metrics.published('/runtime-mnt/thin/ml/demo/thin-fuse', 1);
  metrics.recovered('/runtime-mnt/thin/ml/demo/thin-fuse', 'bound');
  mounted([], fuseMount('thin/ml/demo/thin-fuse', '0:50'));
  for (let hour = 0; hour < 3; hour++) {
    clock.now += HOUR_MS;
    expect(await shown()).toContain('publishes_total{ml/demo published} 1');
  }
  mounted([]);
  clock.now += HOUR_MS;
  expect(await shown()).toHaveLength(4);
  clock.now += 1;
  expect(await all()).toEqual([]);
});

test('counters of a Dataset begin at 0 once the node shows it, since Prometheus sees no growth in the first value of a series', async () => {
  const { mounted, all } = given();
  mounted([], fuseMount('thin/ml/demo/thin-fuse', '0:50'));
  expect((await all()).filter((line) => /_total\{/.test(line))).toEqual([
    'publishes_total{ml/demo published} 0',
    'publishes_total{ml/demo waits} 0',
    'publishes_total{ml/demo refused} 0',
    'recoveries_total{ml/demo bound} 0',
    'recoveries_total{ml/demo unseen} 0',
    'recoveries_total{ml/demo failed} 0',
  ]);
});

test('paths that are no names of Kubernetes have no series, and thousands of names no more than 500', async () => {
  const { metrics, mounted, shown } = given();
  for (const path of [
    '/elsewhere/thin/ml/demo',
    '/runtime-mnt/thin/ml',
    '/runtime-mnt/thin/m"l/demo',
    '/runtime-mnt/thin/ml/a\nb',
    '/runtime-mnt-2/thin/ml/demo/x',
  ])
    metrics.published(path, 1, new CsiError(status.INTERNAL, 'x'));
  mounted([], fuseMount('thin/ml', '0:1'), fuseMount('thin/M L/demo', '0:2'));
  expect(await shown()).toEqual([]);
  for (let i = 0; i < 2000; i++) metrics.published(`/runtime-mnt/thin/ml/d${i}/thin-fuse`, 1);
  expect(await shown()).toHaveLength(1000);
});
