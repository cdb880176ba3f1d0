import { type CustomResource, nameRule, runtimeStatus, t } from '../../src/api/index.ts';
import { type BasePlan, basePlan, defineRuntime, must, type PlanInput, type EngineStatus } from '../../src/constructs/index.ts';

const mirrorRuntimeSpec = t.Object({
  /** Default: the runtime's own. */
  namespace: t.Optional(t.String()),
  dataset: t.String(),
});
export type MirrorRuntimeSpec = t.Static<typeof mirrorRuntimeSpec>;

const MirrorRuntime = {
  kind: 'MirrorRuntime',
  plural: 'mirrorruntimes',
  namespaced: true,
  description: 'What another Dataset holds, under a name of its own.',
  statusSubresource: true,
  spec: mirrorRuntimeSpec,
  status: runtimeStatus,
  rules: [nameRule],
} as const satisfies CustomResource;

interface MirrorPlan extends BasePlan {
  readonly reported: EngineStatus;
}

function plan(input: PlanInput<MirrorRuntimeSpec>): MirrorPlan {
  const { reference } = input.facts;
  if (!reference) throw new Error('expected the reference that was asked for');
  const { fluid_path: path = '', mount_pod_node_selector_key: key = '' } = reference.volume.csi?.volumeAttributes ?? {};
  const nested = reference.dataset.mounts.find(({ mountPoint }) => mountPoint.startsWith('dataset://'));
  must(!nested, 'spec.dataset', 'a Dataset that refers to no other', nested?.mountPoint);
  const { fuse: _, ...base } = basePlan(input, { mountType: `mirror-of-${reference.runtime.engine}`, mountDir: 'none' });
  const attributes = { ...base.volume.attributes, fluid_path: path, mount_pod_node_selector_key: key };
  return {
    ...base,
    mountPath: path,
    volume: { ...base.volume, attributes },
    reported: { cacheStates: { ...reference.dataset.status.cacheStates, workers: String(reference.runtime.status.workerNumberReady) } },
  };
}

/** A runtime with the feature that the others lack: a reference. It has no pods of its own; its volume is where another Dataset's is. */
export default defineRuntime({
  type: 'mirror',
  resource: MirrorRuntime,
  needs: ({ namespace, spec }) => ({ reference: { namespace: spec.namespace ?? namespace, name: spec.dataset } }),
  plan,
  components: {},
  status: ({ reported }: MirrorPlan) => reported,
});
