/** Changes on the screen as they come, and a server that goes away. */
import { describe, expect, test } from 'vitest';
import { canRun } from '../../support/can-run.ts';
import { serveFixture } from '../page/fixture-server.ts';
import { lacking, openPage } from './browser.ts';
import { fixturePage } from './fixture-page.ts';

describe.skipIf(!canRun('the page in a browser', lacking))('live', () => {
  const at = fixturePage(2000);

  test('a Dataset that fails is on top of the list, and in the sums', async () => {
    const { page } = await at.open('#/datasets');
    await page.locator('.grid-body .row').first().waitFor();
    const row = { ...at.fixture.rowOf(4), namespace: 'aaa', name: 'new' };
    at.fixture.send({
      datasets: [{ ...row, phase: 'Failed', healthy: false, trouble: { type: 'Ready', reason: 'NoStore', message: 'gone' } }],
    });
    await expect.poll(() => page.locator('[aria-rowindex="2"]').textContent()).toContain('NoStore');
    expect(await page.locator('.sums dd').first().textContent()).toBe('2,001');
    at.fixture.send({ gone: { datasets: ['aaa/new'] } });
    await expect.poll(() => page.locator('.sums dd').first().textContent()).toBe('2,000');
  });

  test('rows that come above leave the ones that are read where they are, and the selected row selected', async () => {
    const { page } = await at.open('#/datasets?sort=name');
    await page.locator('.grid-body .row').first().waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    for (let i = 0; i < 300; i += 100) await page.keyboard.press('PageUp');
    const selected = page.locator('[aria-selected=true]');
    const [key, top, index] = [
      await selected.getAttribute('id'),
      (await selected.boundingBox())?.y,
      await selected.getAttribute('aria-rowindex'),
    ];
    const names = Array.from({ length: 50 }, (_, i) => `aaa-${i}`);
    at.fixture.send({ datasets: names.map((name) => ({ ...at.fixture.rowOf(4), name })) });
    await expect.poll(() => selected.getAttribute('aria-rowindex')).toBe(String(Number(index) + 50));
    expect(await selected.getAttribute('id')).toBe(key);
    expect((await selected.boundingBox())?.y).toBeCloseTo(top ?? 0, 0);
    at.fixture.send({ gone: { datasets: names.map((name) => `team-04/${name}`) } });
    await expect.poll(() => selected.getAttribute('aria-rowindex')).toBe(index);
    expect((await selected.boundingBox())?.y).toBeCloseTo(top ?? 0, 0);
  });

  test('an open Dataset is read again once something of it changed', async () => {
    const { page } = await at.open('#/dataset/team-03/speech-3/history');
    await page.locator('tbody tr').first().waitFor();
    const read = page.waitForRequest((request) => request.url().endsWith('/api/datasets/team-03/speech-3'));
    const row = at.fixture.rows.get('team-03/speech-3');
    if (!row) throw new Error('the fixture has this row');
    at.fixture.send({ datasets: [row] });
    await read;
    at.fixture.send({ datasets: [{ ...row, phase: 'Changed' }] });
    await page.getByText('Changed').waitFor();
  });

  test('without a connection the page says how old it is, and goes on when the server is back', async () => {
    const first = await serveFixture(10);
    const opened = await openPage(at.browser, `http://127.0.0.1:${first.port}/`);
    const { page } = opened;
    await page.locator('.grid-body .row').first().waitFor();
    expect(await page.getByRole('status').textContent()).toBe('');
    await first.stop();
    await page.getByText(/The connection is lost. What is shown is \d+s old/).waitFor();
    expect(await page.locator('.grid-body .row').count()).toBe(10);
    const second = await serveFixture(10, first.port);
    await expect.poll(() => page.getByRole('status').textContent()).toBe('');
    second.send({ datasets: [{ ...second.rowOf(1), name: 'after' }] });
    await page.getByRole('link', { name: 'after' }).waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
    await second.stop();
  });
});
