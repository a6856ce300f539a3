import type { Locator, Page } from 'playwright-core';
import type { OpenBrowser } from './open-browser.ts';
import type { BrowserProxy, Traffic } from './traffic.ts';

/** One session at work. */
export interface Session {
  readonly browser: OpenBrowser;
  readonly traffic: Traffic;
  readonly folder: string;
  readonly workspace: string;
  readonly proxy: Pick<BrowserProxy, 'port' | 'want'>;
  /** Aborts if the caller has gone. */
  readonly signal: AbortSignal;
}

/** The element that the page showed under a ref. */
export const elementOf = (page: Page, ref: string): Locator => page.getByRef(ref);
