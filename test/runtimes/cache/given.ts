import { CacheRuntimeClass, type CacheRuntimeClassSpec } from '../../../runtimes/cache/class-spec.ts';
import cache from '../../../runtimes/cache/index.ts';
import type { CachePlan } from '../../../runtimes/cache/plan.ts';
import { CacheRuntime, type CacheRuntimeSpec } from '../../../runtimes/cache/spec.ts';
import { GROUP, type PodSpec, parse, VERSION } from '../../../src/api/index.ts';
import type { RuntimeInput } from '../../../src/constructs/index.ts';
import { type Given, planInput } from '../../../src/testing/given.ts';

const component = (name: string) => ({ template: { spec: { containers: [{ name, image: `example.io/${name}:1` }] } } });

/** A master, workers and clients of one container each. */
export const plainClass: CacheRuntimeClassSpec = {
  fileSystemType: 'plainfs',
  topology: { master: component('master'), worker: component('worker'), client: component('client') },
};

export const classOf = (spec: CacheRuntimeClassSpec): CacheRuntimeClass =>
  parse(CacheRuntimeClass, { apiVersion: `${GROUP}/${VERSION}`, kind: CacheRuntimeClass.kind, metadata: { name: 'plain' }, ...spec });

export type GivenCache = Omit<Given<CacheRuntimeSpec>, 'spec'> & {
  readonly spec?: Partial<CacheRuntimeSpec>;
  /** Fields of the class that differ from `plainClass`. */
  readonly type?: CacheRuntimeClassSpec;
};

/** A CacheRuntime of the class `plain` for Dataset `ml/demo`. */
export const given = ({ spec, type, facts, ...rest }: GivenCache = {}): RuntimeInput<CacheRuntimeSpec> =>
  planInput({
    ...rest,
    spec: parse(CacheRuntime, {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: CacheRuntime.kind,
      metadata: { name: 'demo', namespace: 'ml' },
      spec: { runtimeClassName: 'plain', ...spec },
    }).spec,
    facts: { objects: { 'CacheRuntimeClass/plain': classOf({ ...plainClass, ...type }) }, ...facts },
  });

export const planOf = (input: RuntimeInput<CacheRuntimeSpec>): CachePlan => cache.bind(input).plan as CachePlan;

/** The pods of a component, as they are rendered. */
export function podOf(input: RuntimeInput<CacheRuntimeSpec>, role: 'master' | 'worker' | 'fuse'): PodSpec {
  const workload = cache
    .bind(input)
    .synth(role)
    .find(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  return (workload as unknown as { readonly spec: { readonly template: { readonly spec: PodSpec } } }).spec.template.spec;
}
