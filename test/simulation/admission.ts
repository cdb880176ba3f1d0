import type { KubeObject } from '../../src/kube/types.ts';

/** The message of the quota of `Plan.denied`. */
export const DENIED = 'exceeded quota: for-ever';

interface PodTemplate {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers?: readonly { readonly image?: string }[] };
}
/** A webhook's changes of a workload: its images come from a mirror, and pods of StatefulSets lose an annotation. */
export function mirrored<T extends object>(object: T): T {
  const { kind, spec } = object as { kind?: string; spec?: { template?: PodTemplate } };
  const template = spec?.template;
  if (!template?.spec?.containers) return object;
  const containers = template.spec.containers.map((each) => ({
    ...each,
    image: each.image?.startsWith('mirror/') ? each.image : `mirror/${each.image}`,
  }));
  const { 'sidecar.istio.io/inject': _, ...annotations } = template.metadata?.annotations ?? {};
  const metadata = kind === 'StatefulSet' ? { ...template.metadata, annotations } : template.metadata;
  return { ...object, spec: { ...spec, template: { ...template, ...(metadata && { metadata }), spec: { ...template.spec, containers } } } };
}

const NAMESPACES = ['default', 'ml', 'lab'] as const;
/** Allows no pods in the namespaces of users. */
export const quotas = (name: string): readonly KubeObject[] =>
  NAMESPACES.map((namespace) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace },
    spec: { hard: { pods: '0' } },
  }));
