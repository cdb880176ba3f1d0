/** The table of what pods of runtimes ask of a namespace, from the manifests that Sluice prints. */
import type { Manifest, PodSpec } from '../../src/api/index.ts';
import { CASES } from '../runtimes/cases.ts';
import { code, table } from './markdown.ts';

const ROLES = ['master', 'worker', 'fuse'] as const;

/** The fields of a pod that Pod Security `baseline` forbids. */
function needsOf(pod: PodSpec): readonly string[] {
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  const found: Readonly<Record<string, boolean>> = {
    privileged: containers.some(({ securityContext }) => securityContext?.privileged === true),
    capabilities: containers.some(({ securityContext }) => (securityContext?.capabilities?.add ?? []).length > 0),
    hostNetwork: pod.hostNetwork === true,
    hostPID: pod.hostPID === true,
    hostPort: containers.some(({ ports }) => ports?.some(({ hostPort }) => hostPort !== undefined)),
    hostPath: pod.volumes?.some(({ hostPath }) => hostPath !== undefined) === true,
  };
  return Object.keys(found).filter((name) => found[name]);
}

/** The pod of a workload. */
const podIn = (manifests: readonly Manifest[]): PodSpec | undefined => {
  const workload = manifests.find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  // The cast: both kinds have it.
  return (workload as unknown as { readonly spec: { readonly template: { readonly spec: PodSpec } } } | undefined)?.spec.template.spec;
};

export const platformTables: Readonly<Record<string, () => Promise<string>>> = {
  async podNeeds() {
    const rows = CASES.map(([runtime, input]) => {
      const { synth } = runtime.bind(input);
      const pods = ROLES.map((role) => podIn(synth(role)));
      const cells = pods.map((pod) => (pod ? needsOf(pod).map(code).join(', ') || 'nothing' : 'no such pod'));
      const level = pods.some((pod) => pod && needsOf(pod).length > 0) ? code('privileged') : code('baseline');
      return [runtime.resource.kind, ...cells, level];
    });
    return table(['runtime', 'masters', 'workers', 'fuse pods', 'Pod Security of the namespace'], rows);
  },
};
