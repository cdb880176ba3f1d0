import type { FusePlan, Role } from '../../src/constructs/index.ts';
import {
  type BasePlan,
  basePlan,
  type ComponentProps,
  type Needs,
  optionNeeds,
  type PlanInput,
  together,
} from '../../src/constructs/index.ts';
import { type Entries, entriesOf } from './entries.ts';
import { extraResources } from './extra-resources.ts';
import { type LoadPlan, loadPlan } from './load-plan.ts';
import { checkPrivileged, podOf } from './pod.ts';
import { CONFIG_FILE, runtimeConfig } from './runtime-config.ts';
import type { CacheRuntimeSpec } from './spec.ts';
import { configName } from './status.ts';
import { tiersOf } from './tiers.ts';
import { COMPONENTS, type Component, classOf, type PlannedComponent, type Parts, partsOf } from './topology.ts';
import { specWarnings } from './warnings.ts';

export interface CachePlan extends BasePlan, Entries {
  /** The components that exist. */
  readonly pods: Readonly<Partial<Record<Role, ComponentProps>>>;
  /** Names of headless Services. */
  readonly services: Readonly<Partial<Record<Role, string>>>;
  /** The ConfigMaps that all components mount, created with the first role. */
  readonly configMaps: { readonly with: Role; readonly data: Readonly<Record<string, Readonly<Record<string, string>>>> };
  readonly load: LoadPlan;
}

type Input = PlanInput<CacheRuntimeSpec>;

export const needs = ({ spec, dataset }: Input): Needs => ({
  objects: [{ kind: 'CacheRuntimeClass', name: spec.runtimeClassName }],
  secrets: optionNeeds(dataset.spec),
});

/** The workload of a component. */
const roleOf = (component: Component): Role => (component === 'client' ? 'fuse' : component);

export function plan(input: Input): CachePlan {
  const { name, namespace, spec, dataset } = input;
  const type = classOf(input);
  const className = type.metadata.name;
  const { fuse, ...base } = basePlan(input, { mountType: 'cache', mountDir: 'cache-fuse', fuseNodeSelector: spec.client?.nodeSelector });
  const { parts, extra, worker, client } = together({
    parts: () => partsOf(input, type),
    extra: () => extraResources(name, type),
    worker: () => tiersOf(spec.worker?.tieredStore?.levels, 'spec.worker.tieredStore.levels'),
    client: () => tiersOf(spec.client?.tieredStore?.levels, 'spec.client.tieredStore.levels'),
  });
  if (parts.client) checkPrivileged(parts.client, className);
  const names = { master: base.workloads.master, worker: base.workloads.worker, client: base.workloads.fuse };
  const { accessModes } = base.volume;
  const shown = { dataset: dataset.spec, accessModes, targetPath: base.mountPath, parts, names };
  const config = together(
    { text: () => runtimeConfig({ ...shown, tiers: { worker: worker.levels, client: client.levels } }) },
    `Dataset ${namespace}/${name}`,
  ).text;
  const around = { extra, mountPath: base.mountPath, className };
  const pods = together({
    ...(parts.master && { master: podTask(input, parts.master, { ...around, tiers: NO_TIERS }) }),
    ...(parts.worker && { worker: podTask(input, parts.worker, { ...around, tiers: worker }) }),
    ...(parts.client && { fuse: podTask(input, parts.client, { ...around, tiers: client }) }),
  });
  const roles = existing(parts).map(({ component }) => roleOf(component));
  return {
    ...base,
    selectors: selectorsOf(base),
    ...(parts.client && { fuse: fuse as FusePlan }),
    replicas: { ...(parts.master && { master: parts.master.replicas }), ...(parts.worker && { worker: parts.worker.replicas }) },
    pods,
    services: Object.fromEntries(existing(parts).flatMap(({ component, service }) => (service ? [[roleOf(component), service]] : []))),
    // The masters and the clients are created before the workers.
    configMaps: {
      with: roles.includes('master') ? 'master' : roles.includes('fuse') ? 'fuse' : 'worker',
      data: { [configName(name)]: { [CONFIG_FILE]: config }, ...extra.configMaps },
    },
    config: { name: configName(name), roles },
    ...entriesOf(parts, config, dataset.spec),
    cacheOnNode: worker.bytes,
    load: loadPlan(input, type, parts, extra),
    warnings: [...base.warnings, ...specWarnings(spec, type.spec, className, dataset.spec)],
  };
}

const NO_TIERS = tiersOf([], '');
const podTask =
  (...given: Parameters<typeof podOf>) =>
  () =>
    podOf(...given);
const existing = (parts: Parts): readonly PlannedComponent[] => COMPONENTS.flatMap((component) => parts[component] ?? []);

/** Fluid's own, by which pods that it made are found and kept. */
function selectorsOf({ name, workloads }: Pick<BasePlan, 'name' | 'workloads'>): NonNullable<BasePlan['selectors']> {
  const of = (role: Role) => ({ 'cacheruntime.fluid.io/component-name': workloads[role], 'cacheruntime.fluid.io/name': name });
  return { master: of('master'), worker: of('worker'), fuse: of('fuse') };
}
