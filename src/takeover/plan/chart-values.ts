/**
 * Values of Fluid's chart that have a place in `sluice install`. The table of docs/reference/differences-from-fluid.md is generated from this one. A
 * test compares it with the values of every chart.
 */
import { isRecord } from '../../api/is-record.ts';
import { type ChartRow, type Given, image, oneFor, portRange, same, Undecided, variable } from './chart-rows.ts';

const EFC = 'registry.cn-zhangjiakou.aliyuncs.com/nascache';
const JINDO = 'registry.cn-shanghai.aliyuncs.com/jindofs';
const VINEYARD = 'registry.aliyuncs.com/vineyard';
/** The tolerations that the chart has for every part. */
const EVERY_TAINT = JSON.stringify([{ operator: 'Exists' }]);

export const chartRows: readonly ChartRow[] = [
  same('namespace', 'fluid-system'),
  same('image.imagePullSecrets', 'nothing', 'imagePullSecrets', {
    take: (given) =>
      Array.isArray(given('image.imagePullSecrets')) ? secretsIn(given('image.imagePullSecrets') as readonly unknown[]) : undefined,
    live: { variable: 'IMAGE_PULL_SECRETS', parse: (text) => secretsIn(text.split(',').map((name) => ({ name }))) },
  }),
  same('runtime.mountRoot', '/runtime-mnt', 'mountRoot', { live: { variable: 'MOUNT_ROOT' } }),
  same('csi.kubelet.rootDir', '/var/lib/kubelet', 'kubeletDir', { live: { variable: 'KUBELET_ROOTDIR' } }),
  same('runtime.criticalFusePod', 'true', 'criticalFusePods', {
    // The chart sets the variable only for true.
    live: { variable: 'CRITICAL_FUSE_POD', parse: (text) => text === 'true', absent: { of: 'thinruntime-controller', value: false } },
  }),
  variable('runtime.syncScheduleInfoNodeExcludeSelector', 'FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR', 'nothing'),
  portRange('alluxio', '20000-26000'),
  portRange('jindo', '18000-19999'),
  portRange('vineyard', '32000-34000'),
  {
    chart: 'runtime.….portAllocatePolicy',
    paths: ['runtime.alluxio.portAllocatePolicy', 'runtime.jindo.portAllocatePolicy'],
    fluid: 'random',
    place: { flag: '--port-allocate-policy=' },
    take: (given, paths) => oneFor('policy', paths.map(given)),
    live: { flag: '--port-allocate-policy=', of: ['alluxioruntime-controller', 'jindoruntime-controller'] },
  },
  image('runtime.alluxio.runtime', 'ALLUXIO_RUNTIME_IMAGE_ENV', 'alluxio/alluxio-dev:2.9.0'),
  image('runtime.alluxio.fuse', 'ALLUXIO_FUSE_IMAGE_ENV', 'alluxio/alluxio-dev:2.9.0'),
  image('runtime.juicefs.fuse', 'JUICEFS_CE_IMAGE_ENV', 'juicedata/mount:ce-v1.3.0', 'ce'),
  image('runtime.juicefs.fuse', 'JUICEFS_EE_IMAGE_ENV', 'juicedata/mount:ee-5.2.10-eb0a8b3', 'ee'),
  image('runtime.jindo.smartdata', 'JINDO_SMARTDATA_IMAGE_ENV', `${JINDO}/smartdata:6.9.1-202509151826`),
  image('runtime.jindo.fuse', 'JINDO_FUSE_IMAGE_ENV', `${JINDO}/jindo-fuse:6.9.1-202509151826`),
  image('runtime.efc.master', 'EFC_MASTER_IMAGE_ENV', `${EFC}/efc-master:v1.2.2-19dcee9`),
  image('runtime.efc.worker', 'EFC_WORKER_IMAGE_ENV', `${EFC}/efc-worker:v1.2.2-19dcee9`),
  // The chart gives the session manager the image of the client.
  image('runtime.efc.fuse', ['EFC_FUSE_IMAGE_ENV', 'EFC_SESSMGR_IMAGE_ENV'], `${EFC}/efc-fuse:v1.2.2-19dcee9`),
  image('runtime.efc.init', 'EFC_INIT_FUSE_IMAGE_ENV', `${EFC}/init-alifuse:v1.2.2-19dcee9`),
  image('runtime.vineyard.master', 'VINEYARD_MASTER_IMAGE_ENV', `${VINEYARD}/vineyardd:v0.22.2`),
  image('runtime.vineyard.worker', 'VINEYARD_WORKER_IMAGE_ENV', `${VINEYARD}/vineyardd:v0.22.2`),
  image('runtime.vineyard.fuse', 'VINEYARD_FUSE_IMAGE_ENV', `${VINEYARD}/vineyard-fluid-fuse:v0.22.2`),
  variable('runtime.jindo.engine', 'JINDO_ENGINE_TYPE', 'jindocache', { take: engine }),
  variable('runtime.jindo.queryUfsTotal', 'QUERY_UFS_TOTAL', 'true', {
    live: { variable: 'QUERY_UFS_TOTAL', absent: { of: 'jindoruntime-controller', value: 'false' } },
  }),
  variable('runtime.jindo.init.portCheck.enabled', 'INIT_PORT_CHECK_ENABLED', 'false'),
  {
    ...image('runtime.jindo.init', 'DEFAULT_INIT_IMAGE_ENV', 'fluidcloudnative/init-users:v0.9.0'),
    ours: 'registry.cn-hangzhou.aliyuncs.com/fluid/init-users:v0.3.0-1467caa',
  },
  variable('runtime.thin.fuse.configStorage', 'THIN_FUSE_CONFIG_STORAGE', 'configmap'),
  same('replicas of each controller', '1', 'controller.replicas', {
    paths: ['dataset.replicas', 'runtime.*.replicas'],
    ours: '2',
    take: (given, paths) => atLeastTwo(Math.max(...paths.map((path) => Number(given(path) ?? 0)))),
  }),
  same('tolerations of controllers', 'every taint', 'controller.tolerations', {
    paths: ['dataset.tolerations', 'runtime.*.tolerations'],
    ours: 'nothing',
    take: (given, paths) => otherTolerations(paths.map(given)),
  }),
  same('csi.tolerations', 'every taint', 'csi.tolerations', { take: (given) => otherTolerations([given('csi.tolerations')]) }),
  variable('csi.nodePublishMethod', 'NODEPUBLISH_METHOD', 'bindMount', { place: { env: ['NODEPUBLISH_METHOD'], of: 'csi' } }),
  same('webhook.enabled', 'true'),
  same('webhook.replicas', '1', 'webhook.replicas', { ours: '2', take: (given) => atLeastTwo(Number(given('webhook.replicas') ?? 0)) }),
  same('webhook.tolerations', 'every taint', 'webhook.tolerations', {
    ours: 'nothing',
    take: (given) => otherTolerations([given('webhook.tolerations')]),
  }),
  same('webhook.resources', 'nothing', 'webhook.resources', {
    paths: ['webhook.resources.**'],
    ours: 'requests, and limits of memory',
    take: (given) => (isRecord(given('webhook.resources')) ? given('webhook.resources') : undefined),
  }),
  same('webhook.timeoutSeconds', '15'),
  same('webhook.reinvocationPolicy', 'IfNeeded'),
  same('webhook.serverlessInject.platformKey', 'nothing', 'webhook.platformLabel', { live: { variable: 'KEY_SERVERLESS_PLATFORM' } }),
  variable('webhook.fuseSidecar.sidecarInjectionMode', 'FUSE_SIDECAR_INJECTION_MODE', 'default', {
    ours: 'native-sidecar',
    place: { env: ['FUSE_SIDECAR_INJECTION_MODE'], of: 'webhook' },
  }),
  {
    ...image('webhook.filePrefetcher', 'FILE_PREFETCHER_IMAGE', 'fluidcloudnative/fluid-file-prefetcher:v0.1.0'),
    ours: 'the image of Sluice',
    place: { env: ['FILE_PREFETCHER_IMAGE'], of: 'webhook' },
  },
];

function secretsIn(items: readonly unknown[]): readonly { readonly name: string }[] | undefined {
  const names = items.map((item) => (isRecord(item) ? item['name'] : item)).filter((name) => typeof name === 'string' && name !== '');
  return names.length > 0 ? (names as readonly string[]).map((name) => ({ name })) : undefined;
}

/** One controller serves all kinds. */
function engine(given: Given): unknown {
  const found = given('runtime.jindo.engine');
  if (found === undefined || found === 'jindocache' || found === 'jindofsx') return found;
  throw new Undecided(`Sluice serves the engines jindocache and jindofsx, not ${JSON.stringify(found)}`);
}

/** Sluice has two by default, of which one stands by. */
const atLeastTwo = (replicas: number): number | undefined => (replicas > 2 ? replicas : undefined);

/** All of those that differ from the chart's, each once. */
function otherTolerations(lists: readonly unknown[]): unknown {
  const changed = lists.filter((list) => Array.isArray(list) && JSON.stringify(list) !== EVERY_TAINT) as readonly (readonly unknown[])[];
  const each = new Map(changed.flat().map((toleration) => [JSON.stringify(toleration), toleration]));
  return each.size > 0 ? [...each.values()] : undefined;
}
