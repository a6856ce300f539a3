import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { FULL_RUN } from '../seeded.ts';

const OUTPUT = resolve(import.meta.dirname, '../../output');

/** Keeps a picture of the page for a person to look at, in a full run. */
export async function keepShot(page: Page, name: string): Promise<void> {
  if (FULL_RUN) await page.screenshot({ path: `${OUTPUT}/web-${name}.png` });
}
