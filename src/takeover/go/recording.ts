import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../kube/types.ts';
import { isSluices, recorded } from '../world/pieces.ts';
import { asWritten, fits, type RecordedObject } from '../world/record.ts';
import type { Step } from '../steps/step.ts';
import type { World } from '../world/world.ts';

/** Before anything of it is changed. What was recorded once stays: later, the same objects may be Sluice's. */
export const fluidRecorded: Step<World> = {
  title: "Fluid's replicas and manifests are recorded",
  does: "Record the replicas of Fluid's Deployments, its DaemonSet, CSIDriver, Service and webhook configuration, for the way back.",
  of(world) {
    const { fluid, record, target } = world;
    const replicas = { ...Object.fromEntries(fluid.deployments.map(({ name, replicas: now }) => [name, now])), ...record.replicas };
    const found: Readonly<Record<RecordedObject, KubeObject | undefined>> = {
      nodePlugin: fluid.nodePlugin?.object,
      driver: fluid.driver,
      service: fluid.webhook.service,
      configuration: fluid.webhook.configuration,
    };
    const fluids = Object.entries(found).flatMap(([name, object]) => (object && !isSluices(object) ? [[name, asWritten(object)]] : []));
    const next = { ...record, replicas, objects: { ...Object.fromEntries(fluids), ...record.objects }, values: target.values };
    return isDeepStrictEqual(next, record) && record.resourceVersion !== undefined ? undefined : recorded(world, next);
  },
};

/** While controllers still run: whoever may create CacheRuntimes may make their objects large. */
export const workloadsFit: Step<World> = {
  title: 'The record has room for the AdvancedStatefulSets',
  does: 'Check that the AdvancedStatefulSets of CacheRuntimes fit into the record.',
  of({ record, workloads }) {
    if (record.workloads || workloads.length === 0 || fits({ ...record, workloads: workloads.map(asWritten) })) return undefined;
    const bySize = workloads
      .map((set) => ({ name: `${set.kind} ${set.metadata.namespace}/${set.metadata.name}`, size: JSON.stringify(asWritten(set)).length }))
      .toSorted((a, b) => b.size - a.size);
    const largest = bySize.slice(0, 5).map(({ name, size }) => `  ${name}: ${Math.ceil(size / 1000)} KB`);
    return {
      refusal: ['the AdvancedStatefulSets of CacheRuntimes do not fit into the record, which has at most 1 MB. Largest:', ...largest],
    };
  },
};

/** Once Fluid's controllers write them no more, and before Sluice's controller deletes them. */
export const workloadsRecorded: Step<World> = {
  title: 'AdvancedStatefulSets are recorded',
  does: 'Record the AdvancedStatefulSets of CacheRuntimes, in place of which Sluice has StatefulSets.',
  of: (world) => (world.record.workloads ? undefined : recorded(world, { ...world.record, workloads: world.workloads.map(asWritten) })),
};
