/**
 * Pictures of each view in both themes, on a phone and in Chinese. `npm run screenshots` writes them to docs/pictures; without SLUICE_SCREENSHOTS, the folder, nothing
 * is written, and the views are only held to be complete.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { endProcesses } from '../../support/controller-process.ts';
import { lacking, openPage, startBrowser } from './browser.ts';
import { crash, seed } from './seed.ts';
import { startWorld, type World } from './world.ts';

const folder = process.env['SLUICE_SCREENSHOTS'];
const MOST_BYTES = 150_000;
const VIEWS = [
  ['fleet', '#/datasets', '.row'],
  ['dataset', '#/dataset/vision/imagenet', '.card'],
  ['history', '#/dataset/vision/imagenet/history', 'tbody tr'],
  ['figures', '#/dataset/vision/imagenet/figures', 'canvas'],
  ['manifests', '#/dataset/vision/imagenet/manifests', 'pre'],
  ['preview', '#/dataset/vision/imagenet/preview', 'textarea'],
  ['operations', '#/operations', '.row'],
  ['nodes', '#/nodes', '.row'],
] as const;
const viewport = { width: 1200, height: 630 };
const SCREENS = [
  ['light', { colorScheme: 'light', viewport }],
  ['dark', { colorScheme: 'dark', viewport }],
  ['phone', { colorScheme: 'light', viewport: { width: 360, height: 740 } }],
  ['chinese', { colorScheme: 'light', locale: 'zh-CN', viewport }],
] as const;

const isTheme = (screen: string): boolean => screen === 'light' || screen === 'dark';

describe.skipIf(!canRun('the page in a browser', lacking))('pictures', () => {
  let [world, browser]: [World, Browser] = [] as never;
  beforeAll(async () => {
    [world, browser] = await Promise.all([startWorld(6), startBrowser()]);
    const { vision } = await seed(world);
    // Later pods would have the kubelet start the client again.
    await vision.becomes('DataProcess', 'resize', { status: { phase: 'Executing' } });
    const [fuse] = (await vision.list('Pod'))
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith('imagenet-fuse-'))
      .toReversed();
    await crash(vision, fuse ?? '', 'cannot connect to redis://redis:6379/0: connection refused');
    await vision.becomes('JuiceFSRuntime', 'imagenet', {
      status: { conditions: expect.arrayContaining([expect.objectContaining({ type: 'PodsCrashing', status: 'True' })]) as unknown },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
    await endProcesses();
  });

  test.each(SCREENS)('%s', async (screen, options) => {
    const opened = await openPage(browser, await world.ui(), options);
    const { page } = opened;
    await page.locator('.row').first().waitFor();
    for (const [view, hash, seen] of VIEWS) {
      await page.goto(`${page.url().split('#')[0]}${hash}`);
      await page.locator(seen).last().waitFor({ state: 'attached' });
      if (view === 'preview') {
        await page.locator('.preview select').selectOption('JuiceFSRuntime vision/imagenet');
        const manifest = page.locator('textarea');
        await manifest.fill((await manifest.inputValue()).replace('replicas: 2', 'replicas: 5'));
        await page.locator('button[type=submit]').click();
        await page.locator('.diff').first().scrollIntoViewIfNeeded();
      }
      await page.mouse.move(0, 0);
      const picture = await page.screenshot({ animations: 'disabled' });

      // Two views show what differs on a phone, or in Chinese.
      if (folder === undefined || (!isTheme(screen) && !['fleet', 'dataset'].includes(view))) continue;
      expect(picture.length, view).toBeLessThan(MOST_BYTES);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `ui-${view}-${screen}.png`), picture);
    }
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
