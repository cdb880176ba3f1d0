import { InvalidSpec } from '../../src/api/index.ts';
import { type BasePlan, engine } from '../../src/constructs/index.ts';
import type { JindoRuntimeSpec } from './spec.ts';

/**
 * JindoFS 3.8. Fluid writes its configuration under names that its chart does not read, so that none of it has an effect: no such runtime
 * ever worked. It is still known by name: what it left on nodes is found when it is deleted.
 */
export const legacy = engine<JindoRuntimeSpec, BasePlan>({
  plan: () => {
    throw new InvalidSpec({
      path: 'spec',
      expected:
        'an engine that works, jindocache or jindofsx: delete the JindoRuntime and create it again, with an image of version 4 or later',
      found: 'jindo, which is JindoFS 3.8 (by status.valueFile, JINDO_ENGINE_TYPE of the controller, or the tag of the image)',
    });
  },
  components: {},
});
