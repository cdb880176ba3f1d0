/** Debian's Chromium without a screen, and pages in it that report whatever a page must not do. */
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';
export const lacking = existsSync(PROGRAM) ? undefined : `there is no ${PROGRAM}; scripts/setup.sh installs it as root on Debian`;

/** Root in a container has no sandbox of its own to give. */
export const startBrowser = (...flags: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', ...flags] });

export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, violations of the content security policy, and requests to another origin, as they happened. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export async function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    // A browser reports an answer of 401 as an error of its own.
    if (message.type() === 'error' && !/Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/.test(text))
      faults.push(`console: ${text}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(address);
  return { page, faults, close: () => context.close() };
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Findings of axe on the page as it is now, a line each. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  // The cast: axe's own shape of a result.
  const { violations } = (await page.evaluate('axe.run()')) as { readonly violations: readonly Finding[] };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`));
}
