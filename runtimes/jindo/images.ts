import { imageTable, inRegistry, type PlanInput } from '../../src/constructs/index.ts';
import { ENGINE_IMAGE, type EngineName } from './engines.ts';
import type { JindoRuntimeSpec } from './spec.ts';

const REGISTRY = 'registry.cn-shanghai.aliyuncs.com/jindofs';
const tableOf = (tag: string) =>
  imageTable({
    engine: [ENGINE_IMAGE, `${REGISTRY}/smartdata:${tag}`],
    fuse: ['JINDO_FUSE_IMAGE_ENV', `${REGISTRY}/jindo-fuse:${tag}`],
  });
/** JindoCache's tag is the default of Fluid's chart; the tag built into Fluid is years older. */
const tables: Readonly<Record<EngineName, ReturnType<typeof tableOf>>> = {
  jindocache: tableOf('6.9.1-202509151826'),
  jindofsx: tableOf('4.6.8'),
};

/** Looks for ports that are in use. */
const portCheck = {
  variable: 'DEFAULT_INIT_IMAGE_ENV',
  image: 'registry.cn-hangzhou.aliyuncs.com/fluid/init-users:v0.3.0-1467caa',
} as const;

export const images = [...Object.values(tables).flatMap((table) => table.images), portCheck];

/** An image in the form of a container. */
export interface Image {
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly tag: string;
}
export type Images = Readonly<Record<'engine' | 'fuse', Image>>;

type Input = Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'settings' | 'runtime'>;

export function imagesOf({ spec, settings, runtime }: Input): Images {
  const of = (part: 'engine' | 'fuse'): Image => {
    const said = part === 'fuse' ? spec.fuse : spec.jindoVersion;
    const { image, imagePullPolicy } = tables[runtime.engine as EngineName].of(part, settings, said);
    return { image, imagePullPolicy: imagePullPolicy || 'Always', tag: image.slice(image.lastIndexOf(':') + 1) };
  };
  return { engine: of('engine'), fuse: of('fuse') };
}

export const portCheckImage = ({ env, registry }: Input['settings']): string =>
  env[portCheck.variable] || inRegistry(portCheck.image, registry);

/** Whether a tag names this version or a later one. What is no version counts as later: it is what someone built today. */
export function isAtLeast(tag: string, version: readonly [number, number, number]): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(tag)?.slice(1).map(Number);
  const differs = version.findIndex((part, i) => found?.[i] !== part);
  return !found || differs < 0 || (found[differs] ?? 0) > (version[differs] ?? 0);
}
