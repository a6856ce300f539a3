import { resolve } from 'node:path';
import type { Page } from 'playwright-core';

const OUTPUT = resolve(import.meta.dirname, '../../output');

/** Keeps a picture of the page for a person to look at. */
export async function keepShot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${OUTPUT}/web-${name}.png` });
}
