/** The objects of one cluster in another one, where everything has another UID. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { castNames } from '../simulation/casts.ts';
import { deletedAll, faultsIn, madeIn, origin, phaseOf, type Restore, restored } from './restore-scene.ts';

/** More of them: `RUNS=100 npx vitest run test/reconciler/restored.test.ts`. */
const RUNS = Number(process.env['RUNS'] ?? 3);

const way: fc.Arbitrary<Restore> = fc.record({
  tool: fc.constantFrom('page' as const, 'velero' as const, 'velero-page' as const),
  withStatus: fc.boolean(),
  runs: fc.boolean(),
  order: fc.oneof(fc.constantFrom('tool' as const, 'volumesLast' as const, 'ownersLast' as const), fc.nat(999)),
  again: fc.constantFrom('never' as const, 'at once' as const, 'later' as const, 'after a restart' as const),
});
/** Everything of a namespace, once with its statuses and once without. */
const always: readonly Restore[] = [
  { tool: 'velero', withStatus: true, runs: true, order: 'tool', again: 'later' },
  { tool: 'velero', withStatus: false, runs: false, order: 'volumesLast', again: 'never' },
];

test.each(castNames)(
  'a Dataset of kind %s and its operations come as new ones from another cluster',
  { timeout: 600_000 },
  async (kind) => {
    const from = await origin(kind);
    const property = fc.asyncProperty(way, async (how) => {
      const at = await restored(from, how);
      expect(faultsIn(at)).toEqual([]);
      expect(madeIn(at)).toEqual(from.made);
      // Without its status, an operation is a manifest that somebody applies.
      const isOver = how.withStatus === true && how.tool.startsWith('velero');
      expect(phaseOf(at, 'DataProcess', 'done')).toBe(isOver ? 'Complete' : 'Executing');
      expect(at.server.get('Job', 'ml', 'done-processor-job') === undefined).toBe(isOver);
      await deletedAll(at);
      at.kill();
    });
    await fc.assert(property, { seed: 39, numRuns: RUNS, examples: always.map((each) => [each]), endOnFailure: true });
  },
);
