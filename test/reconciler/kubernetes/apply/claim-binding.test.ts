import { systemClock } from '../../../../src/kube/clock.ts';
import { expect, test } from 'vitest';
import { createClaimBinding } from '../../../../src/reconciler/kubernetes/apply/claim-binding.ts';
import type { LiveObject } from '../../../../src/reconciler/world.ts';
import { openDataset, thinRuntime } from '../../../support/objects.ts';
import { type Harness, harness } from '../../harness.ts';

/** A claim that stays Pending, and what nudges it. */
async function pending() {
  const at = await harness();
  at.controllers.paused.add('claims');
  at.put(openDataset('demo'));
  at.put(thinRuntime('demo', { profileName: 'profile' }));
  await at.quiet();
  const { store, server } = at;
  const leading = new AbortController();
  const woken: string[] = [];
  const claimBinding = createClaimBinding({
    client: server.client({ fieldManager: 'sluice' }),
    store,
    clock: systemClock,
    wake: ({ name }) => void woken.push(name),
    signal: leading.signal,
  });
  await at.advance(600_000);
  at.forget();
  return { at, leading, claimBinding, woken, claim: at.get('PersistentVolumeClaim') as LiveObject };
}
const patches = (at: Harness) => at.written({ kind: 'PersistentVolumeClaim', verb: 'patch' }).length;

test('a claim is not nudged any more once the process no longer leads', async () => {
  const { at, claimBinding, leading, claim } = await pending();
  claimBinding.nudge(claim, 500);
  await at.advance(400);
  leading.abort(new Error('no longer leading'));
  await at.advance(60_000);
  expect(patches(at)).toBe(0);
});

test('a nudge that is rejected is reported by the next pass, until one is accepted', async () => {
  const { at, claimBinding, woken, claim } = await pending();
  const rule = at.server.rules.refuse(
    { verb: 'patch', kind: 'PersistentVolumeClaim' },
    { status: 403, reason: 'Forbidden', message: 'no' },
  );
  claimBinding.nudge(claim, 500);
  claimBinding.nudge(claim, 500);
  await at.advance(600_000);
  expect(woken).toEqual(['demo']);
  expect(() => claimBinding.nudge(claim, 500)).toThrow(/403 Forbidden: no/);
  rule.remove();
  await at.advance(300_000);
  expect(woken).toEqual(['demo', 'demo']);
  claimBinding.nudge(claim, 500);
});
