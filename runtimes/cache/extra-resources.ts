import { type EnvVar, InvalidSpec, type PodSpec, shown, type Volume } from '../../src/api/index.ts';
import { absolutePath, type Mounted, mountedAt, volumeLabel } from '../../src/constructs/index.ts';
import type { CacheRuntimeClass, ClassComponent } from './class-spec.ts';

/**
 * ConfigMaps of a class. Each runtime has its own: Fluid creates one of the very name in the namespace, which two classes, or an old and a
 * new version of one, would share. What the class's templates say of that name is changed accordingly.
 */
export interface ExtraResources {
  /** By their names in the cluster. */
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Names in the cluster, by those of the class. */
  readonly names: ReadonlyMap<string, string>;
}

export function extraResources(runtime: string, { metadata, spec }: CacheRuntimeClass): ExtraResources {
  const declared = (spec.extraResources?.configMaps ?? []).map(({ name = '', data = {} }, i) => {
    if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name) && name.length <= 180) return [name, data] as const;
    throw new InvalidSpec(
      { path: `extraResources.configMaps[${i}].name`, expected: 'the name of a ConfigMap, of at most 180 characters', found: shown(name) },
      { object: `CacheRuntimeClass ${metadata.name}` },
    );
  });
  const twin = declared.find(([name], i) => declared.findIndex(([other]) => other === name) < i);
  if (twin)
    throw new InvalidSpec(
      { path: 'extraResources.configMaps', expected: 'names that differ', found: `${shown(twin[0])} twice` },
      { object: `CacheRuntimeClass ${metadata.name}` },
    );
  // Volumes of the runtime and of the class get different names: no name of a runtime has a dot.
  const named = (name: string) => `fluid-extra-${runtime}.${name}`;
  return {
    configMaps: Object.fromEntries(declared.map(([name, data]) => [named(name), data])),
    names: new Map(declared.map(([name]) => [name, named(name)])),
  };
}

/** The ConfigMaps that a component asks for, as directories. */
export function extraMounts({ dependencies }: ClassComponent, { names }: ExtraResources, where: Where): readonly Mounted[] {
  return (dependencies?.extraResources?.configMaps ?? []).map(({ name = '', mountPath = '' }, i) => {
    const field = `topology.${where.component}.dependencies.extraResources.configMaps[${i}]`;
    const inCluster = names.get(name);
    if (inCluster === undefined)
      throw new InvalidSpec(
        { path: `${field}.name`, expected: 'a name in extraResources.configMaps', found: shown(name) },
        { object: where.object },
      );
    const volume = volumeLabel(`fluid-extra-${name}`);
    const at = absolutePath(mountPath, `${field}.mountPath`);
    return mountedAt(at, volume, { configMap: { name: inCluster } }, { readOnly: true });
  });
}
interface Where {
  readonly component: string;
  /** The object that errors name: the class. */
  readonly object: string;
}

/** A pod of the class that refers to its ConfigMaps by their names in the cluster. */
export function withExtraNames(pod: PodSpec, { names }: ExtraResources): PodSpec {
  if (names.size === 0) return pod;
  const named = <T extends { name?: string }>(source: T): T => ({
    ...source,
    ...(source.name && { name: names.get(source.name) ?? source.name }),
  });
  const volume = (each: Volume): Volume => ({
    ...each,
    ...(each.configMap && { configMap: named(each.configMap) }),
    ...(each.projected?.sources && {
      projected: {
        ...each.projected,
        sources: each.projected.sources.map((source) => ({ ...source, ...(source.configMap && { configMap: named(source.configMap) }) })),
      },
    }),
  });
  const variable = (each: EnvVar): EnvVar =>
    each.valueFrom?.configMapKeyRef
      ? { ...each, valueFrom: { ...each.valueFrom, configMapKeyRef: named(each.valueFrom.configMapKeyRef) } }
      : each;
  const containers = <T extends PodSpec['containers'][number]>(list: readonly T[]): T[] =>
    list.map((each) => ({
      ...each,
      ...(each.env && { env: each.env.map(variable) }),
      ...(each.envFrom && {
        envFrom: each.envFrom.map((source) => ({ ...source, ...(source.configMapRef && { configMapRef: named(source.configMapRef) }) })),
      }),
    }));
  return {
    ...pod,
    ...(pod.volumes && { volumes: pod.volumes.map(volume) }),
    containers: containers(pod.containers),
    ...(pod.initContainers && { initContainers: containers(pod.initContainers) }),
  };
}
