/** Restores by kubectl and Velero: the objects of one cluster as these put them into another one. */
import type { KubeClient } from '../../src/kube/contract.ts';
import { isAlreadyExists, isNotFound } from '../../src/kube/errors.ts';
import type { KubeObject, ResourceType } from '../../src/kube/types.ts';

/**
 * `page`: the commands of docs/another-cluster.md, which take what users wrote.
 * `kubectl`: `kubectl get -o yaml | kubectl apply` of everything, old owners and finalizers too.
 * `velero`: a backup of the whole namespace; `velero-page`: with the selector of the page.
 */
export const TOOLS = ['page', 'kubectl', 'velero', 'velero-page'] as const;
export interface Way {
  readonly tool: (typeof TOOLS)[number];
  /** Velero's `--status-include-resources`; kubectl never writes a status. */
  readonly withStatus?: boolean;
  /** Velero's `--namespace-mappings`, from one namespace to another. */
  readonly mapping?: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;
const OWNER = 'data.fluid.io/owner-uid';
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const EXCLUDED = 'velero.io/exclude-from-backup';
/** Kinds that neither tool restores, or that the new cluster has of its own. */
const NEVER: ReadonlySet<string> = new Set(['Node', 'Event', 'Namespace', 'ControllerRevision', 'Lease']);
/** The order of Velero 1.18. All others follow by the alphabet. */
const FIRST = 'PersistentVolume PersistentVolumeClaim Role ServiceAccount RoleBinding Secret ConfigMap Pod ReplicaSet Service'.split(' ');

/** The objects that a tool takes, in the order in which it restores them, as it creates them. */
export function restorable(objects: readonly KubeObject[], { tool, mapping = {} }: Way): readonly KubeObject[] {
  const taken = objects.filter((object) => !NEVER.has(object.kind) && isTaken(object, tool));
  const placed = taken
    .map((object) => mapped(object, mapping))
    .map((object) => (tool.startsWith('velero') ? byVelero : byKubectl[tool as 'page'])(object));
  return placed.toSorted((a, b) => rank(a) - rank(b) || a.kind.localeCompare(b.kind));
}
const rank = ({ kind }: KubeObject): number => (FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length);

function isTaken({ kind, metadata: { labels = {} }, status }: KubeObject & { readonly status?: unknown }, tool: Way['tool']): boolean {
  const isSluices = labels[OWNER] !== undefined || labels[MANAGED_BY] === 'sluice';
  switch (tool) {
    case 'page':
      return !isSluices && !['Pod', 'Job', 'CronJob', 'PersistentVolume'].includes(kind);
    // The API server refuses the selector of a Job that it did not generate.
    case 'kubectl':
      return kind !== 'Job' && kind !== 'Pod';
    default:
      if (labels[EXCLUDED] === 'true' || (tool === 'velero-page' && isSluices)) return false;
      return !(kind === 'Pod' && ['Succeeded', 'Failed'].includes(fields(status)['phase'] as string)) && !fields(status)['completionTime'];
  }
}
const fields = (value: unknown): Fields => (value ?? {}) as Fields;
const omit = (from: object, ...keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));

const SERVERS = ['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
const bare = (object: KubeObject, ...also: readonly string[]): KubeObject =>
  ({ ...object, metadata: omit(object.metadata, ...SERVERS, 'managedFields', ...also) }) as KubeObject;
const byKubectl = {
  page: (object: KubeObject) => bare(object, 'ownerReferences', 'finalizers'),
  kubectl: (object: KubeObject) => bare(object),
} as Readonly<Record<string, (object: KubeObject) => KubeObject>> as { page: (object: KubeObject) => KubeObject };

/** Without owners, with two labels more; claims and volumes are to be bound again, and the selector of a Job to be generated. */
function byVelero(object: KubeObject): KubeObject {
  const { metadata, ...rest } = bare(object, 'ownerReferences');
  const labels = { ...metadata.labels, 'velero.io/backup-name': 'b', 'velero.io/restore-name': 'r' };
  const restored = { ...rest, metadata: { ...metadata, labels } } as KubeObject;
  const spec = fields(object['spec']);
  const template = spec['template'] as KubeObject | undefined;
  switch (object.kind) {
    case 'PersistentVolume':
      return { ...unbound(restored), spec: { ...spec, claimRef: omit(fields(spec['claimRef']), 'uid', 'resourceVersion') } } as KubeObject;
    case 'PersistentVolumeClaim':
      return unbound(restored);
    case 'Job': {
      const own = omit(template?.metadata.labels ?? {}, 'batch.kubernetes.io/controller-uid', 'controller-uid');
      const selector = fields(fields(spec['selector'])['matchLabels']);
      const left = omit(selector, 'batch.kubernetes.io/controller-uid', 'controller-uid');
      return {
        ...restored,
        spec: {
          ...omit(spec, 'selector'),
          ...(Object.keys(left).length > 0 && { selector: { matchLabels: left } }),
          template: { ...template, metadata: { ...template?.metadata, labels: own } },
        },
      } as KubeObject;
    }
    case 'Pod':
      return { ...restored, spec: omit(spec, 'nodeName') } as KubeObject;
    case 'Service':
      return spec['clusterIP'] === 'None' ? restored : ({ ...restored, spec: omit(spec, 'clusterIP', 'clusterIPs') } as KubeObject);
    default:
      return restored;
  }
}
function unbound(object: KubeObject): KubeObject {
  const { annotations = {}, ...metadata } = object.metadata;
  const kept = omit(annotations, 'pv.kubernetes.io/bind-completed', 'pv.kubernetes.io/bound-by-controller');
  return { ...object, metadata: { ...metadata, annotations: kept } } as KubeObject;
}

function mapped(object: KubeObject, mapping: Readonly<Record<string, string>>): KubeObject {
  const to = (namespace: string | undefined) => (namespace === undefined ? undefined : (mapping[namespace] ?? namespace));
  const { namespace } = object.metadata;
  const spec = fields(object['spec']);
  const claimRef = spec['claimRef'] as { readonly namespace?: string } | undefined;
  return {
    ...object,
    metadata: { ...object.metadata, ...(namespace && { namespace: to(namespace) }) },
    ...(claimRef &&
      object.kind === 'PersistentVolume' && { spec: { ...spec, claimRef: { ...claimRef, namespace: to(claimRef.namespace) } } }),
  } as KubeObject;
}

/** Creates an object; one that exists is patched by kubectl and left by Velero. */
export async function put(client: KubeClient, type: ResourceType, object: KubeObject, { tool, withStatus }: Way): Promise<void> {
  const { status, ...sent } = object as KubeObject & { readonly status?: object };
  const { namespace, name } = sent.metadata;
  try {
    await client.create(type, sent as KubeObject);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    if (tool.startsWith('velero')) return;
    const { apiVersion: _, kind: __, ...patch } = sent;
    await client.patch(type, { namespace, name }, patch, { type: 'merge' });
  }
  if (!tool.startsWith('velero') || !withStatus || !status || !object.apiVersion.startsWith('data.fluid.io/')) return;
  await client.patch(type, { namespace, name }, { status }, { type: 'merge', subresource: 'status' }).catch((error: unknown) => {
    // The garbage collector was faster.
    if (!isNotFound(error)) throw error;
  });
}
