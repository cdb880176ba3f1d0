import { imageOf, type RuntimeInput } from '../../src/constructs/index.ts';
import type { JindoRuntimeSpec } from './spec.ts';
import { ENGINE_TYPE } from './switches.ts';

/** The engines of Jindo that can run. `jindofs`, the app of both, was the first of them. */
export type EngineName = 'jindocache' | 'jindofsx';

/** How the two differ in names. The name of an engine is also the first part of its properties. */
export interface Names {
  /** The file with the sections of masters and workers, at `/` in each container. */
  readonly file: string;
  /** Sections of that file for all processes, masters and workers, in the order of the file. */
  readonly sections: readonly (readonly [section: string, of: 'common' | 'master' | 'worker'])[];
}
export const NAMES: Readonly<Record<EngineName, Names>> = {
  jindocache: {
    file: 'jindocache.cfg',
    sections: [
      ['jindocache-common', 'common'],
      ['jindocache-server', 'master'],
      ['jindocache-worker', 'worker'],
    ],
  },
  jindofsx: {
    file: 'jindofsx.cfg',
    sections: [
      ['jindofsx-common', 'common'],
      ['jindofsx-storage', 'worker'],
      ['jindofsx-namespace', 'master'],
    ],
  },
};

/** The image of masters and workers, where a spec names none. */
export const ENGINE_IMAGE = 'JINDO_SMARTDATA_IMAGE_ENV';
/** The engine of a runtime that has none yet: what the installation says, or else what its image must be. */
export function engineOf({ spec, settings }: Pick<RuntimeInput<JindoRuntimeSpec>, 'spec' | 'settings'>): string {
  const said = settings.env[ENGINE_TYPE];
  if (said) return said === 'jindo' || said === 'jindofsx' ? said : 'jindocache';
  const image = imageOf(spec.jindoVersion, settings.env[ENGINE_IMAGE], '');
  const [, major] = /:v?(\d+)\./.exec(image.slice(image.lastIndexOf('/') + 1)) ?? [];
  return { '3': 'jindo', '4': 'jindofsx' }[major ?? ''] ?? 'jindocache';
}
