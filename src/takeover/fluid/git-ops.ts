/** Tools that apply Fluid's objects again from a repository: Argo CD and Flux. */
import { type KubeObject, type ResourceType, resourceType } from '../../kube/types.ts';
import type { FluidReader } from './reads.ts';

export interface GitOpsOwner {
  readonly tool: 'Argo CD' | 'Flux';
  readonly kind: 'Application' | 'Kustomization' | 'HelmRelease';
  /** Absent if the tool's object was not found. */
  readonly namespace?: string;
  readonly name: string;
  /** Whether the tool leaves the objects as they are. undefined: its object was not found or may not be read. */
  readonly isPaused: boolean | undefined;
  /** Commands that pause it. */
  readonly pause: string;
  /** Commands that let it go on. */
  readonly resume: string;
}

type Found = Pick<GitOpsOwner, 'tool' | 'kind' | 'name' | 'namespace'>;

const toolType = (group: string, kind: string, plural: string, version: string): ResourceType => ({
  ...resourceType(group, kind, plural),
  version,
});
/** Versions that the tools have served, the newest first. */
const TYPES: Readonly<Record<GitOpsOwner['kind'], readonly ResourceType[]>> = {
  Application: [toolType('argoproj.io', 'Application', 'applications', 'v1alpha1')],
  Kustomization: ['v1', 'v1beta2'].map((version) => toolType('kustomize.toolkit.fluxcd.io', 'Kustomization', 'kustomizations', version)),
  HelmRelease: ['v2', 'v2beta2', 'v2beta1'].map((version) => toolType('helm.toolkit.fluxcd.io', 'HelmRelease', 'helmreleases', version)),
};

/** The owners of these objects, each once. */
export async function gitOpsOwners(reads: FluidReader, objects: readonly KubeObject[]): Promise<readonly GitOpsOwner[]> {
  const named = new Map(objects.flatMap(ownersOf).map((each) => [`${each.kind}/${each.namespace ?? ''}/${each.name}`, each]));
  const owners: GitOpsOwner[] = [];
  for (const found of named.values()) {
    const object = await ownerObject(reads, found);
    // A label that many charts set, and that is Argo's only where there is an Application of that name.
    if (!object && found.tool === 'Argo CD' && !found.namespace && isByLabelAlone(objects, found.name)) continue;
    owners.push(ownerOf(found, object));
  }
  return owners;
}

/** Owners by the labels and annotations of an object, as each tool documents them. */
function ownersOf({ metadata }: KubeObject): readonly Found[] {
  const { labels = {}, annotations = {} } = metadata;
  const application = applicationIn(annotations[TRACKING] ?? '') ?? labels[INSTANCE];
  return [
    ...(application ? [argo(application)] : []),
    ...(['kustomize', 'helm'] as const).flatMap((sort): readonly Found[] => {
      const [name, namespace] = [labels[`${sort}.toolkit.fluxcd.io/name`], labels[`${sort}.toolkit.fluxcd.io/namespace`]];
      return name && namespace ? [{ tool: 'Flux', kind: sort === 'helm' ? 'HelmRelease' : 'Kustomization', name, namespace }] : [];
    }),
  ];
}

const TRACKING = 'argocd.argoproj.io/tracking-id';
const INSTANCE = 'app.kubernetes.io/instance';
/** `<application>:<group>/<kind>:<namespace>/<name>`. */
const applicationIn = (tracking: string): string | undefined => /^([^:]+):/.exec(tracking)?.[1];
const isByLabelAlone = (objects: readonly KubeObject[], name: string): boolean =>
  objects.every(({ metadata }) => applicationIn(metadata.annotations?.[TRACKING] ?? '') !== name);

/** `<namespace>_<name>` for an Application outside of Argo's own namespace. */
function argo(application: string): Found {
  const [, namespace, name = application] = /^([a-z0-9-]+)_(.+)$/.exec(application) ?? [];
  return { tool: 'Argo CD', kind: 'Application', name, ...(namespace !== undefined && { namespace }) };
}

async function ownerObject(reads: FluidReader, { kind, name, namespace }: Found): Promise<KubeObject | undefined> {
  for (const type of TYPES[kind]) {
    const [found] =
      namespace === undefined
        ? await reads.list(type, { fieldSelector: `metadata.name=${name}` })
        : [await reads.get(type, { namespace, name })];
    if (found) return found;
  }
  return undefined;
}

function ownerOf(found: Found, object: KubeObject | undefined): GitOpsOwner {
  const { tool, kind, name } = found;
  const namespace = object?.metadata.namespace ?? found.namespace;
  const target = `kubectl -n ${namespace ?? '<namespace>'} patch ${kind.toLowerCase()} ${name} --type=merge -p`;
  const isArgo = tool === 'Argo CD';
  return {
    ...found,
    ...(namespace !== undefined && { namespace }),
    isPaused: object && (isArgo ? isArgoPaused(object) : specOf(object)['suspend'] === true),
    pause: `${target} ${isArgo ? `'{"metadata":{"annotations":{"${SKIP}":"true"}}}'` : `'{"spec":{"suspend":true}}'`}`,
    resume: `${target} ${isArgo ? `'{"metadata":{"annotations":{"${SKIP}":null}}}'` : `'{"spec":{"suspend":false}}'`}`,
  };
}

const SKIP = 'argocd.argoproj.io/skip-reconcile';
/** An Application without automated synchronisation changes nothing by itself. */
function isArgoPaused(application: KubeObject): boolean {
  const { automated } = (specOf(application)['syncPolicy'] ?? {}) as { readonly automated?: { readonly enabled?: boolean } | null };
  return !automated || automated.enabled === false || application.metadata.annotations?.[SKIP] === 'true';
}
const specOf = (object: KubeObject): Readonly<Record<string, unknown>> => (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
