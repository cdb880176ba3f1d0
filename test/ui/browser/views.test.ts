/** Each view in both themes, on a wide screen and on a phone: what axe finds, and what does not fit. */
import { describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { accessibilityFaults, lacking } from './browser.ts';
import { fixturePage } from './fixture-page.ts';

const DATASET = '#/dataset/team-03/speech-3';
const VIEWS = [
  ['the fleet', '#/datasets', '.row'],
  ['what is not well', '#/datasets?well=no', '.row'],
  ['a picture', DATASET, '.card'],
  ['a history', `${DATASET}/history`, 'tbody tr'],
  ['figures', `${DATASET}/figures`, 'canvas'],
  ['manifests', `${DATASET}/manifests`, 'pre'],
  ['a preview', `${DATASET}/preview`, 'textarea'],
  ['operations', '#/operations', '.row'],
  ['nodes', '#/nodes/node-05', '.panel'],
  ['a Dataset that does not exist', '#/dataset/team-03/none', '[role=status].empty'],
] as const;

describe.skipIf(!canRun('the page in a browser', lacking))('each view', () => {
  const at = fixturePage(300);

  test('axe sees a fault that is planted', async () => {
    const { page } = await at.open('#/datasets');
    await page.locator('.grid-body .row').first().waitFor();
    await page.evaluate("document.querySelector('main').append(document.createElement('button'))");
    expect(await accessibilityFaults(page)).toEqual([expect.stringContaining('button-name')]);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('in %s, %i px wide, has no fault that axe finds, and fits', async (colorScheme, width) => {
    const { page } = await at.open('', { colorScheme, viewport: { width, height: 740 } });
    const origin = page.url().split('#')[0];
    for (const [view, hash, seen] of VIEWS) {
      await page.goto(`${origin}${hash}`);
      await page.locator(seen).last().waitFor({ state: 'attached' });
      if (hash.endsWith('preview')) {
        await page.getByRole('button', { name: 'Show what would change' }).click();
        await page.getByText('1 object would change').waitFor();
      }
      expect(await accessibilityFaults(page), view).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(0);
    }
  });
});
