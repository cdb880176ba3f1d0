/** The values of Fluid's chart (charts/fluid/fluid/values.yaml at a826600), and what Sluice has where nobody says otherwise, read from the code. */
import { runtimes } from '../../runtimes/_all.gen.ts';
import type { Manifest, PodSpec } from '../../src/api/index.ts';
import { webhookConfigOf } from '../../src/cli/webhook/config.ts';
import { controllerConfigOf } from '../../src/cli/settings/config.ts';
import { version } from '../../src/cli/version.ts';
import { placeInWords } from '../../src/takeover/plan/carry-over.ts';
import { leftRows } from '../../src/takeover/plan/chart-left.ts';
import type { ChartRow } from '../../src/takeover/plan/chart-rows.ts';
import { chartRows } from '../../src/takeover/plan/chart-values.ts';
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
/** The default that a variable replaces. */
const imageBy = (name: string): string => runtimes.flatMap(({ images }) => images).find((each) => each.variable === name)?.image ?? '';
/** The range of the host ports of a runtime without a spec of its own. */
const portsOf = (type: string): string => {
  const [runtime, input] = caseOf(type);
  return (runtime.needs(input).ports?.[0]?.range ?? []).join('-');
};
const runs = (type: string): string => {
  const [runtime, input] = caseOf(type);
  return runtime.bind(input).plan.engine;
};

/** Sluice's default for each row of the table, by its name. */
const OURS: Readonly<Record<string, () => string>> = {
  namespace: () => install.namespace,
  'image.imagePullSecrets': () => install.imagePullSecrets.map(({ name }) => name).join() || nothing,
  'runtime.mountRoot': () => controller.settings.mountRoot,
  'csi.kubelet.rootDir': () => install.kubeletDir,
  'runtime.criticalFusePod': () => String(controller.settings.criticalFusePod),
  'runtime.syncScheduleInfoNodeExcludeSelector': () =>
    variable('FLUID_SCHEDULE_INFO_EXCLUDE_NODE_SELECTOR', 'sluice-controller') ?? nothing,
  'runtime.alluxio.portRange': () => portsOf('alluxio'),
  'runtime.jindo.portRange': () => portsOf('jindo'),
  'runtime.vineyard.portRange': () => portsOf('vineyard'),
  'runtime.….portAllocatePolicy': () => controller.portPolicy,
  'runtime.alluxio.runtime': () => imageOf('alluxio', 'worker'),
  'runtime.alluxio.fuse': () => imageOf('alluxio', 'fuse'),
  'runtime.juicefs.fuse.ceimage…': () => imageOf('juicefs', 'fuse'),
  'runtime.juicefs.fuse.eeimage…': () => imageOf('juicefs', 'fuse', enterprise()),
  'runtime.jindo.smartdata': () => imageOf('jindo', 'master'),
  'runtime.jindo.fuse': () => imageOf('jindo', 'fuse'),
  'runtime.jindo.init': () => imageBy('DEFAULT_INIT_IMAGE_ENV'),
  'runtime.efc.master': () => imageOf('efc', 'master'),
  'runtime.efc.worker': () => imageOf('efc', 'worker'),
  'runtime.efc.fuse': () => imageOf('efc', 'fuse'),
  'runtime.efc.init': () => imageBy('EFC_INIT_FUSE_IMAGE_ENV'),
  'runtime.vineyard.master': () => imageOf('vineyard', 'master'),
  'runtime.vineyard.worker': () => imageOf('vineyard', 'worker'),
  'runtime.vineyard.fuse': () => imageOf('vineyard', 'fuse'),
  'runtime.jindo.engine': () => runs('jindo'),
  'runtime.jindo.queryUfsTotal': () => variable('QUERY_UFS_TOTAL', 'sluice-controller') ?? 'false',
  'runtime.jindo.init.portCheck.enabled': () => controller.settings.env['INIT_PORT_CHECK_ENABLED'] ?? 'false',
  'runtime.thin.fuse.configStorage': configKind,
  'replicas of each controller': () => String(install.controller.replicas),
  'tolerations of controllers': () => tolerated(install.controller.tolerations),
  'csi.tolerations': () => (toleratesAll() ? 'every taint' : 'some'),
  'csi.nodePublishMethod': () => variable('NODEPUBLISH_METHOD', 'sluice-csi') ?? 'bindMount',
  'webhook.enabled': () => String(install.webhook.enabled),
  'webhook.replicas': () => String(install.webhook.replicas),
  'webhook.tolerations': () => tolerated(install.webhook.tolerations),
  'webhook.resources': () => (install.webhook.resources ? 'requests, and limits of memory' : nothing),
  'webhook.timeoutSeconds': () => String(install.webhook.timeoutSeconds),
  'webhook.reinvocationPolicy': () => install.webhook.reinvocationPolicy,
  'webhook.serverlessInject.platformKey': () => install.webhook.platformLabel ?? nothing,
  'webhook.fuseSidecar.sidecarInjectionMode': () => (webhook.nativeSidecars ? 'native-sidecar' : 'default'),
  'webhook.filePrefetcher': () => prefetcherImage ?? 'the image of Sluice',
};
const nothing = 'nothing';
const tolerated = (tolerations: readonly unknown[] = []): string => (tolerations.length === 0 ? nothing : 'some');

/** Settings in the chart's templates that no value sets: Fluid's, ours, and where an operator sets ours. */
const IN_TEMPLATES: readonly (readonly [chart: string, fluid: string, ours: () => string, where: string])[] = [
  ['ports of JuiceFS', '14000-15999', () => portsOf('juicefs'), code('--runtime-node-port-range=juicefs=… in controller.args')],
  ['ports of EFC', '16000-17999', () => portsOf('efc'), code('--runtime-node-port-range=efc=… in controller.args')],
  [
    'priority class of controllers and webhook',
    nothing,
    () => part('sluice-controller').priorityClassName ?? nothing,
    code('controller.priorityClassName'),
  ],
  ['priority class of the node plugin', nothing, () => part('sluice-csi').priorityClassName ?? nothing, code('csi.priorityClassName')],
  ['failure policy of the webhook', 'Fail', () => install.webhook.failurePolicy, code('webhook.failurePolicy')],
];

/** Sluice's default, read from the code. A row without an entry here is a fault. */
export function oursOf({ chart }: Pick<ChartRow, 'chart'>): string {
  const find = OURS[chart];
  if (!find) throw new Error(`expected Sluice's default for the value ${chart} of the chart`);
  return find();
}

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
    const rows = [
      ...chartRows.map((row) => [row.chart, row.fluid, oursOf(row), code(placeInWords(row))] as const),
      ...IN_TEMPLATES.map(([chart, fluid, ours, where]) => [chart, fluid, ours(), where] as const),
    ];
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
  async chartLeft() {
    return table(
      ['value of the chart', 'why it has no place'],
      leftRows.map(({ paths, because }) => [paths.map(code).join(', '), because]),
    );
  },
};
