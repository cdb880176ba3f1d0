/** The drawings of the pages, in Mermaid as GitHub draws them: each is drawn in a browser, with its words. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { DOCS, npmModules } from '../../harness/tools/npm.ts';
import { canRun } from '../support/can-run.ts';
import { lacking, startBrowser } from '../ui/browser/browser.ts';
import { blocks } from './pages.ts';

interface Global {
  readonly mermaid: { render(id: string, source: string): Promise<{ readonly svg: string }> };
  readonly document: { readonly body: { innerHTML: string; readonly textContent: string } };
}

const drawings = blocks.filter(({ language }) => language === 'mermaid');

test('pages on which things move have drawings', () => expect(drawings.map(({ page }) => page)).toContain('docs/architecture.md'));

describe.skipIf(!canRun('drawings of the pages', lacking))('in a browser:', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    page = await browser.newPage();
    await page.addScriptTag({ path: join(await npmModules(DOCS), 'mermaid/dist/mermaid.min.js') });
  }, 300_000);
  afterAll(() => browser?.close());

  // Text of a page reaches the browser as an argument, never as a script.
  const drawn = (text: string): Promise<string> =>
    page.evaluate(async (source) => {
      // The cast: the library and the browser define these.
      const { mermaid, document } = globalThis as unknown as Global;
      document.body.innerHTML = (await mermaid.render('drawing', source)).svg;
      return document.body.textContent;
    }, text);

  test('a drawing with a fault is refused', async () => {
    await expect(drawn('flowchart LR\n  a[watches --> b')).rejects.toThrow(/Parse error/);
  });
  test.each(drawings)('$page: $text', async ({ text }) => {
    const words = [...text.matchAll(/\["?([^"\]]+)"?\]/g)].flatMap(([, label = '']) => label.split(/<br\/?>|\s+/));
    const shown = (await drawn(text)).replaceAll(/\s+/g, '');
    expect(words.length).toBeGreaterThan(3);
    expect(words.filter((word) => !shown.includes(word))).toEqual([]);
  });
});
