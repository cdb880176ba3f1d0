/** The page without a mouse, and what the address keeps. */
import { describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { lacking } from './browser.ts';
import { fixturePage } from './fixture-page.ts';

describe.skipIf(!canRun('the page in a browser', lacking))('by keyboard', () => {
  const at = fixturePage(20_000);
  const hash = 'decodeURIComponent(location.hash)';

  test('a Dataset is searched, selected, opened and left, and the list is as it was', async () => {
    const { page } = await at.open('');
    await page.locator('.grid-body .row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('wiki jindo');
    await page.keyboard.press('ArrowDown');
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowDown');
    const selected = page.locator('[aria-selected=true]');
    const name = (await selected.locator('.cell-name').textContent()) ?? '';
    expect(name).toMatch(/^wiki-\d+$/);
    expect(await page.getByRole('grid').getAttribute('aria-activedescendant')).toContain(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.keyboard.press('Escape');
    await selected.waitFor();
    expect(await selected.locator('.cell-name').textContent()).toBe(name);
    expect(await page.locator('#search').inputValue()).toBe('wiki jindo');
    expect(await page.evaluate(hash)).toBe('#/datasets?q=wiki+jindo');
  });

  test('the last of 20,000 rows is one key away, and only rows that are seen exist', async () => {
    const { page } = await at.open('#/datasets?sort=name');
    await page.locator('.grid-body .row').first().waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    const last = page.locator('[aria-rowindex="20001"]');
    await last.waitFor();
    expect(await last.getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('.grid-body .row').count()).toBeLessThan(60);
    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    const row = Number(await page.locator('[aria-selected=true]').getAttribute('aria-rowindex'));
    expect(row).toBeGreaterThan(8);
    expect(await page.evaluate('document.querySelector("[aria-selected=true]").getBoundingClientRect().bottom < innerHeight')).toBe(true);
  });

  test('the skip link leads to the content, and Tab to search, filters and rows in the order in which they are seen', async () => {
    const { page } = await at.open('#/datasets');
    await page.locator('.grid-body .row').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.className')).toBe('skip');
    await page.keyboard.press('Enter');
    const seen: string[] = [];
    for (let i = 0; i < 6; i += 1) {
      await page.keyboard.press('Tab');
      seen.push((await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent')) as string);
    }
    expect(seen).toEqual(['Search', 'Namespace', 'Kind', 'Not well only', 'Datasets', 'Phase']);
  });

  test('arrows go from tab to tab of a Dataset, and the back button goes back through them', async () => {
    const { page } = await at.open('#/dataset/team-03/speech-3');
    await page.getByRole('tab', { name: 'Picture' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.history').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.locator('canvas').first().waitFor();
    expect(await page.evaluate(hash)).toBe('#/dataset/team-03/speech-3/figures');
    await page.goBack();
    await page.locator('.history').waitFor();
    await page.goBack();
    await page.locator('.picture').waitFor();
  });

  test('filters and the order of rows are in the address, so that a reload and a link show the same', async () => {
    const { page } = await at.open('#/datasets');
    await page.getByRole('button', { name: 'Not well only' }).click();
    await page.getByLabel('Namespace').selectOption('team-03');
    await page.getByRole('button', { name: 'Age' }).click();
    const address = page.url();
    expect(address).toContain('#/datasets?namespace=team-03&well=no&sort=created&order=descending');
    const rows = await page.locator('.grid-body .row .cell-name').allTextContents();
    expect(rows.length).toBeGreaterThan(1);
    await page.reload();
    await page.locator('.grid-body .row').first().waitFor();
    expect(await page.locator('.grid-body .row .cell-name').allTextContents()).toEqual(rows);
    expect(await page.getByRole('columnheader', { name: 'Age' }).getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    expect(await page.locator('.sums dd').first().textContent()).toBe('20,000');
  });
});
