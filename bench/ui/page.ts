/** The page of `sluice ui` in Chromium, with thousands of Datasets: first rows, a change, scrolling, memory, the size of its files. */
import type { CDPSession, Page } from 'playwright-core';
import { pageFiles } from '../../src/cli/ui/page-files.ts';
import { lacking, openPage, startBrowser } from '../../test/ui/browser/browser.ts';
import { atMost, type Bench, unjudged } from '../figure.ts';
import { largest, median } from '../statistics.ts';
import { startedUi } from './started.ts';

const ROWS = '.grid-body .row';
/** Ends of the wheel's turns are so far apart, as of a hand that scrolls without a pause. */
const WHEEL_MS = 16;

export const uiPage = (datasets: number): Bench => ({
  name: `ui-page-${datasets}`,
  async *run({ quick }) {
    const name = `ui-page-${datasets}`;
    if (lacking !== undefined) throw new Error(lacking);
    const bytes = Object.values(await pageFiles()).reduce((all, text) => all + Buffer.byteLength(text), 0);
    yield atMost(`${name}/files`, bytes / 1000, 'KB', 200);
    const ui = await startedUi(datasets);
    const browser = await startBrowser();
    try {
      const { page, faults } = await openPage(browser, ui.address);
      await page.locator(ROWS).first().waitFor();
      // The server has read all by now; each visit is a viewer who comes later.
      const shown: number[] = [];
      for (let i = 0; i < (quick ? 2 : 10); i++) {
        await page.reload();
        shown.push(await rowsAt(page));
      }
      yield atMost(`${name}/rows`, median(shown), 'ms after the address', 1000, { longest: largest(shown) });
      const seen: number[] = [];
      for (let i = 0; i < (quick ? 3 : 20); i++) {
        const drawn = page.evaluate(CHANGED);
        const { at } = await ui.change(0);
        await drawn;
        seen.push(performance.timeOrigin + performance.now() - at);
      }
      yield atMost(`${name}/change`, median(seen), 'ms until on the screen', 1000, { longest: largest(seen) });
      await page.evaluate(COUNT_LONG_TASKS);
      await page.hover('.grid');
      for (let i = 0; i < (quick ? 20 : 150); i++) {
        await page.mouse.wheel(0, 2000);
        await page.waitForTimeout(WHEEL_MS);
      }
      yield atMost(`${name}/scroll`, await longestTask(page), 'ms of the longest task', 100);
      await page.locator('#search').pressSequentially('images-0199', { delay: 30 });
      await page.waitForTimeout(300);
      yield unjudged(`${name}/search`, await longestTask(page), 'ms of the longest task');
      const cdp = await page.context().newCDPSession(page);
      yield atMost(`${name}/heap`, await heap(cdp), 'MB', 150);
      if (faults.length > 0) throw new Error(`the page reported ${faults.join('; ')}`);
    } finally {
      await browser.close();
      ui.end();
    }
  },
});

// Programs of the page are texts, since their globals are those of a browser.
/** Resolves when the first row shows another amount: Dataset 0 is not well, and so on top of the list. */
const CHANGED = `new Promise((resolve) => {
  const shown = () => document.querySelector('[aria-rowindex="2"] .cell-cached .cache')?.title;
  const before = shown();
  const look = () => (shown() === before ? requestAnimationFrame(look) : resolve());
  look();
})`;
const COUNT_LONG_TASKS = `window.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
}).observe({ type: 'longtask' });`;

/** ms from the start of the navigation until rows were there. */
async function rowsAt(page: Page): Promise<number> {
  await page.locator(ROWS).first().waitFor();
  return (await page.evaluate('performance.now()')) as number;
}

/** The longest since it was last asked; tasks below 50 ms count as none. */
const longestTask = async (page: Page): Promise<number> =>
  (await page.evaluate('(() => { const { longest } = window; window.longest = 0; return longest; })()')) as number;

async function heap(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6;
}
