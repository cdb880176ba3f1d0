/** Templates of a class are sent in canonical form: otherwise each pass would find a difference and write it again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import cache from '../../../runtimes/cache/index.ts';
import { InvalidSpec, type Manifest } from '../../../src/api/index.ts';
import { PRINT_ORDER } from '../../../src/constructs/index.ts';
import type { KubeObject } from '../../../src/kube/types.ts';
import { differences } from '../../../src/planning/diff/compare.ts';
import { ownedType } from '../../../src/planning/kinds.ts';
import { createApiServer } from '../../../src/testing/index.ts';
import { type RandomCache, randomCaches } from '../../support/random-template.ts';
import { given } from './given.ts';

/** Undefined for what is not valid. */
function rendered({ type, spec }: RandomCache): readonly Manifest[] | undefined {
  try {
    const { synth } = cache.bind(given({ type, spec }));
    return PRINT_ORDER.flatMap(synth);
  } catch (error) {
    if (error instanceof InvalidSpec) return undefined;
    throw error;
  }
}

test('200 classes of users: applied a second time, nothing is written, and what is not valid says so', async () => {
  const valid = { yes: 0, no: 0 };
  await fc.assert(
    fc.asyncProperty(randomCaches, async (random) => {
      const objects = rendered(random);
      valid[objects ? 'yes' : 'no']++;
      const client = createApiServer({ namespaces: ['ml'] }).client({ fieldManager: 'sluice' });
      for (const object of objects ?? []) {
        const sent = JSON.parse(JSON.stringify(object)) as KubeObject;
        const type = ownedType(sent.kind);
        const created = await client.create(type, sent, { fieldValidation: 'Strict' });
        expect(differences(sent, created)).toEqual([]);
        const applied = await client.apply(type, sent, { force: true, fieldValidation: 'Strict' });
        const again = await client.apply(type, sent, { force: true, fieldValidation: 'Strict' });
        expect(again.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
      }
    }),
    { numRuns: 200 },
  );
  expect(valid.yes).toBeGreaterThan(30);
  expect(valid.no).toBeGreaterThan(0);
});
