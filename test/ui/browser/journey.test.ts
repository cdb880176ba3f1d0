/** A person with `sluice ui` and a playground: why a Dataset is not well, and how it becomes so before their eyes. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { endProcesses } from '../../support/controller-process.ts';
import { jfsDataset, jfsRuntime, jfsSecret, openDataset } from '../../support/objects.ts';
import type { Space } from '../../support/sluice.ts';
import { accessibilityFaults, lacking, type OpenedPage, openPage, startBrowser } from './browser.ts';
import { crash } from './seed.ts';
import { startWorld, type World } from './world.ts';

/** A second is what is promised; the rest is for a machine that is busy. */
const PROMPT_MS = 5000;
const load = { apiVersion: 'data.fluid.io/v1alpha1', kind: 'DataLoad', metadata: { name: 'warm' } };

// One after the other, on one page: what a person does follows from what they did before.
describe.skipIf(!canRun('the page in a browser', lacking))('a person', () => {
  let [world, space, browser, opened]: [World, Space, Browser, OpenedPage] = [] as never;
  let page: Page;
  let address: string;
  const seen = (text: string | RegExp) => page.getByText(text).first().waitFor();
  beforeAll(async () => {
    [world, browser] = await Promise.all([startWorld(), startBrowser()]);
    space = await world.space('ml');
    await space.create(jfsDataset('demo'), jfsRuntime('demo', { replicas: 2 }), openDataset('idle'));
    address = await world.ui();
    opened = await openPage(browser, address);
    ({ page } = opened);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await endProcesses();
  });

  test('signs in by the address, which then holds no token', async () => {
    await page.getByRole('link', { name: 'demo' }).waitFor();
    expect(page.url()).not.toContain('token');
    expect(await page.locator('.top').textContent()).toContain('sluice-playground');
  });

  test('cannot sign in by it a second time, nor by a token of their own making', async () => {
    const second = await openPage(browser, address);
    await second.page.getByText('The token is not valid, or was used before.').waitFor();
    expect(await accessibilityFaults(second.page)).toEqual([]);
    await second.page.getByLabel('Token').fill('mine');
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    await second.page.getByText('The token is not valid, or was used before.').waitFor();
    expect(await second.page.getByRole('link', { name: 'demo' }).count()).toBe(0);
    expect(second.faults).toEqual([]);
    await second.close();
  });

  test('finds what is not well, opens it, and reads why', async () => {
    await page.locator('#search').fill('demo');
    await expect.poll(() => page.locator('.grid-body .row').count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'demo' }).waitFor();
    await seen(/waiting for Secret ml\/jfs-secret/);
    await seen('What to do');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('sees it become Bound once the Secret exists, and its parts in the picture', async () => {
    await space.create(jfsSecret());
    await expect.poll(() => page.locator('.headline').textContent()).toContain('Bound');
    await expect.poll(() => page.locator('.cards').textContent()).toContain('demo-worker');
    await seen('All is well.');
  });

  test('sees a pod crash as soon as the controller reports it, and reads what it printed', async () => {
    const reported = space.becomes('JuiceFSRuntime', 'demo', {
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'PodsCrashing', status: 'True' })]) as unknown },
    });
    await crash(space, 'demo-worker-0', 'no space left on device');
    await reported;
    const began = performance.now();
    await seen(/printed last: no space left on device/);
    expect(performance.now() - began).toBeLessThan(PROMPT_MS);
    await expect.poll(() => page.locator('.card.state-failing, .card.state-waiting').allTextContents()).not.toEqual([]);
  });

  test('reads what happened, and manifests without the values of the Secret', async () => {
    await page.getByRole('tab', { name: 'History' }).click();
    await expect.poll(() => page.locator('.history tbody tr').count()).toBeGreaterThan(3);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByRole('heading', { name: 'Dataset ml/demo' }).waitFor();
    const text = await page.locator('[role=tabpanel]').textContent();
    expect(text).toContain('mountPoint: juicefs:///');
    expect(text).not.toContain('minioadmin');
    expect(text).not.toContain('managedFields:');
  });

  test('tries an edit, which changes nothing', async () => {
    await page.getByRole('tab', { name: 'Try an edit' }).click();
    await page.getByLabel('Start from').selectOption('JuiceFSRuntime ml/demo');
    const manifest = page.getByLabel('Manifest');
    const before = await manifest.inputValue();
    expect(before).toContain('replicas: 2');
    await manifest.fill(before.replace('replicas: 2', 'replicas: 5'));
    await page.getByRole('button', { name: 'Show what would change' }).click();
    await expect.poll(() => page.locator('.diff-added').allTextContents()).toContainEqual(expect.stringContaining('replicas: 5'));
    expect(await accessibilityFaults(page)).toEqual([]);
    expect((await space.get('StatefulSet', 'demo-worker'))['spec']).toMatchObject({ replicas: 2 });
  });

  test('watches an operation, and on which nodes caches are', async () => {
    await page.getByRole('link', { name: 'Operations' }).click();
    await seen('No operations.');
    await space.create({ ...load, spec: { dataset: { name: 'demo', namespace: 'ml' } } });
    await expect.poll(() => page.locator('.grid-body .row').allTextContents()).toContainEqual(expect.stringContaining('ml/warm'));
    await expect.poll(() => page.locator('.grid-body .row').first().textContent()).toContain('Complete');
    await page.getByRole('link', { name: 'Nodes' }).click();
    await expect.poll(() => page.locator('.grid-body .row').count()).toBe(3);
    await expect.poll(() => page.locator('.cell-caches').allTextContents()).toContainEqual(expect.stringContaining('ml/demo'));
  });

  test('sees a Dataset go as it is deleted', async () => {
    await page.getByRole('link', { name: 'Datasets' }).first().click();
    await page.getByRole('link', { name: 'idle' }).waitFor();
    await space.delete('Dataset', 'idle');
    await expect.poll(() => page.getByRole('link', { name: 'idle' }).count()).toBe(0);
  });

  test('has a page that broke no rule of its policy, and asked for nothing elsewhere', () => {
    expect(opened.faults).toEqual([]);
  });
});
