/** Whether another controller runs, by its lease. */
import { describe, expect, test } from 'vitest';
import { checkAlone, elected, fluid, type OtherController } from '../../../src/cli/reconcile/other-controllers.ts';
import { type ApiServer, createApiServer } from '../../../src/api-server/index.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';

function leaseOf(clock: ManualClock, namespace: string, name: string, holderIdentity = 'other-0', leaseDurationSeconds = 6) {
  const spec = { holderIdentity, leaseDurationSeconds, renewTime: `${new Date(clock.wall()).toISOString().slice(0, -1)}000Z` };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec };
}

/** The result of the check, with `renew` called each half second. */
async function checked(
  others: readonly OtherController[],
  prepare: (server: ApiServer, clock: ManualClock) => void,
  renew = prepare,
  whyOpen?: (user: string) => Promise<string | undefined>,
) {
  const clock = manualClock();
  const server = createApiServer({ kinds: [], namespaces: ['fluid-system', 'fluid', 'ml'] });
  prepare(server, clock);
  let ended = false;
  const warnings: string[] = [];
  const check = checkAlone(server.client({ fieldManager: 'sluice' }), {
    others,
    ...(whyOpen && { whyOpen }),
    trusted: new Set(['fluid-system', 'ml']),
    warn: (message) => warnings.push(message),
    signal: new AbortController().signal,
    clock,
  })
    .then(() => 'alone')
    .catch((error: Error) => error.message)
    .finally(() => (ended = true));
  const began = clock.monotonic();
  while (!ended) {
    await new Promise(setImmediate);
    if (clock.waits.length === 0) continue;
    clock.advance(500);
    renew(server, clock);
  }
  return { found: await check, watchedMs: clock.monotonic() - began, warnings };
}

describe('beside another controller', () => {
  test('the lease of another Sluice that is renewed is a reason not to start without election', async () => {
    const { found } = await checked([...fluid, elected('ml')], (server, clock) => server.put(leaseOf(clock, 'ml', 'sluice')));
    expect(found).toContain("another Sluice other-0 renews the lease ml/sluice: two controllers would undo each other's work.");
    expect(found).toContain('or start with --take-over');
  });
  test.each([
    ['no controller renews', 'ml', 'other-0', () => {}, 6000],
    ['was released', 'ml', '', undefined, 0],
    ['a take-over holds', 'ml', 'sluice-takeover', undefined, 0],
    ['is in another namespace', 'fluid', 'other-0', undefined, 0],
  ])('a lease that %s is no reason', async (_, namespace, holder, renew, watchedMs) => {
    const put = (server: ApiServer, clock: ManualClock) => server.put(leaseOf(clock, namespace, 'sluice', holder));
    expect(await checked([elected('ml')], put, renew ?? put)).toEqual({ found: 'alone', watchedMs, warnings: [] });
  });
  const fluidIn = (namespace: string) =>
    checked(fluid, (server, clock) => {
      for (const name of ['dataset', 'thin']) server.put(leaseOf(clock, namespace, `${name}.data.fluid.io`));
    });
  test('Fluid is a reason not to start, and all that runs of it is named', async () => {
    const { found } = await fluidIn('fluid-system');
    expect(found).toContain("Fluid's controller other-0 renews the lease fluid-system/dataset.data.fluid.io");
    expect(found).toContain('kubectl -n fluid-system scale deployment dataset-controller --replicas=0');
    expect(found).toContain('kubectl -n fluid-system scale deployment thinruntime-controller --replicas=0');
  });
  const beside = (whyOpen: (user: string) => Promise<string | undefined>) => {
    const put = (server: ApiServer, clock: ManualClock) => {
      for (const name of ['dataset', 'thin']) server.put(leaseOf(clock, 'fluid-system', `${name}.data.fluid.io`));
    };
    return checked([...fluid, elected('ml')], put, put, whyOpen);
  };
  test('Fluid is no reason if a policy keeps all that runs of it off what is served', async () => {
    const asked: string[] = [];
    const { found } = await beside(async (user) => void asked.push(user));
    expect(found).toBe('alone');
    expect(asked.toSorted()).toEqual(
      ['dataset-controller', 'thinruntime-controller'].map((name) => `system:serviceaccount:fluid-system:${name}`),
    );
  });
  test('Fluid is a reason if one of its controllers may write there, and the message says why', async () => {
    const { found } = await beside(async (user) => (user.includes('thin') ? 'the policy does not name it' : undefined));
    expect(found).toContain("Fluid's controller other-0 renews the lease fluid-system/thin.data.fluid.io");
    expect(found).toContain('It may write in the namespaces that are served here: the policy does not name it.');
  });
  test("in a namespace that may be a tenant's it is a warning: a tenant that can write a Lease must not keep the controller from starting", async () => {
    const { found, warnings } = await fluidIn('fluid');
    expect(found).toBe('alone');
    expect(warnings).toEqual([
      expect.stringMatching(
        /renews the lease fluid\/dataset\.data\.fluid\.io: .* kubectl -n fluid scale deployment dataset-controller --replicas=0$/,
      ),
      expect.stringMatching(
        /renews the lease fluid\/thin\.data\.fluid\.io: .* kubectl -n fluid scale deployment thinruntime-controller --replicas=0$/,
      ),
    ]);
  });
  test('a lease that promises years delays no start by years', async () => {
    const put = (server: ApiServer, clock: ManualClock) =>
      server.put(leaseOf(clock, 'ml', 'dataset.data.fluid.io', 'other-0', 100_000_000));
    expect(await checked(fluid, put, () => {})).toEqual({ found: 'alone', watchedMs: 60_000, warnings: [] });
  });
  test('a lease that may not be read says which right is missing', async () => {
    const { found } = await checked(fluid, (server) => server.rules.refuse({ kind: 'Lease' }, { status: 403, reason: 'Forbidden' }));
    expect(found).toMatch(/Leases called \S+ of all namespaces cannot be read: .*403.*\nGrant that right, or .*--take-over/);
  });
});
