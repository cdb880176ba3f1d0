/** The values of Fluid's chart (charts/fluid/fluid/values.yaml at a826600), and what Sluice has where nobody says otherwise, read from the code. */
import { runtimes } from '../../runtimes/_all.gen.ts';
import type { Manifest, PodSpec } from '../../src/api/index.ts';
import { webhookConfigOf } from '../../src/cli/webhook/config.ts';
import { controllerConfigOf } from '../../src/cli/settings/config.ts';
import { version } from '../../src/cli/version.ts';
import { installationOf, settled } from '../../src/install/index.ts';
import { CASES } from '../runtimes/cases.ts';
import { enterprise } from '../runtimes/juicefs/given.ts';
import { code, table } from './markdown.ts';

const IMAGE = `sluice:${version()}`;
const install = settled({ daemons: ['efc'] }, IMAGE);
const printed = installationOf(install, { resources: [], runtimes });
const controller = controllerConfigOf({}, {}, runtimes);
const { settings: webhook, prefetcherImage } = webhookConfigOf({}, {});

/** The pod of a printed workload. */
const podOf = (manifests: readonly Manifest[], wanted: (manifest: Manifest) => boolean = () => true): PodSpec => {
  const found = manifests.find((each) => ['Deployment', 'StatefulSet', 'DaemonSet'].includes(each.kind) && wanted(each));
  if (!found) throw new Error('expected a workload');
  // The cast: these kinds have it.
  return (found as unknown as { readonly spec: { readonly template: { readonly spec: PodSpec } } }).spec.template.spec;
};
const part = (name: string): PodSpec => podOf(printed, ({ metadata }) => metadata.name === name);
/** A variable of a part of the installation. */
const variable = (name: string, of: string): string | undefined =>
  part(of)
    .containers.flatMap(({ env = [] }) => env)
    .find((each) => each.name === name)?.value;

const caseOf = (type: string) => {
  const found = CASES.find(([runtime]) => runtime.type === type);
  if (!found) throw new Error(`expected a case of ${type}`);
  return found;
};
const imageOf = (type: string, role: 'master' | 'worker' | 'fuse', input = caseOf(type)[1]): string =>
  podOf(caseOf(type)[0].bind(input).synth(role)).containers[0]?.image ?? '';
/** The range of the host ports of a runtime without a spec of its own. */
const portsOf = (type: string): string => {
  const [runtime, input] = caseOf(type);
  return (runtime.needs(input).ports?.[0]?.range ?? []).join('-');
};
const runs = (type: string): string => {
  const [runtime, input] = caseOf(type);
  return runtime.bind(input).plan.engine;
};

/** A value of the chart, Fluid's default, ours, and where an operator sets ours. */
type Row = readonly [chart: string, fluid: string, ours: string, where: string];

const env = (name: string) => `${code(name)} in ${code('controller.env')}`;
const nothing = 'nothing';
const rows: readonly Row[] = [
  ['namespace', 'fluid-system', install.namespace, code('namespace')],
  ['image.imagePullSecrets', nothing, install.imagePullSecrets.map(({ name }) => name).join() || nothing, code('imagePullSecrets')],
  ['runtime.mountRoot', '/runtime-mnt', controller.settings.mountRoot, code('mountRoot')],
  ['csi.kubelet.rootDir', '/var/lib/kubelet', install.kubeletDir, code('kubeletDir')],
  ['runtime.criticalFusePod', 'true', String(controller.settings.criticalFusePod), code('criticalFusePods')],
  [
    'runtime.syncScheduleInfoNodeExcludeSelector',
    nothing,
    variable('FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR', 'sluice-controller') ?? nothing,
    env('FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR'),
  ],
  ['runtime.alluxio.portRange', '20000-26000', portsOf('alluxio'), code('--runtime-node-port-range alluxio=…')],
  ['runtime.jindo.portRange', '18000-19999', portsOf('jindo'), code('--runtime-node-port-range jindo=…')],
  ['runtime.vineyard.portRange', '32000-34000', portsOf('vineyard'), code('--runtime-node-port-range vineyard=…')],
  ['ports of JuiceFS, in its template', '14000-15999', portsOf('juicefs'), code('--runtime-node-port-range juicefs=…')],
  ['ports of EFC, in its template', '16000-17999', portsOf('efc'), code('--runtime-node-port-range efc=…')],
  ['runtime.….portAllocatePolicy', 'random', controller.portPolicy, code('--port-allocate-policy')],
  ['runtime.alluxio.runtime', 'alluxio/alluxio-dev:2.9.0', imageOf('alluxio', 'worker'), env('ALLUXIO_RUNTIME_IMAGE_ENV')],
  ['runtime.alluxio.fuse', 'alluxio/alluxio-dev:2.9.0', imageOf('alluxio', 'fuse'), env('ALLUXIO_FUSE_IMAGE_ENV')],
  ['runtime.juicefs.fuse.ceimage…', 'juicedata/mount:ce-v1.3.0', imageOf('juicefs', 'fuse'), env('JUICEFS_CE_IMAGE_ENV')],
  [
    'runtime.juicefs.fuse.eeimage…',
    'juicedata/mount:ee-5.2.10-eb0a8b3',
    imageOf('juicefs', 'fuse', enterprise()),
    env('JUICEFS_EE_IMAGE_ENV'),
  ],
  [
    'runtime.jindo.smartdata',
    'registry.cn-shanghai.aliyuncs.com/jindofs/smartdata:6.9.1-202509151826',
    imageOf('jindo', 'master'),
    env('JINDO_SMARTDATA_IMAGE_ENV'),
  ],
  [
    'runtime.jindo.fuse',
    'registry.cn-shanghai.aliyuncs.com/jindofs/jindo-fuse:6.9.1-202509151826',
    imageOf('jindo', 'fuse'),
    env('JINDO_FUSE_IMAGE_ENV'),
  ],
  ...(['master', 'worker', 'fuse'] as const).map(
    (role): Row => [
      `runtime.efc.${role}`,
      `registry.cn-zhangjiakou.aliyuncs.com/nascache/efc-${role}:v1.2.2-19dcee9`,
      imageOf('efc', role),
      env(`EFC_${role.toUpperCase()}_IMAGE_ENV`),
    ],
  ),
  ...(['master', 'worker', 'fuse'] as const).map(
    (role): Row => [
      `runtime.vineyard.${role}`,
      `registry.aliyuncs.com/vineyard/${role === 'fuse' ? 'vineyard-fluid-fuse' : 'vineyardd'}:v0.22.2`,
      imageOf('vineyard', role),
      env(`VINEYARD_${role.toUpperCase()}_IMAGE_ENV`),
    ],
  ),
  ['runtime.jindo.engine', 'jindocache', runs('jindo'), env('JINDO_ENGINE_TYPE')],
  ['runtime.jindo.queryUfsTotal', 'true', variable('QUERY_UFS_TOTAL', 'sluice-controller') ?? 'false', env('QUERY_UFS_TOTAL')],
  [
    'runtime.jindo.init.portCheck.enabled',
    'false',
    controller.settings.env['INIT_PORT_CHECK_ENABLED'] ?? 'false',
    env('INIT_PORT_CHECK_ENABLED'),
  ],
  ['runtime.thin.fuse.configStorage', 'configmap', configKind(), env('THIN_FUSE_CONFIG_STORAGE')],
  ['replicas of each controller', '1', String(install.controller.replicas), code('controller.replicas')],
  [
    'tolerations of controllers and webhook',
    'every taint',
    (install.controller.tolerations ?? []).length === 0 ? nothing : 'some',
    code('tolerations'),
  ],
  ['csi.tolerations', 'every taint', toleratesAll() ? 'every taint' : 'some', code('csi.tolerations')],
  ['resources of each part', nothing, install.controller.resources ? 'requests, and limits of memory' : nothing, code('resources')],
  ['priority class of controllers and webhook', nothing, part('sluice-controller').priorityClassName ?? nothing, code('priorityClassName')],
  ['priority class of the node plugin', nothing, part('sluice-csi').priorityClassName ?? nothing, code('csi.priorityClassName')],
  [
    'csi.nodePublishMethod',
    'bindMount',
    variable('NODEPUBLISH_METHOD', 'sluice-csi') ?? 'bindMount',
    `${code('NODEPUBLISH_METHOD')} in ${code('csi.env')}`,
  ],
  ['webhook.enabled', 'true', String(install.webhook.enabled), code('webhook.enabled')],
  ['webhook.replicas', '1', String(install.webhook.replicas), code('webhook.replicas')],
  ['webhook.timeoutSeconds', '15', String(install.webhook.timeoutSeconds), code('webhook.timeoutSeconds')],
  ['webhook.reinvocationPolicy', 'IfNeeded', install.webhook.reinvocationPolicy, code('webhook.reinvocationPolicy')],
  ['failure policy of the webhook', 'Fail', install.webhook.failurePolicy, code('webhook.failurePolicy')],
  [
    'webhook.fuseSidecar.sidecarInjectionMode',
    'default',
    webhook.nativeSidecars ? 'native-sidecar' : 'default',
    `${code('FUSE_SIDECAR_INJECTION_MODE')} in ${code('webhook.env')}`,
  ],
  [
    'webhook.filePrefetcher',
    'fluidcloudnative/fluid-file-prefetcher:v0.1.0',
    prefetcherImage ?? 'the image of Sluice',
    `${code('FILE_PREFETCHER_IMAGE')} in ${code('webhook.env')}`,
  ],
];

/** The kind of the object that has config.json of a ThinRuntime. */
function configKind(): string {
  const [runtime, input] = caseOf('thin');
  const { config } = runtime.bind(input).plan;
  // The cast: the plan of a ThinRuntime says so.
  return (config as { readonly kind?: string } | undefined)?.kind?.toLowerCase() ?? '';
}
function toleratesAll(): boolean {
  return (part('sluice-csi').tolerations ?? []).some(({ key, operator }) => operator === 'Exists' && key === undefined);
}

const shown = (text: string): string => (/ |^nothing$/.test(text) ? text : code(text));

export const chartTables: Readonly<Record<string, () => Promise<string>>> = {
  async chartDefaults() {
    return table(
      ['value of the chart', 'Fluid', 'Sluice', 'set by'],
      rows.map(([chart, fluid, ours, where]) => [
        / /.test(chart) ? chart : code(chart),
        shown(fluid),
        ours === fluid ? 'the same' : `**${shown(ours)}**`,
        where,
      ]),
    );
  },
};
