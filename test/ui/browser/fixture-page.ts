/** A browser, and the page with a fleet of test/ui/page/fixture.ts, for the tests of one file. */
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { serveFixture } from '../page/fixture-server.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';

export type Fixture = Awaited<ReturnType<typeof serveFixture>>;

export interface FixturePage {
  readonly fixture: Fixture;
  readonly browser: Browser;
  /** @param hash of the address, `#/datasets` */
  open(hash: string, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** Each test fails if a page reported a fault: an error, a violation of its policy, a request to elsewhere. */
export function fixturePage(count: number): FixturePage {
  let [browser, fixture]: [Browser | undefined, Fixture | undefined] = [undefined, undefined];
  const opened = new Set<OpenedPage>();
  beforeAll(async () => {
    [browser, fixture] = await Promise.all([startBrowser(), serveFixture(count)]);
  });
  afterEach(async () => {
    const faults = [...opened].flatMap((each) => each.faults);
    for (const each of opened) await each.close();
    opened.clear();
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await fixture?.stop();
  });
  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('expected a test that has begun');
    return value;
  };
  return {
    get fixture() {
      return started(fixture);
    },
    get browser() {
      return started(browser);
    },
    async open(hash, options) {
      const page = await openPage(started(browser), `http://127.0.0.1:${started(fixture).port}/${hash}`, options);
      opened.add(page);
      return page;
    },
  };
}
