/** Any number of copies of a sample, as the API server would keep them: other names, UIDs and ports, and the stamps of what they render to. */
import { annotation, Dataset, parse } from '../../src/api/index.ts';
import { PARTS, type PodFact, type RuntimeInput } from '../../src/constructs/index.ts';
import type { KubeObject } from '../../src/kube/types.ts';
import { cacheLabels } from '../../src/reconciler/kubernetes/nodes/cache-labels.ts';
import { bindingOf } from '../../src/planning/bindings.ts';
import { recordedPorts } from '../../src/planning/port-table.ts';
import { fuseFact } from '../../src/planning/views.ts';
import type { LiveObject, RuntimeObject } from '../../src/planning/objects.ts';
import { companionFacts, runtimeOf } from '../definitions.ts';
import { BENCHED } from '../kinds.ts';
import type { Sample } from './sample.ts';

export interface Copies {
  /**
   * The objects of one kind and one copy, as JSON; `version` is theirs. Partial: only metadata, as the API server cuts it out for clients
   * that ask for it.
   */
  objects(plural: string, i: number, version: number, isPartial?: boolean): readonly string[];
  readonly plurals: readonly string[];
  /** Plural of the runtime's kind. */
  readonly plural: string;
  /** Labels of a worker's node for a copy; none where there is no worker. */
  nodeLabels(i: number): Readonly<Record<string, string>>;
  /** The fuse pod of a copy. */
  fusePod(i: number, nodeName: string, serial: number, state: FuseState, version: number): string;
  identity(i: number): { readonly namespace: string; readonly name: string };
  /** A pod of a copy, named as in the sample. */
  inSample(pod: string): { readonly namespace: string; readonly pod: string };
}
export type FuseState = 'pending' | 'scheduled' | 'ready' | 'terminating';

const SETTINGS = { mountRoot: '/runtime-mnt', criticalFusePod: true, imagePullSecrets: [], env: {}, portRanges: {} };
const FACTS = {
  secrets: {},
  claims: {},
  configMaps: {},
  objects: companionFacts(),
};
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Two may have one on record, where there are too few. */
const [FIRST_PORT, PORTS] = [10_000, 55_000];
const VERSION = '"@version@"';
const PER_NAMESPACE = 100;

/** Which copy a pod is of, by its namespace and its name. */
export const copyOf = (namespace: string, pod: string): number =>
  Number(namespace.slice('live-'.length)) * PER_NAMESPACE + Number(/^set-(\d+)/.exec(pod)?.[1]);

/** @param pod one that is ready, of whomever: fuse pods are like it */
export function copiesOf(sample: Sample, pod: KubeObject): Copies {
  const runtime = runtimeOf(sample.kind);
  const plural = BENCHED[sample.kind].plural;
  const first = <T extends KubeObject>(plural: string) => sample.objects[plural]?.[0] as unknown as T;
  const daemonSet = first<LiveObject>('daemonsets');
  const workers = workersOf(sample);
  const text = JSON.stringify(sample.objects);
  const uids = [...new Set(text.match(UUID))];
  const ports = [...new Set(Object.values(portsOf(sample)))];
  // The namespace may be all the same to its dataset; every other name follows from these two.
  const names = [`${sample.namespace}-${sample.name}`, sample.namespace, sample.name];
  const stamps = stampsOf(plan(sample.namespace, sample.name, (uid) => uid, portsOf(sample)));
  const hashes = [...stamps.keys()];
  const stale = hashes.filter((hash) => !text.includes(hash));
  if (stale.length > 0) throw new Error(`the sample does not carry the stamps ${stale.join(', ')}: its plan is not the controller's`);
  const tokens = [...uids, ...hashes, ...ports.map(String), ...names];
  const pattern = new RegExp(`(${tokens.map((token) => (/^\d+$/.test(token) ? `(?<![\\w.-])${token}(?!\\d)` : token)).join('|')})`);
  const templates = Object.fromEntries(Object.entries(sample.objects).map(([plural, objects]) => [plural, objects.map(templateOf)]));
  const partials = Object.fromEntries(
    Object.entries(sample.objects).map(([plural, objects]) => [plural, objects.map(partialOf).map(templateOf)]),
  );
  const fuse = fuseTemplates();
  const values = new Map<number, Map<string, string>>();

  function templateOf(object: KubeObject): readonly string[] {
    const { resourceVersion: _, ...metadata } = object.metadata;
    return JSON.stringify({ ...object, metadata: { ...metadata, resourceVersion: '@version@' } }).split(pattern);
  }
  /** Even parts are text, odd ones what is another in each copy. */
  const filled = (template: readonly string[], i: number, version: number): string => {
    const own = valuesOf(i);
    let result = '';
    for (let part = 0; part < template.length; part++) result += part % 2 === 0 ? template[part] : own.get(template[part]!);
    return result.replace(VERSION, `"${version}"`);
  };

  const identity = (i: number) => ({ namespace: `live-${Math.floor(i / PER_NAMESPACE)}`, name: `set-${i % PER_NAMESPACE}` });
  const uidOf = (uid: string, i: number) => `${uid.slice(0, 24)}${i.toString(16).padStart(12, '0')}`;

  function valuesOf(i: number): Map<string, string> {
    const known = values.get(i);
    if (known) return known;
    const { namespace, name } = identity(i);
    const own = new Map(uids.map((uid) => [uid, uidOf(uid, i)]));
    ports.forEach((port, k) => own.set(String(port), String(FIRST_PORT + ((i * ports.length + k) % PORTS))));
    own.set(names[0]!, `${namespace}-${name}`).set(sample.namespace, namespace).set(sample.name, name);
    const ofCopy = (uid: string) => own.get(uid) ?? '';
    const theirs = Object.fromEntries(Object.entries(portsOf(sample)).map(([role, port]) => [role, Number(own.get(String(port)))]));
    const bound = plan(namespace, name, ofCopy, theirs);
    const mine = [...stampsOf(bound).keys()];
    hashes.forEach((hash, k) => own.set(hash, mine[k]!));
    values.set(i, own);
    return own;
  }

  /** As the controller plans it. */
  function plan(namespace: string, name: string, ofCopy: (uid: string) => string, of: Readonly<Record<string, number>>) {
    const fact = fuseFact(daemonSet);
    const uid = uidsOf(sample);
    const worker = workers.map((pod) => ({ ...pod, name: pod.name.replace(sample.name, name), uid: ofCopy(pod.uid) }));
    const render = (scriptHash: string | undefined) =>
      runtime.bind({
        name,
        namespace,
        uid: ofCopy(uid.runtime),
        annotations: {},
        spec: (parse(runtime.resource, first(plural)) as { spec: object }).spec,
        dataset: {
          identity: { namespace, name, uid: ofCopy(uid.dataset), collides: false },
          annotations: {},
          spec: parse(Dataset, first('datasets')).spec,
        },
        settings: SETTINGS,
        facts: {
          ...FACTS,
          ports: of,
          pods: { worker },
          ...(fact && { fuse: { image: fact.image, generation: fact.generation, ...(scriptHash && { scriptHash }) } }),
        },
      } satisfies RuntimeInput<unknown>);
    // The DaemonSet carries the hash of its own script.
    const once = render(undefined);
    const script = scriptHashOf(once.synth('fuse').find(({ kind }) => kind === 'DaemonSet') as unknown as LiveObject);
    return render(script);
  }

  function fuseTemplates(): Readonly<Record<FuseState, readonly string[]>> {
    const { template } = daemonSet['spec'] as { template: { metadata: { labels: Record<string, string> } } };
    const { name, uid } = daemonSet.metadata;
    const podIn = (state: FuseState): KubeObject => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        namespace: sample.namespace,
        name: `${name}-@serial@`,
        uid: '@pod@',
        labels: {
          ...template.metadata.labels,
          'pod-template-generation': daemonSet.metadata.annotations?.['deprecated.daemonset.template.generation'] ?? '',
        },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true, blockOwnerDeletion: true }],
        ...(state === 'terminating' && { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }),
      },
      spec: { ...(pod['spec'] as object), nodeName: state === 'pending' ? undefined : '@node@' },
      status: state === 'ready' || state === 'terminating' ? pod['status'] : { phase: 'Pending', conditions: [] },
    });
    const states = ['pending', 'scheduled', 'ready', 'terminating'] as const;
    return Object.fromEntries(states.map((state) => [state, templateOf(podIn(state))])) as Record<FuseState, readonly string[]>;
  }

  return {
    plural,
    plurals: Object.keys(templates),
    objects: (of, i, version, isPartial = false) =>
      ((isPartial ? partials : templates)[of] ?? []).map((template) => filled(template, i, version)),
    nodeLabels(i) {
      if (!sample.objects['pods']?.length) return {};
      const { namespace, name } = identity(i);
      const own = valuesOf(i);
      const bound = plan(namespace, name, (uid) => own.get(uid) ?? '', portsOf(sample));
      return cacheLabels(bound.plan);
    },
    fusePod: (i, nodeName, serial, state, version) =>
      filled(fuse[state], i, version)
        .replace('@serial@', serial.toString(36))
        .replace('@pod@', `00000000-0000-4000-8000-${serial.toString(16).padStart(12, '0')}`)
        .replace('@node@', nodeName),
    identity,
    inSample: (pod) => ({ namespace: sample.namespace, pod: pod.replace(/^set-\d+/, sample.name) }),
  };
}

/** As the controller finds its ready workers: by their addresses some plans name them. */
const workersOf = ({ objects }: Sample): readonly PodFact[] =>
  (objects['pods'] ?? [])
    .filter(({ metadata }) => metadata.labels?.['role']?.endsWith('-worker'))
    .map(({ metadata: { name, uid = '' }, spec, status }) => {
      const { nodeName = '' } = spec as { nodeName?: string };
      const { podIP = '' } = status as { podIP?: string };
      return { name, uid, ip: podIP, node: nodeName };
    });
const partialOf = ({ metadata }: KubeObject): KubeObject => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
const runtimeObject = ({ kind, objects }: Sample) => objects[BENCHED[kind].plural]?.[0];
const uidsOf = (sample: Sample) => ({
  runtime: runtimeObject(sample)?.metadata.uid ?? '',
  dataset: sample.objects['datasets']?.[0]?.metadata.uid ?? '',
});
// The ports in the runtime object of the watch.
const portsOf = (sample: Sample) => recordedPorts(runtimeObject(sample) as unknown as RuntimeObject, runtimeOf(sample.kind));
const scriptHashOf = (object: LiveObject): string | undefined =>
  (object['spec'] as { template?: { metadata?: { annotations?: Record<string, string> } } } | undefined)?.template?.metadata?.annotations?.[
    annotation.scriptHash
  ];

/** Every hash that objects carry, in the order in which they are rendered. */
function stampsOf(bound: Parameters<typeof bindingOf>[0]): ReadonlyMap<string, string> {
  const { desiredObjects } = bindingOf(bound);
  const found = new Map<string, string>();
  for (const part of PARTS)
    for (const desired of desiredObjects(part)) {
      found.set(desired.hash, desired.kind);
      const script = scriptHashOf(desired.manifest() as unknown as LiveObject);
      if (script) found.set(script, 'script');
    }
  return found;
}
