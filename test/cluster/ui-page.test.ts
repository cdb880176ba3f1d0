/** The page of `sluice ui` in Chromium, for a user of one namespace of a real API server. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { canRun } from '../support/can-run.ts';
import { endProcesses } from '../support/controller-process.ts';
import { jfsDataset, jfsRuntime, jfsSecret } from '../support/objects.ts';
import { type Sluice, type Space, startSluice } from '../support/sluice.ts';
import { sharedControlPlane, simulated } from '../support/test-cluster.ts';
import { accessibilityFaults, lacking, type OpenedPage, openPage, startBrowser } from '../ui/browser/browser.ts';
import { startUi } from '../ui/browser/world.ts';

const rbac = 'rbac.authorization.k8s.io';
/** A name that no other text has. */
const FOREIGN = 'not-of-your-team';

describe.skipIf(!simulated || !canRun('the page in a browser', lacking))('a user of one namespace, with the page', () => {
  let [sluice, own, foreign, browser, opened]: [Sluice, Space, Space, Browser, OpenedPage] = [] as never;
  /** Whatever the browser was sent. */
  const received: Promise<string>[] = [];
  beforeAll(async () => {
    sluice = await startSluice(sharedControlPlane());
    [own, foreign, browser] = await Promise.all([sluice.space('team'), sluice.space('foreign'), startBrowser()]);
    for (const [space, name] of [
      [own, 'demo'],
      [foreign, FOREIGN],
    ] as const) {
      await space.create(jfsSecret(), jfsDataset(name), jfsRuntime(name));
      await space.bound('JuiceFSRuntime', name);
    }
    const user = `jane-${own.namespace}`;
    const metadata = { name: 'jane', namespace: own.namespace };
    for (const object of [
      {
        kind: 'Role',
        metadata,
        rules: [{ apiGroups: ['', 'apps', 'batch', 'data.fluid.io', 'events.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
      },
      {
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'jane' },
        subjects: [{ kind: 'User', name: user, apiGroup: rbac }],
      },
    ])
      await sluice.plane.kubectlApply(stringify({ apiVersion: `${rbac}/v1`, ...object }));
    const { address } = await startUi(await sluice.plane.kubeconfigFor(user, []), '-n', own.namespace);
    opened = await openPage(browser, address);
    // A stream of events has no end.
    opened.page.on(
      'response',
      (response) => void (response.url().includes('/api/changes') || received.push(response.text().catch(() => ''))),
    );
    await opened.page.reload();
  });
  afterAll(async () => {
    await browser?.close();
    await endProcesses();
    await sluice?.stop();
  });
  const texts = (selector: string) => opened.page.locator(selector).allTextContents();

  test('sees the Datasets of that namespace', async () => {
    await opened.page.getByRole('link', { name: 'demo' }).waitFor();
    expect(await texts('.grid-body .row .cell-name')).toEqual(['demo']);
    expect(await texts('.rights')).toEqual([expect.stringContaining(`Only namespace ${own.namespace}`)]);
  });

  test('sees workers crash as it happens, and why, down to the pod', async () => {
    const failing = await sluice.plane.pods.fail(
      { namespace: own.namespace, name: 'demo-worker-*' },
      { as: 'CrashLoopBackOff', exitCode: 137, message: 'back-off 40s restarting failed container' },
    );
    await own.becomes('Dataset', 'demo', { status: { phase: 'Failed' } });
    await expect.poll(() => texts('.grid-body .row')).toEqual([expect.stringContaining('Failed')]);
    await opened.page.getByRole('link', { name: 'demo' }).click();
    await expect.poll(() => texts('.cause.first')).toEqual([expect.stringMatching(/demo-worker-0.*CrashLoopBackOff/s)]);
    await expect.poll(() => texts('.card.state-failing')).not.toEqual([]);
    expect(await accessibilityFaults(opened.page)).toEqual([]);
    await failing.release();
    await own.becomes('Dataset', 'demo', { status: { phase: 'Bound' } });
    await expect.poll(() => texts('.headline .pill')).toContain('Bound');
  });

  test('is shown an event of a workload that nothing else tells of', async () => {
    await opened.page.getByRole('tab', { name: 'History' }).click();
    const { uid } = (await own.get('StatefulSet', 'demo-worker')).metadata;
    const involvedObject = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: own.namespace, name: 'demo-worker', uid };
    const at = new Date().toISOString().replace(/\.\d+/, '');
    await sluice.plane.kubectlApply(
      stringify({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'demo-worker.1', namespace: own.namespace },
        involvedObject,
        type: 'Warning',
        reason: 'DiskSlow',
        message: 'the disk of the node answers after 4 s',
        firstTimestamp: at,
        lastTimestamp: at,
        count: 3,
      }),
    );
    await expect
      .poll(() => texts('.history .severity-warning'))
      .toContainEqual(expect.stringContaining('the disk of the node answers after 4 s'));
  });

  test('never receives the name of another tenant, in any view', async () => {
    const { page } = opened;
    for (const hash of ['#/datasets', '#/operations', '#/nodes', `#/dataset/${foreign.namespace}/${FOREIGN}`]) {
      const answered = page.waitForResponse((response) => response.url().includes('/api/'), { timeout: 2000 }).catch(() => {});
      await page.goto(`${page.url().split('#')[0]}${hash}`);
      await answered;
    }
    await page.getByText(`The Dataset ${foreign.namespace}/${FOREIGN} does not exist, or you may not read it.`).waitFor();
    const all = (await Promise.all(received)).join('\n');
    expect(all).toContain(own.namespace);
    expect(all).not.toContain(FOREIGN);
    expect(all).not.toContain(foreign.namespace);
    expect(opened.faults).toEqual([]);
  });
});
