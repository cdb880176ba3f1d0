/**
 * Fluid and Sluice as Kubernetes runs them, on an API server in memory and a clock of its own: whenever somebody waits, time goes on, and
 * Kubernetes' controllers, the programs in the pods and the kubelets do what is due. Each change is watched for what must never be so.
 */
import { createHash } from 'node:crypto';
import type { CustomResource, Manifest } from '../../src/api/index.ts';
import { type ApiServer, createApiServer, WRITES } from '../../src/api-server/index.ts';
import { type Controllers, createControllers } from '../../src/api-server/controllers/index.ts';
import { labels, selector } from '../../src/install/labels.ts';
import type { Clock } from '../../src/kube/clock.ts';
import type { KubeClient } from '../../src/kube/contract.ts';
import { type KubeObject, resourceType } from '../../src/kube/types.ts';
import { typeOf } from '../../src/planning/kinds.ts';
import { BACKWARD } from '../../src/takeover/back/backward.ts';
import { observerOfBack } from '../../src/takeover/back/observe.ts';
import type { BackWorld } from '../../src/takeover/back/world.ts';
import { FORWARD } from '../../src/takeover/go/forward.ts';
import { observe } from '../../src/takeover/world/observe.ts';
import { partsOf } from '../../src/takeover/world/parts.ts';
import { carryOut, type Progress } from '../../src/takeover/steps/run.ts';
import type { Target, World } from '../../src/takeover/world/world.ts';
import { resources as all } from '../../runtimes/_resources.gen.ts';
import { lasting } from '../../src/webhook/certificates/lasting.ts';
import { createWebhooks, fluidsSecret, START } from './webhooks.ts';
import { binding, configuration, deployment, lease, NAMESPACE, nodePlugin, record } from './fluid/given.ts';

export { NAMESPACE } from './fluid/given.ts';
const WORKLOADS = { ...resourceType('workload.fluid.io', 'AdvancedStatefulSet', 'advancedstatefulsets'), version: 'v1alpha1' };
const CSINODE = resourceType('storage.k8s.io', 'CSINode', 'csinodes', false);
const SLICE = resourceType('discovery.k8s.io', 'EndpointSlice', 'endpointslices');
/** Each is listed at each reading. */
const KINDS = ['Dataset', 'JuiceFSRuntime', 'CacheRuntime', 'CacheRuntimeClass', 'DataLoad'];
const resources = all.filter(({ kind }) => KINDS.includes(kind));
const CONTROLLERS = ['dataset', 'cache'];
const controllerName = (name: string): string => (name === 'dataset' ? 'dataset-controller' : `${name}runtime-controller`);

export interface Scene {
  readonly server: ApiServer;
  readonly controllers: Controllers;
  readonly client: KubeClient;
  readonly clock: Clock & { readonly seconds: number };
  readonly target: Target;
  readonly resources: readonly CustomResource[];
  /** Sentences about states that must never be, and were. */
  readonly violations: readonly string[];
  /** Seconds without a controller, on each node without a plugin, without a webhook, and with one that API servers do not trust. */
  readonly gaps: Readonly<Record<string, number>>;
  /** Called each time that time goes on. */
  onTick: () => void;
  settle(): void;
  /** All objects that last, without what time and chance decide. */
  digest(): Readonly<Record<string, string>>;
}

export interface SceneOptions {
  readonly nodes?: number;
  /** Default: a few objects of each part. */
  readonly manifests?: readonly Manifest[];
  /** The objects of Fluid's chart. Default: a few objects of it, with the controllers of Datasets and of CacheRuntimes. */
  readonly chart?: Chart;
}
export interface Chart {
  readonly version: string;
  readonly objects: readonly KubeObject[];
  /** Kinds whose controllers run, by the names of their Leases: `dataset`, `alluxio`. */
  readonly controllers: readonly string[];
}

export function scene({ nodes = 2, manifests = small(), chart = usual() }: SceneOptions = {}): Scene {
  const server = createApiServer({ kinds: [...resources.map(typeOf), WORKLOADS, CSINODE, SLICE], namespaces: ['default', NAMESPACE] });
  const controllers = createControllers(server);
  const violations: string[] = [];
  const gaps: Record<string, number> = {};
  let nowMs = 1_000;
  fluidInstalled(server, nodes, chart);
  const webhooks = createWebhooks(server);
  const kubelet = slowEnd(server, nodes, () => nowMs);

  function tick(ms: number): void {
    nowMs += ms;
    kubelet();
    self.onTick();
    // A pod waits for the other one of its node.
    for (const node of nodeNames(nodes)) {
      const own = `${NAMESPACE}/sluice-csi-${node}`;
      if (isThere(server, `csi-nodeplugin-fluid-${node}`)) controllers.unready.add(own);
      else controllers.unready.delete(own);
    }
    controllers.settle();
    programs(server, chart.controllers);
    webhooks.run(['fluid-webhook', 'sluice-webhook'].flatMap((prefix) => pods(server, prefix)).filter(isReady), clock.wall());
    kubelets(server, nodes);
    endpoints(server);
    for (const [what, isGap] of Object.entries({
      ...gapsOf(server, nodes, chart.controllers),
      trust: !webhooks.areTrusted(behind(server)),
    }))
      if (isGap) gaps[what] = (gaps[what] ?? 0) + ms / 1000;
    violations.push(...wrong(server, nodes, chart.controllers).filter((each) => !violations.includes(each)));
  }

  const clock = {
    wall: () => START + nowMs,
    monotonic: () => nowMs,
    random: () => 0,
    after(ms: number, run: () => void) {
      let isCancelled = false;
      void Promise.resolve().then(() => {
        if (isCancelled) return;
        tick(ms);
        run();
      });
      return () => void (isCancelled = true);
    },
    get seconds() {
      return nowMs / 1000;
    },
  };
  const self: Scene = {
    server,
    controllers,
    client: server.client({ fieldManager: 'sluice-takeover', readsOnly: true }),
    clock,
    target: {
      namespace: NAMESPACE,
      values: { image: 'sluice:1' },
      parts: partsOf(manifests),
      workloads: [WORKLOADS],
      kinds: resources.map(typeOf),
    },
    resources,
    violations,
    gaps,
    onTick: () => {},
    settle: () => tick(500),
    digest: () => digestOf(server, chart.controllers),
  };
  for (let i = 0; i < 4; i++) tick(500);
  return self;
}

const nodeNames = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `node-${i + 1}`);
const pods = (server: ApiServer, prefix: string): readonly KubeObject[] =>
  server.all('Pod').filter(({ metadata: { namespace, name } }) => namespace === NAMESPACE && name.startsWith(prefix));
const isThere = (server: ApiServer, name: string): boolean => server.get('Pod', NAMESPACE, name) !== undefined;
const isReady = ({ status }: KubeObject): boolean =>
  ((status ?? {}) as { conditions?: readonly { type: string; status: string }[] }).conditions?.some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  ) ?? false;
const holderOf = (server: ApiServer, name: string): string =>
  (server.get('Lease', NAMESPACE, name)?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';

function fluidInstalled(server: ApiServer, nodes: number, chart: Chart): void {
  for (const name of nodeNames(nodes))
    server.put({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  for (const object of chart.objects) server.put(object);
  for (const name of chart.controllers) server.put(lease(`${name}.data.fluid.io`, ''));
  server.put(fluidsSecret());
  for (const revision of [1, 2]) server.put(record('Secret', revision, revision === 2 ? 'deployed' : 'superseded', {}, chart.version));
}

function usual(): Chart {
  const helm = { annotations: { 'meta.helm.sh/release-name': 'fluid', 'meta.helm.sh/release-namespace': 'default' } };
  const csiDriver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'fuse.csi.fluid.io', ...helm },
    spec: { attachRequired: false },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'fluid-pod-admission-webhook', namespace: NAMESPACE, ...helm },
    spec: {
      selector: { 'control-plane': 'fluid-webhook' },
      ports: [{ name: 'https-rest', port: 9443, protocol: 'TCP', targetPort: 9443 }],
    },
  };
  const deployments = CONTROLLERS.map((name) => deployment(controllerName(name), name === 'dataset' ? 2 : 1));
  const others = [
    deployment('fluidapp-controller'),
    deployment('fluid-webhook'),
    nodePlugin(),
    csiDriver,
    configuration(NAMESPACE),
    service,
  ];
  return { version: '1.0.8', controllers: CONTROLLERS, objects: [binding(NAMESPACE), ...deployments, ...others] };
}

/** Controllers that hold a Lease, or take a free one; one of Fluid's stands by for the time that a Lease says. */
function programs(server: ApiServer, controllers: readonly string[]): void {
  const takes = (name: string, prefix: string) => {
    const running = pods(server, prefix).filter(isReady);
    const holder = holderOf(server, name);
    if (running.some(({ metadata }) => holder === `${metadata.name}_1`)) return;
    // A process that has ended releases its Lease, or it runs out.
    const next = holder === 'sluice-takeover' ? holder : running[0] ? `${running[0].metadata.name}_1` : '';
    if (holder !== next) server.put({ ...lease(name, next), metadata: { name, namespace: NAMESPACE } });
  };
  for (const name of controllers) takes(`${name}.data.fluid.io`, controllerName(name));
  takes('sluice', 'sluice-controller');
}

/** The sidecar of an ending pod of Fluid's plugin has left the kubelet at once, whenever the plugin itself ends. */
const pluginsOf = (server: ApiServer, node: string): readonly KubeObject[] =>
  ['csi-nodeplugin-fluid', 'sluice-csi']
    .flatMap((name) => server.get('Pod', NAMESPACE, `${name}-${node}`) ?? [])
    .filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);

/** Fluid's plugin does not end at SIGTERM: its pods exist for as long as their grace period says. */
function slowEnd(server: ApiServer, nodes: number, now: () => number): () => void {
  const ends = new Map<string, number>();
  return () => {
    for (const node of nodeNames(nodes)) {
      const pod = server.get('Pod', NAMESPACE, `csi-nodeplugin-fluid-${node}`);
      if (!pod) continue;
      const { uid = '', deletionTimestamp, deletionGracePeriodSeconds: grace, finalizers = [] } = pod.metadata;
      if (deletionTimestamp === undefined && finalizers.length === 0)
        server.put({ ...pod, metadata: { ...pod.metadata, finalizers: ['example.io/kubelet'] } });
      if (deletionTimestamp !== undefined && !ends.has(uid)) ends.set(uid, now() + Number(grace) * 1000);
      if (now() >= (ends.get(uid) ?? Number.POSITIVE_INFINITY)) server.remove('Pod', NAMESPACE, pod.metadata.name);
    }
  };
}

/** Each write of an object would be a change that controllers follow. */
function putOnce(server: ApiServer, object: KubeObject): void {
  const { kind, metadata, ...rest } = object;
  const live = server.get(kind, metadata.namespace, metadata.name);
  if (!live || Object.entries(rest).some(([field, value]) => JSON.stringify(live[field]) !== JSON.stringify(value))) server.put(object);
}

function kubelets(server: ApiServer, nodes: number): void {
  for (const name of nodeNames(nodes)) {
    const drivers = pluginsOf(server, name).length > 0 ? [{ name: 'fuse.csi.fluid.io', nodeID: name }] : [];
    putOnce(server, { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers } });
  }
}

const WEBHOOK = 'fluid-pod-admission-webhook';
function behind(server: ApiServer): readonly KubeObject[] {
  const { selector: wanted = {} } = (server.get('Service', NAMESPACE, WEBHOOK)?.['spec'] ?? {}) as { selector?: Record<string, string> };
  return server
    .all('Pod')
    .filter((pod) => isReady(pod) && Object.entries(wanted).every(([key, value]) => pod.metadata.labels?.[key] === value));
}
function endpoints(server: ApiServer): void {
  const targets = behind(server).map(({ metadata: { name } }) => ({ targetRef: { kind: 'Pod', name } }));
  putOnce(server, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: WEBHOOK, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': WEBHOOK } },
    endpoints: targets,
  });
}

const fluidLeads = (server: ApiServer, controllers: readonly string[]): boolean =>
  controllers.some((name) =>
    pods(server, controllerName(name)).some((pod) => holderOf(server, `${name}.data.fluid.io`) === `${pod.metadata.name}_1`),
  );
const sluiceLeads = (server: ApiServer): boolean =>
  pods(server, 'sluice-controller').some(({ metadata }) => holderOf(server, 'sluice') === `${metadata.name}_1`);

const gapsOf = (server: ApiServer, nodes: number, controllers: readonly string[]): Readonly<Record<string, boolean>> => ({
  controller: !fluidLeads(server, controllers) && !sluiceLeads(server),
  ...Object.fromEntries(nodeNames(nodes).map((node) => [node, pluginsOf(server, node).length === 0])),
  webhook: behind(server).length === 0,
});

function wrong(server: ApiServer, nodes: number, controllers: readonly string[]): readonly string[] {
  const without = nodeNames(nodes).filter((node) => pluginsOf(server, node).length === 0);
  const isRecorded = server.get('ConfigMap', NAMESPACE, 'sluice-takeover') !== undefined;
  return [
    ...(fluidLeads(server, controllers) && sluiceLeads(server) ? ['two controllers led at once'] : []),
    ...nodeNames(nodes)
      .filter((node) => pluginsOf(server, node).length > 1)
      .map((node) => `two plugins served on ${node}`),
    ...(isRecorded &&
    without.length > 1 &&
    isThere(server, `sluice-csi-${without[0]}`) &&
    server.get('DaemonSet', NAMESPACE, 'sluice-csi') !== undefined
      ? ['more than one node had no plugin']
      : []),
  ];
}

/** A few objects of each part, whose workloads have the shape of the real ones. */
function small(): readonly Manifest[] {
  const workload = (kind: 'Deployment' | 'DaemonSet', name: string, part: 'controller' | 'csi' | 'webhook'): Manifest => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: NAMESPACE, labels: labels(part) },
    spec: {
      ...(kind === 'Deployment' && { replicas: 2 }),
      selector: { matchLabels: selector(part) },
      template: { metadata: { labels: labels(part) }, spec: { containers: [{ name: part, image: 'sluice:1' }] } },
    },
  });
  const account = (name: string, part: 'controller' | 'csi' | 'webhook'): Manifest => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: NAMESPACE, labels: labels(part) },
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: labels() } },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'datasets.data.fluid.io', labels: labels() },
      spec: {},
    },
    account('sluice-controller', 'controller'),
    workload('Deployment', 'sluice-controller', 'controller'),
    account('sluice-csi', 'csi'),
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'fuse.csi.fluid.io', labels: labels('csi') },
      spec: { attachRequired: false },
    },
    workload('DaemonSet', 'sluice-csi', 'csi'),
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'sluice-view', labels: labels() }, rules: [] },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'fluid-webhook-certs', namespace: NAMESPACE, labels: labels('webhook') } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: WEBHOOK, namespace: NAMESPACE, labels: labels('webhook') },
      spec: { selector: selector('webhook'), ports: [{ name: 'webhook', port: 443, targetPort: 'webhook', protocol: 'TCP' }] },
    },
    workload('Deployment', 'sluice-webhook', 'webhook'),
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: WEBHOOK, labels: labels('webhook') },
      webhooks: [{ name: 'sidecar.fuse.fluid.io', clientConfig: { service: { namespace: NAMESPACE, name: WEBHOOK, port: 443 } } }],
    },
  ];
}

const CHANGING = new Set(['Pod', 'ReplicaSet', 'CSINode', 'EndpointSlice', 'Lease', 'Event']);
/** Each object that lasts, by its name, with a hash of its specification. */
function digestOf(server: ApiServer, controllers: readonly string[]): Readonly<Record<string, string>> {
  const entries = server.all().flatMap((object) => {
    if (CHANGING.has(object.kind)) return [];
    const { metadata, status: _, ...rest } = object;
    const { annotations = {}, labels: own = {} } = metadata;
    const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('deprecated.')));
    const text = JSON.stringify([rest, kept, own]);
    return [
      [`${object.kind} ${metadata.namespace ?? ''}/${metadata.name}`, createHash('sha256').update(text).digest('hex').slice(0, 8)] as const,
    ];
  });
  const leases = controllers.map(
    (name) => [`Lease ${name}`, holderOf(server, `${name}.data.fluid.io`).replace(/-controller-.*/, '-controller')] as const,
  );
  return Object.fromEntries([...entries, ...leases].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Takes over, as one run of the command. */
export const go = (at: Scene, progress: Progress<World> = {}): Promise<void> =>
  carryOut(FORWARD, {
    client: at.client,
    clock: at.clock,
    progress,
    observe: (run) => observe(at.client, at.target, run, { withAdmission: true }),
  });

/** Returns to Fluid, as one run of the command. */
export const back = (at: Scene, progress: Progress<BackWorld> = {}): Promise<void> =>
  carryOut(BACKWARD, {
    client: at.client,
    clock: at.clock,
    progress,
    observe: observerOfBack(at.client, at.target, at.resources, lasting, at.clock),
  });

/** Writes of the command, in order: `patch Deployment/dataset-controller`. */
export const writes = ({ server }: Scene): readonly string[] =>
  server
    .requestsThat({ verb: WRITES, manager: 'sluice-takeover', when: ({ options }) => !options['dryRun'] })
    .map(({ verb, kind, name }) => `${verb} ${kind}/${name}`);
