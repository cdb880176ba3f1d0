/** Each sort of write of a take-over is refused in turn: what serves, serves on, a condition or an event says why, and the end is the same. */
import { expect, test } from 'vitest';
import { hasGoldens } from '../upstream/cases.ts';
import { refusedInTurn } from './refused-in-turn.ts';
import { scenes, watch } from '../reconciler/takeover/scenes.ts';

test.skipIf(!hasGoldens).each(Object.keys(scenes))(
  'a take-over of %s, of which the API server refuses any one sort of write for two minutes',
  async (scene) => {
    const { sorts, wrong } = await refusedInTurn({
      before: async (engines) => (await scenes[scene]!(engines)).at,
      act: () => {},
      watch(at) {
        const watched = watch(at);
        return () => watched.seen;
      },
    });
    expect(sorts.length).toBeGreaterThan(3);
    expect(wrong).toEqual([]);
  },
);
