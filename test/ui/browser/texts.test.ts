/** Texts of tenants, languages and themes. */
import { describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { accessibilityFaults, lacking } from './browser.ts';
import { fixturePage } from './fixture-page.ts';

const HTML = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const BIDI = 'invoice\u202efdp.exe\u0007';
const LONG = 'n'.repeat(253);

describe.skipIf(!canRun('the page in a browser', lacking))('texts', () => {
  const at = fixturePage(300);

  test.each([
    ['HTML', HTML, HTML],
    ['characters that nobody sees', BIDI, 'invoiceU+202Efdp.exeU+0007'],
    ['253 characters', LONG, LONG],
  ])('%s of a tenant are text in every view', async (_, text, shown) => {
    const row = {
      ...at.fixture.rowOf(4),
      namespace: 'aaa',
      name: text,
      kind: text,
      phase: text,
      healthy: false,
      trouble: { type: text, reason: text, message: text },
    };
    at.fixture.send({ datasets: [row] });
    const { page } = await at.open('#/datasets?sort=namespace', { viewport: { width: 1000, height: 700 } });
    for (const cell of ['name', 'kind', 'phase', 'trouble'])
      expect(await page.locator(`[aria-rowindex="2"] .cell-${cell}`).first().textContent()).toContain(shown);
    for (const tab of ['', '/history', '/manifests', '/preview']) {
      await page.goto(`${page.url().split('#')[0]}#/dataset/aaa/${encodeURIComponent(text)}${tab}`);
      await page.locator('[role=tabpanel] > *').first().waitFor();
      expect(await page.locator('main h1').textContent()).toContain(shown);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).not.toContain('\u202e');
    at.fixture.send({ gone: { datasets: [`aaa/${text}`] } });
  });

  test('a viewer whose browser speaks Chinese reads Chinese, and phases and reasons as the controller writes them', async () => {
    const { page } = await at.open('#/dataset/team-03/speech-3', { locale: 'zh-CN' });
    await page.getByRole('tab', { name: '拓扑' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hans');
    await page.getByText('处理建议').waitFor();
    await page.getByText('PodCrashing').first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto(`${page.url().split('#')[0]}#/datasets`);
    await page.getByPlaceholder('名称、名字空间、类型、原因 …').waitFor();
    expect(await page.locator('main').textContent()).not.toMatch(/Not well|Cached|Namespace/);
  });

  test('language and theme are switched, and stay after a reload', async () => {
    const { page } = await at.open('#/datasets', { colorScheme: 'light' });
    const colour = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await colour();
    await page.getByLabel('Theme').selectOption('dark');
    expect(await colour()).not.toBe(light);
    await page.getByLabel('Language').selectOption('zh');
    await page.getByRole('link', { name: '数据集' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: '数据集' }).waitFor();
    expect(await colour()).not.toBe(light);
    await page.getByLabel('主题').selectOption('system');
    expect(await colour()).toBe(light);
  });

  test('charts take the colours of the theme, also when it changes', async () => {
    const { page } = await at.open('#/dataset/team-03/speech-3/figures', { colorScheme: 'light' });
    await page.locator('canvas').first().waitFor();
    const picture = async () => (await page.locator('canvas').first().screenshot()).toString('base64');
    const light = await picture();
    await page.getByLabel('Theme').selectOption('dark');
    await expect.poll(picture).not.toBe(light);
    expect(await page.locator('.u-legend').first().textContent()).toContain('Capacity');
  });
});
