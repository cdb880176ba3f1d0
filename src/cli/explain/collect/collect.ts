import { stringify } from 'yaml';
import { Dataset, type DatasetSpec, label, ownerUid } from '../../../api/index.ts';
import { claimNames, type Runtime } from '../../../constructs/index.ts';
import type { KubeClient } from '../../../kube/contract.ts';
import type { KubeObject, ResourceType } from '../../../kube/types.ts';
import { Node, ownedKinds, Pod, typeOf } from '../../../planning/kinds.ts';
import { selectorOf } from '../../../kube/selector.ts';
import { datasetsOf } from '../../../reconciler/operations.ts';
import type { ExplainInput } from '../../../explain/gather.ts';
import { type ArchiveEntry, pathPart } from './archive.ts';
import { eventLog } from './events.ts';
import { podLogs, type SeenPod, seenPod } from './pods.ts';
import { createReader, type Reader } from './reader.ts';
import { redactedObject } from '../../../explain/redacted.ts';

export interface CollectOptions {
  readonly client: KubeClient;
  readonly runtimes: readonly Runtime[];
  readonly input: ExplainInput;
  /** The report, redacted, as text and as JSON. */
  readonly report: { readonly text: string; readonly json: string };
  readonly namespace: string;
  /** Where the controller and the node plugin run. */
  readonly systemNamespace: string;
  /** Version of this program. */
  readonly version: string;
}

const Deployment: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };
/** Those that are not ready are all in the archive. */
const MOST_READY_PODS = 100;
const MOST_NODES = 200;

/**
 * An archive for finding out why something does not work: the report, objects as YAML, events and logs. It is read and handed on piece by
 * piece. Secrets are not read. `notes.txt` names objects that the user may not read.
 */
export async function* collected(options: CollectOptions): AsyncGenerator<ArchiveEntry> {
  const { client, report, namespace, systemNamespace, version } = options;
  const reader = createReader(client);
  yield { path: 'explain.txt', text: report.text };
  yield { path: 'explain.json', text: report.json };

  const pods: SeenPod[] = [];
  const names: string[] = [];
  for await (const object of concerned(reader, options)) {
    names.push(object.metadata.name);
    if (object.kind !== Pod.kind) yield asYaml(object, 'objects');
    else if (isKept(object, pods)) yield asYaml(object, 'objects');
  }
  const nodes = new Set(pods.flatMap(({ node }) => node ?? []));
  for (const name of [...nodes].slice(0, MOST_NODES)) {
    const node = await reader.get(Node, { name });
    if (node) yield asYaml(inShort(node), 'objects');
  }
  yield* eventLog(reader, namespace, 'events.txt', isAbout(names));
  yield* podLogs(reader, pods, 'logs');

  const images: Record<string, readonly string[]> = {};
  const system: SeenPod[] = [];
  for await (const object of systemObjects(reader, systemNamespace, nodes)) {
    if (object.kind !== Pod.kind) images[`${object.kind} ${object.metadata.name}`] = imagesOf(object);
    if (object.kind !== Pod.kind || isKept(object, system)) yield asYaml(object, 'system');
  }
  yield* eventLog(reader, systemNamespace, 'system/events.txt', () => true);
  yield* podLogs(reader, system, 'system/logs');

  const kubernetes = await client.version().catch(() => undefined);
  const versions = { sluice: version, kubernetes: kubernetes?.gitVersion ?? 'unknown', images };
  yield { path: 'versions.json', text: `${JSON.stringify(versions, null, 2)}\n` };
  yield { path: 'notes.txt', text: [INTRODUCTION, ...(reader.notes.length > 0 ? reader.notes : ['nothing']), ''].join('\n') };
}

const INTRODUCTION = `Written by sluice explain --collect. Secrets were not read. Values that are secret by their names or forms are
[redacted]. Programs may print others: read the logs before you pass them on.

Left out:`;

/** All of ours, and of Kubernetes', that has to do with what is explained. */
async function* concerned(reader: Reader, { input, runtimes, namespace }: CollectOptions): AsyncGenerator<KubeObject> {
  const { objects, operations } = input;
  const datasets = new Set(objects.filter(({ kind }) => kind === Dataset.kind).map(({ metadata }) => metadata.name));
  const isOn = (operation: KubeObject) => datasetsOf(operation).some(({ name }) => datasets.has(name));
  const own = [...new Set([...objects, ...operations.filter(isOn)])];
  yield* own;
  for (const { resource, companions } of runtimes)
    for (const name of new Set(own.filter(({ kind }) => kind === resource.kind).flatMap(profileOf)))
      for (const companion of companions) {
        const found = await reader.get(typeOf(companion), { name });
        if (found) yield found;
      }
  const uids = new Set(own.map(({ metadata }) => metadata.uid));
  const claims = new Set(own.filter(({ kind }) => kind === Dataset.kind).flatMap(({ spec }) => claimNames(spec as DatasetSpec)));
  for (const type of Object.values(ownedKinds).filter(({ namespaced }) => namespaced))
    for await (const object of reader.all(type, { namespace, labelSelector: label.owner })) {
      if (!uids.has(ownerUid(object))) continue;
      if (type === ownedKinds.PersistentVolumeClaim) claims.add(object.metadata.name);
      else yield object;
      if (WORKLOADS.has(object.kind)) yield* reader.all(Pod, { namespace, labelSelector: selectorOf(object) });
    }
  for (const name of claims) {
    const claim = await reader.get(ownedKinds.PersistentVolumeClaim, { namespace, name });
    if (!claim) continue;
    yield claim;
    const { volumeName } = (claim['spec'] ?? {}) as { volumeName?: string };
    const volume = volumeName === undefined ? undefined : await reader.get(ownedKinds.PersistentVolume, { name: volumeName });
    if (volume) yield volume;
  }
}
const WORKLOADS: ReadonlySet<string> = new Set(['StatefulSet', 'DaemonSet', 'Job']);

function profileOf({ spec }: KubeObject): readonly string[] {
  const { profileName } = (spec ?? {}) as { profileName?: string };
  return profileName ? [profileName] : [];
}

/** The controller and the node plugin, with their pods; of the plugin, those beside pods of interest. */
async function* systemObjects(reader: Reader, namespace: string, nodes: ReadonlySet<string>): AsyncGenerator<KubeObject> {
  for (const type of [Deployment, ownedKinds.DaemonSet])
    for await (const workload of reader.all(type, { namespace })) {
      yield workload;
      for await (const pod of reader.all(Pod, { namespace, labelSelector: selectorOf(workload) }))
        if (type === Deployment || nodes.has(seenPod(pod).node ?? '')) yield pod;
    }
}

/** Remembers a pod for its logs. */
function isKept(object: KubeObject, pods: SeenPod[]): boolean {
  const pod = seenPod(object);
  pods.push(pod);
  return !pod.isReady || pods.length <= MOST_READY_PODS;
}

/** An event about one of these, or about a pod or Job of one that was deleted. */
function isAbout(names: readonly string[]): (object: { readonly name: string }) => boolean {
  const known = new Set(names);
  return ({ name }) => {
    const parts = name.split('-');
    return parts.some((_, i) => known.has(parts.slice(0, parts.length - i).join('-')));
  };
}

/** The fields of a node that may keep pods from it. */
function inShort({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject {
  const { name, labels, creationTimestamp } = metadata;
  const { taints, unschedulable } = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const { conditions, allocatable, nodeInfo } = (status ?? {}) as Readonly<Record<string, unknown>>;
  const kept = { name, ...(labels && { labels }), ...(creationTimestamp && { creationTimestamp }) };
  return { apiVersion, kind, metadata: kept, spec: { taints, unschedulable }, status: { conditions, allocatable, nodeInfo } };
}

function imagesOf({ spec }: KubeObject): readonly string[] {
  const { template } = (spec ?? {}) as { template?: { spec?: { containers?: readonly { image?: string }[] } } };
  return (template?.spec?.containers ?? []).flatMap(({ image }) => image ?? []);
}

const asYaml = (object: KubeObject, folder: string): ArchiveEntry => ({
  path: `${folder}/${object.kind}/${pathPart(object.metadata.name)}.yaml`,
  text: stringify(redactedObject(object), { lineWidth: 0, aliasDuplicateObjects: false }),
});
