import { expect, test } from 'vitest';
import { silent } from '../../src/kube/types.ts';
import { createNudges } from '../../src/reconciler/kubernetes/nudges.ts';
import type { LiveObject } from '../../src/reconciler/world.ts';
import { openDataset, thinRuntime } from '../support/objects.ts';
import { type Harness, harness } from './harness.ts';

/** A claim that stays Pending, and what nudges it. */
async function pending() {
  const at = await harness();
  at.controllers.paused.add('claims');
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  const { store, server } = at;
  const reign = new AbortController();
  const nudges = createNudges({
    client: server.client({ fieldManager: 'sluice' }),
    store,
    now: Date.now,
    log: silent,
    signal: reign.signal,
  });
  await at.advance(600_000);
  at.forget();
  return { at, reign, nudges, claim: at.get('PersistentVolumeClaim') as LiveObject };
}
const patches = (at: Harness) => at.written({ kind: 'PersistentVolumeClaim', verb: 'patch' }).length;

test('a claim is not nudged any more once the reign has ended in which it was asked for', async () => {
  const { at, nudges, reign, claim } = await pending();
  nudges.nudge(claim, 500);
  await at.advance(400);
  reign.abort(new Error('no longer leading'));
  await at.advance(60_000);
  expect(patches(at)).toBe(0);
});
