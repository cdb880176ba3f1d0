import { imageOf, type PlanInput } from '../../src/constructs/index.ts';
import { ENGINE_IMAGE, type EngineName } from './engines.ts';
import type { JindoRuntimeSpec } from './spec.ts';

const VARIABLES = { engine: ENGINE_IMAGE, fuse: 'JINDO_FUSE_IMAGE_ENV' } as const;
export const imageVariables = Object.values(VARIABLES);

const REGISTRY = 'registry.cn-shanghai.aliyuncs.com/jindofs';
/** JindoCache's tag is the default of Fluid's chart; the tag built into Fluid is years older. */
const TAGS: Readonly<Record<EngineName, string>> = { jindocache: '6.9.1-202509151826', jindofsx: '4.6.8' };

/** An image in the form of a container. */
export interface Image {
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly tag: string;
}
export type Images = Readonly<Record<'engine' | 'fuse', Image>>;

type Input = Pick<PlanInput<JindoRuntimeSpec>, 'spec' | 'settings' | 'runtime'>;

export function imagesOf({ spec, settings, runtime }: Input): Images {
  const of = (part: 'engine' | 'fuse', repository: string): Image => {
    const said = part === 'fuse' ? spec.fuse : spec.jindoVersion;
    const image = imageOf(said, settings.env[VARIABLES[part]], `${REGISTRY}/${repository}:${TAGS[runtime.engine as EngineName]}`);
    return { image, imagePullPolicy: said?.imagePullPolicy || 'Always', tag: image.slice(image.lastIndexOf(':') + 1) };
  };
  return { engine: of('engine', 'smartdata'), fuse: of('fuse', 'jindo-fuse') };
}

/** Whether a tag names this version or a later one. What is no version counts as later: it is what someone built today. */
export function isAtLeast(tag: string, version: readonly [number, number, number]): boolean {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(tag)?.slice(1).map(Number);
  const differs = version.findIndex((part, i) => found?.[i] !== part);
  return !found || differs < 0 || (found[differs] ?? 0) > (version[differs] ?? 0);
}
