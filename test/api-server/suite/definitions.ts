import type { KubeObject, ResourceType } from '../../../src/kube/types.ts';

export const CRD: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
/** The definition of a kind whose objects may have any field. */
export const definitionOf = ({ group, version, kind, plural }: ResourceType): KubeObject => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
};
